#include <cstdlib>
#include <stdexcept>
#include <string>

#include "reference/dot_tq.h"
#include "reference/half.h"

namespace tritcheck::tq {
namespace {

template <class WeightBlock>
BlockDot dot_block(const WeightBlock& x, const q8_k::Block& y, int offset) {
  BlockDot dot;
  for (size_t e = 0; e < y.q.size(); ++e) {
    const int q = y.q[e];
    dot.sum += (x.codes[e] - offset) * q;
    dot.magnitude += (x.codes[e] + 1) * std::abs(q);
  }
  dot.d_x = f16::to_float(x.d);
  dot.d_y = y.d;
  return dot;
}

BlockDot dot_block(Weights weights, std::span<const uint8_t> x, std::span<const uint8_t> y, size_t b) {
  const q8_k::Block activations = q8_k::unpack(blocks::nth(q8_k::kFormat, y, b));
  if (weights == Weights::tq1_0) {
    return dot_block(tq1_0::unpack(blocks::nth(tq1_0::kFormat, x, b)), activations, tq1_0::kOffset);
  }
  return dot_block(tq2_0::unpack(blocks::nth(tq2_0::kFormat, x, b)), activations, tq2_0::kOffset);
}

}  // namespace

Dot dot_explicit(Weights weights, std::span<const uint8_t> x, std::span<const uint8_t> y) {
  const blocks::Format& format = weights == Weights::tq1_0 ? tq1_0::kFormat : tq2_0::kFormat;
  const size_t count = blocks::count(format, "dot_explicit", x.size());
  if (count != blocks::count(q8_k::kFormat, "dot_explicit", y.size())) {
    throw std::invalid_argument("tq dot_explicit: " + std::to_string(count) + " blocks of weights and " +
                                std::to_string(y.size() / q8_k::kBytes) + " of activations; pass rows of the same K");
  }
  Dot dot;
  for (size_t b = 0; b < count; ++b) {
    const BlockDot block = dot_block(weights, x, y, b);
    dot.blocks.push_back(block);
    // the product is exact, so it makes no difference whether a compiler fuses it with the addition
    dot.total += double{block.d_x} * double{block.d_y} * static_cast<double>(block.sum);
  }
  return dot;
}

}  // namespace tritcheck::tq
