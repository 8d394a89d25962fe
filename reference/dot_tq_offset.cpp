#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "reference/dot_tq.h"
#include "reference/half.h"

namespace tritcheck::tq {
namespace {

// sum(code * q) and sum(code * |q|) of a block.
struct Raw {
  int64_t sum = 0;
  int64_t magnitude = 0;

  void add(unsigned code, int8_t q) {
    const int64_t product = int64_t{code} * q;
    sum += product;
    magnitude += product < 0 ? -product : product;
  }
};

// Two groups of 32 bytes; the lowest two bits of byte b of group g belong to element 128 g + b, the next two to the one
// 32 further, and so on.
Raw raw_tq2_0(const uint8_t* x, const int8_t* q) {
  Raw raw;
  for (size_t b = 0; b < 64; ++b) {
    unsigned rest = x[b];
    for (size_t e = b / 32 * 128 + b % 32; rest != 0; e += 32, rest /= 4) raw.add(rest % 4, q[e]);
  }
  return raw;
}

// `bytes` bytes of `trits` trits each, which belong to every bytes-th element. byte * 3^trits / 256 is the number that
// the trits write in base 3; its last digit is the last trit.
void add_trits(Raw& raw, const uint8_t* x, const int8_t* q, size_t bytes, size_t trits) {
  const unsigned power = trits == 5 ? 243 : 81;
  for (size_t b = 0; b < bytes; ++b) {
    unsigned rest = x[b] * power / 256;
    for (size_t t = trits; t-- > 0; rest /= 3) raw.add(rest % 3, q[t * bytes + b]);
  }
}

Raw raw_tq1_0(const uint8_t* x, const int8_t* q) {
  Raw raw;
  add_trits(raw, x, q, 32, 5);
  add_trits(raw, x + 32, q + 160, 16, 5);
  add_trits(raw, x + 48, q + 240, 4, 4);
  return raw;
}

// One block of activations where it lies.
struct Activations {
  explicit Activations(std::span<const uint8_t> bytes) {
    d = std::bit_cast<float>(bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24);
    for (size_t e = 0; e < 256; ++e) {
      q[e] = static_cast<int8_t>(bytes[4 + e]);
      sum += q[e];
      magnitude += q[e] < 0 ? -q[e] : q[e];
    }
    for (size_t at = 260; at < 292; at += 2) {
      const auto stored = static_cast<int16_t>(bytes[at] | bytes[at + 1] << 8);
      stored_sum += stored;
      stored_magnitude += stored < 0 ? -stored : stored;
    }
  }

  float d = 0;
  int8_t q[256] = {};
  int64_t sum = 0;
  int64_t magnitude = 0;
  int64_t stored_sum = 0;
  int64_t stored_magnitude = 0;
};

BlockDot dot_block(Weights weights, const uint8_t* x, std::span<const uint8_t> y, Offset offset) {
  const Activations activations(y);
  const Raw raw = weights == Weights::tq1_0 ? raw_tq1_0(x, activations.q) : raw_tq2_0(x, activations.q);
  const uint8_t* scale = x + (weights == Weights::tq1_0 ? 52 : 64);
  BlockDot dot;
  dot.sum = raw.sum - (offset == Offset::codes ? activations.sum : activations.stored_sum);
  dot.magnitude = raw.magnitude + activations.magnitude;
  if (offset == Offset::bsums) {
    dot.magnitude = raw.magnitude + std::max(activations.magnitude, activations.stored_magnitude);
  }
  dot.d_x = f16::to_float(static_cast<uint16_t>(scale[0] | scale[1] << 8));
  dot.d_y = activations.d;
  return dot;
}

}  // namespace

Dot dot_offset(Weights weights, std::span<const uint8_t> x, std::span<const uint8_t> y, Offset offset) {
  const size_t block_bytes = weights == Weights::tq1_0 ? 54 : 66;
  if (x.empty() || x.size() % block_bytes != 0 || y.size() != x.size() / block_bytes * 292) {
    throw std::invalid_argument("tq dot_offset: " + std::to_string(x.size()) + " bytes of weights and " +
                                std::to_string(y.size()) + " of activations; pass rows of the same K, in blocks of " +
                                std::to_string(block_bytes) + " and 292 bytes");
  }
  Dot dot;
  for (size_t b = 0; b < x.size() / block_bytes; ++b) {
    dot.blocks.push_back(dot_block(weights, x.data() + b * block_bytes, y.subspan(b * 292, 292), offset));
  }
  for (const BlockDot& block : dot.blocks) {
    dot.total += static_cast<double>(block.sum) * (double{block.d_x} * double{block.d_y});
  }
  return dot;
}

}  // namespace tritcheck::tq
