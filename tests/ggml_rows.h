// Rows of weights and activations in ggml's formats, for the tests of their dot products.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "reference/ggml_dot.h"
#include "reference/half.h"
#include "reference/q8_0.h"
#include "reference/q8_1.h"
#include "reference/q8_k.h"
#include "tests/block_bytes.h"

namespace tritcheck::ggml {

/// What the numbers of a row are drawn from.
struct Draw {
  std::function<float(Prng&)> scale;              ///< of both sides, d and c and s
  std::function<uint8_t(Prng&, Type)> sub_scale;  ///< as it is stored; mxfp4's is its only one
  std::function<uint8_t(Prng&)> minimum;          ///< below 16
  std::function<uint8_t(Prng&, int count)> code;  ///< below count
  std::function<int8_t(Prng&)> q;
};

inline Bytes weights_row(Type type, size_t k, Prng& rng, const Draw& draw) {
  const blocks::Format& f = format(type);
  Bytes row(k / f.elements * f.bytes);
  for (size_t b = 0; b < k / f.elements; ++b) {
    const std::span<uint8_t> bytes = std::span(row).subspan(b * f.bytes, f.bytes);
    Fields fields = unpack(type, bytes);
    fields.d = f16::from_float(draw.scale(rng));
    fields.c = f16::from_float(draw.scale(rng));
    for (auto& one : fields.codes) one = draw.code(rng, traits(type).code_count);
    for (auto& one : fields.scales) one = draw.sub_scale(rng, type);
    for (auto& one : fields.minima) one = draw.minimum(rng);
    pack(type, fields, bytes);
  }
  return row;
}

/// q8_K's bsums are what they must be; q8_1's s is anything.
inline Bytes acts_row(Acts acts, size_t k, Prng& rng, const Draw& draw) {
  const blocks::Format& f = format(acts);
  Bytes row(k / f.elements * f.bytes);
  for (size_t b = 0; b < k / f.elements; ++b) {
    const std::span<uint8_t> bytes = std::span(row).subspan(b * f.bytes, f.bytes);
    q8_k::Block block;
    for (auto& q : block.q) q = draw.q(rng);
    block.d = draw.scale(rng);
    block.bsums = q8_k::sums_of(block.q);
    q8_0::Block small;
    std::copy_n(block.q.begin(), small.q.size(), small.q.begin());
    small.d = f16::from_float(block.d);
    if (acts == Acts::q8_k) q8_k::pack(block, bytes);
    if (acts == Acts::q8_0) q8_0::pack(small, bytes);
    if (acts == Acts::q8_1) q8_1::pack({small.q, small.d, f16::from_float(draw.scale(rng))}, bytes);
  }
  return row;
}

/// Any legal contents with scales of moderate size, of either sign.
inline Draw anything() {
  Draw draw;
  draw.scale = [](Prng& rng) { return static_cast<float>(rng.unit() * 8 - 4); };
  draw.sub_scale = [](Prng& rng, Type type) {
    if (type == Type::mxfp4) return static_cast<uint8_t>(rng.between(118, 138));
    const uint64_t count = type == Type::q2_k ? 16 : type == Type::q6_k ? 256 : type == Type::nvfp4 ? 128 : 64;
    return static_cast<uint8_t>(rng.below(count));
  };
  draw.minimum = [](Prng& rng) { return static_cast<uint8_t>(rng.below(16)); };
  draw.code = [](Prng& rng, int count) { return static_cast<uint8_t>(rng.below(static_cast<uint64_t>(count))); };
  draw.q = [](Prng& rng) { return static_cast<int8_t>(rng.between(-128, 127)); };
  return draw;
}

/// A row of activations taken apart, whatever its format.
struct ActsNumbers {
  std::vector<int> q;    ///< of each element
  std::vector<float> d;  ///< of each element
  std::vector<float> s;  ///< of each block of q8_1
};
inline ActsNumbers acts_numbers(Acts acts, const Bytes& row) {
  ActsNumbers out;
  const auto take = [&](const auto& block, float d) {
    out.q.insert(out.q.end(), block.q.begin(), block.q.end());
    out.d.insert(out.d.end(), block.q.size(), d);
  };
  const blocks::Format& f = format(acts);
  for (size_t b = 0; b < row.size() / f.bytes; ++b) {
    const auto bytes = blocks::nth(f, row, b);
    if (acts == Acts::q8_0) take(q8_0::unpack(bytes), f16::to_float(q8_0::unpack(bytes).d));
    if (acts == Acts::q8_1) take(q8_1::unpack(bytes), f16::to_float(q8_1::unpack(bytes).d));
    if (acts == Acts::q8_1) out.s.push_back(f16::to_float(q8_1::unpack(bytes).s));
    if (acts == Acts::q8_k) take(q8_k::unpack(bytes), q8_k::unpack(bytes).d);
  }
  return out;
}

}  // namespace tritcheck::ggml
