#include "reference/q8_k64.h"

#include <bit>
#include <stdexcept>
#include <string>

#include "reference/blocks.h"

namespace tritcheck::q8_k64 {
namespace {

constexpr size_t floats_of_m(Kind kind) {
  return kind == Kind::k64 ? kClasses : 1;
}

constexpr size_t header(Kind kind) {
  return 4 * (kClasses + floats_of_m(kind));
}

std::string name(Kind kind) {
  return kind == Kind::k64 ? "q8_K64: " : "q8_K16: ";
}

}  // namespace

size_t class_of(Kind kind, size_t k) {
  return kind == Kind::k64 ? k % 16 / 4 : k % 64 / 16;
}

std::vector<float> minus_of(Kind kind, const std::array<float, kClasses>& d, std::span<const int8_t> q) {
  std::array<int64_t, kClasses> sums{};
  for (size_t k = 0; k < q.size(); ++k) sums[class_of(kind, k)] += q[k];
  std::vector<float> m;
  double total = 0;
  for (size_t c = 0; c < kClasses; ++c) {
    // exact in double up to sums of 2^29, so that only the conversion rounds
    const double product = double{d[c]} * static_cast<double>(sums[c]);
    total += product;
    m.push_back(static_cast<float>(product));
  }
  if (kind == Kind::k16) m = {static_cast<float>(total)};
  return m;
}

size_t row_bytes(Kind kind, size_t k) {
  if (k == 0 || k % 64 != 0) {
    throw std::invalid_argument(name(kind) + "K = " + std::to_string(k) + " is not a positive multiple of 64");
  }
  if (kind == Kind::k64 && k < 512) {
    throw std::invalid_argument(name(kind) + "K = " + std::to_string(k) +
                                " is below 512: the record would not fit the bytes that are set aside for it");
  }
  return header(kind) + k;
}

Row unpack(Kind kind, std::span<const uint8_t> bytes) {
  const size_t k = bytes.size() < header(kind) ? 0 : bytes.size() - header(kind);
  (void)row_bytes(kind, k);  // for its refusals
  Row row;
  const auto at = [&](size_t i) { return std::bit_cast<float>(blocks::load_u32(bytes, 4 * i)); };
  for (size_t c = 0; c < kClasses; ++c) row.d[c] = at(c);
  for (size_t i = 0; i < floats_of_m(kind); ++i) row.m.push_back(at(kClasses + i));
  for (uint8_t byte : bytes.subspan(header(kind))) row.q.push_back(static_cast<int8_t>(byte));
  return row;
}

void pack(Kind kind, const Row& row, std::span<uint8_t> bytes) {
  if (row.m.size() != floats_of_m(kind)) {
    throw std::invalid_argument(name(kind) + std::to_string(row.m.size()) + " m given; pass exactly " +
                                std::to_string(floats_of_m(kind)));
  }
  if (bytes.size() != row_bytes(kind, row.q.size())) {
    throw std::invalid_argument(name(kind) + std::to_string(bytes.size()) +
                                " bytes for K = " + std::to_string(row.q.size()) + "; pass exactly " +
                                std::to_string(row_bytes(kind, row.q.size())));
  }
  const auto store = [&](size_t i, float x) { blocks::store_u32(bytes, 4 * i, std::bit_cast<uint32_t>(x)); };
  for (size_t c = 0; c < kClasses; ++c) store(c, row.d[c]);
  for (size_t i = 0; i < row.m.size(); ++i) store(kClasses + i, row.m[i]);
  for (size_t k = 0; k < row.q.size(); ++k) bytes[header(kind) + k] = static_cast<uint8_t>(row.q[k]);
}

}  // namespace tritcheck::q8_k64
