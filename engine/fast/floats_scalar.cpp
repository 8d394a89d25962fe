#include <algorithm>
#include <bit>

#include "engine/fast/floats.h"
#include "kernels/features.h"
#include "reference/half.h"

namespace tritcheck::engine {
namespace {

// The exponent moved by a multiplication, which is exact: a binary16 denormal becomes a normal float32. What has all
// exponent bits set must get all of them again.
float from_f16(uint16_t bits) {
  const uint32_t shifted = static_cast<uint32_t>(bits & 0x7FFF) << 13;
  const auto moved = std::bit_cast<uint32_t>(std::bit_cast<float>(shifted) * 0x1p112F);
  const uint32_t special = shifted >= 0x0F800000U ? 0x7F800000U : 0;
  return std::bit_cast<float>(moved | special | static_cast<uint32_t>(bits & 0x8000) << 16);
}

float tree(float* lane) {
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int l = 0; l < width; ++l) lane[l] += lane[l + width];
  }
  return lane[0];
}

template <class Load>
float dot(Load load, const float* b, int64_t n) {
  float lane[kLanes] = {};
  int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (int l = 0; l < kLanes; ++l) lane[l] += load(j + l) * b[j + l];
  }
  for (int l = 0; j < n; ++j, ++l) lane[l] += load(j) * b[j];
  return tree(lane);
}

float dot_f32(const float* a, const float* b, int64_t n) {
  return dot([a](int64_t j) { return a[j]; }, b, n);
}
float dot_f16(const uint16_t* w, const float* b, int64_t n) {
  return dot([w](int64_t j) { return from_f16(w[j]); }, b, n);
}
float dot_bf16(const uint16_t* w, const float* b, int64_t n) {
  return dot([w](int64_t j) { return std::bit_cast<float>(static_cast<uint32_t>(w[j]) << 16); }, b, n);
}

// As whole numbers the magnitudes keep their order, and infinity and NaN are above all others.
float largest(const float* x, int64_t n) {
  uint32_t most = 0;
  for (int64_t j = 0; j < n; ++j) most = std::max(most, std::bit_cast<uint32_t>(x[j]) & 0x7FFFFFFF);
  return std::bit_cast<float>(most);
}

int32_t quantize(const float* x, float scale, int8_t* q, int64_t n) {
  constexpr float kWhole = 0x1.8p23F;  // added to a small number, this leaves no bits for a fraction
  int32_t sum = 0;
  for (int64_t j = 0; j < n; ++j) {
    const auto code = static_cast<int32_t>(x[j] * scale + kWhole - kWhole);
    q[j] = static_cast<int8_t>(code);
    sum += code;
  }
  return sum;
}

}  // namespace

const FloatOps kFloatScalar = {dot_f32, dot_f16, dot_bf16, largest, quantize};

const FloatOps& float_ops() {
#if defined(__x86_64__)
  static const Features features = detect();
  if (features.avx2 && features.f16c) return kFloatAvx2;
#endif
  return kFloatScalar;
}

}  // namespace tritcheck::engine
