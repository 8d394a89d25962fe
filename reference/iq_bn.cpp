#include "reference/iq_bn.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "reference/blocks.h"
#include "reference/half.h"

namespace tritcheck::iq_bn {
namespace {

constexpr Format kFormats[] = {{"iq1_bn", 1, 2, 13, 2}, {"iq2_bn", 1, 4, 16, 3}, {"iq2_bn_r4", 4, 16, 64, 3}};
constexpr int kPowers[] = {1, 3, 9, 27, 81};

[[noreturn]] void refuse(Type type, const std::string& message) {
  throw std::invalid_argument(std::string(format(type).name) + ": " + message);
}

float load_scale(Type type, std::span<const uint8_t> bytes, size_t row) {
  if (type == Type::iq1_bn) return f16::to_float(blocks::load_u16(bytes, 0));
  return std::bit_cast<float>(blocks::load_u32(bytes, 4 * row));
}

void store_scale(Type type, std::span<uint8_t> bytes, size_t row, float scale) {
  if (type != Type::iq1_bn) return blocks::store_u32(bytes, 4 * row, std::bit_cast<uint32_t>(scale));
  const uint16_t half = f16::from_float(scale);
  if (std::bit_cast<uint32_t>(f16::to_float(half)) != std::bit_cast<uint32_t>(scale)) {
    refuse(type, "the scale " + std::to_string(scale) + " is no fp16 number; round it first");
  }
  blocks::store_u16(bytes, 0, half);
}

}  // namespace

const Format& format(Type type) {
  return kFormats[static_cast<size_t>(type)];
}

size_t row_bytes(Type type, size_t k) {
  if (k == 0 || k % kBlock != 0) refuse(type, "K = " + std::to_string(k) + " is not a positive multiple of 64");
  return format(type).header + k / kBlock * format(type).block;
}

size_t k_of(Type type, size_t bytes) {
  const Format& f = format(type);
  if (bytes <= f.header || (bytes - f.header) % f.block != 0) {
    refuse(type, std::to_string(bytes) + " bytes are no row; pass " + std::to_string(f.header) +
                     " of scales and whole blocks of " + std::to_string(f.block));
  }
  return (bytes - f.header) / f.block * kBlock;
}

Position position(Type type, size_t row, size_t e) {
  const Format& f = format(type);
  const size_t at = f.header + e / kBlock * f.block;
  const size_t i = e % kBlock;
  switch (type) {
    case Type::iq1_bn:
      if (i % 16 == 15) return {at + 12, static_cast<int>(i / 16)};
      return {at + i / 16 * 3 + i % 16 / 5, static_cast<int>(i % 16 % 5)};
    case Type::iq2_bn:
      return {at + i % 16, static_cast<int>(i / 16 * 2)};
    case Type::iq2_bn_r4:
      return {at + 16 * (i / 16) + 4 * row + i % 4, static_cast<int>(i / 4 % 4 * 2)};
  }
  return {};
}

int trit(uint8_t byte, int j) {
  return ((byte * kPowers[4 - j] & 255) * 3) >> 8;
}

Rows unpack(Type type, std::span<const uint8_t> bytes) {
  const size_t k = k_of(type, bytes.size());
  Rows rows;
  for (size_t row = 0; row < format(type).rows; ++row) {
    rows.scales.push_back(load_scale(type, bytes, row));
    for (size_t e = 0; e < k; ++e) {
      const Position p = position(type, row, e);
      const int code = type == Type::iq1_bn ? trit(bytes[p.byte], p.field) : bytes[p.byte] >> p.field & 3;
      rows.codes.push_back(static_cast<uint8_t>(code));
    }
  }
  return rows;
}

void pack(Type type, const Rows& rows, std::span<uint8_t> bytes) {
  const Format& f = format(type);
  const size_t k = rows.codes.size() / f.rows;
  if (rows.scales.size() != f.rows || rows.codes.size() != k * f.rows) {
    refuse(type, "pass " + std::to_string(f.rows) + " rows, a scale for each");
  }
  if (bytes.size() != row_bytes(type, k)) {
    refuse(type, std::to_string(bytes.size()) + " bytes for K = " + std::to_string(k) + "; pass exactly " +
                     std::to_string(row_bytes(type, k)));
  }
  std::fill(bytes.begin(), bytes.end(), uint8_t{0});
  for (size_t row = 0; row < f.rows; ++row) {
    for (size_t e = 0; e < k; ++e) {
      const int code = rows.codes[row * k + e];
      if (code > f.largest_code) {
        refuse(type, "code " + std::to_string(code) + " at element " + std::to_string(e) + "; codes go from 0 to " +
                         std::to_string(f.largest_code));
      }
      // trits are collected as the number v, at most 242, and become bytes below
      const Position p = position(type, row, e);
      const int field = type == Type::iq1_bn ? code * kPowers[p.field] : code << p.field;
      bytes[p.byte] = static_cast<uint8_t>(bytes[p.byte] + field);
    }
  }
  if (type == Type::iq1_bn) {
    for (uint8_t& v : bytes.subspan(f.header)) v = static_cast<uint8_t>((256 * v + 242) / 243);
  }
  for (size_t row = 0; row < f.rows; ++row) store_scale(type, bytes, row, rows.scales[row]);
}

}  // namespace tritcheck::iq_bn
