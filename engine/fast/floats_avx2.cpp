#include <immintrin.h>

#include <type_traits>

#include "engine/fast/floats.h"

namespace tritcheck::engine {
namespace {

constexpr int kLanes = 16;

struct F32 {
  const float* w;
  __m256 load(int64_t j) const { return _mm256_loadu_ps(w + j); }
};

struct Bf16 {
  const uint16_t* w;
  __m256 load(int64_t j) const {
    const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w + j)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
  }
};

// As in floats_scalar.cpp; F16C is an instruction set of its own, and not needed.
struct F16 {
  const uint16_t* w;
  __m256 load(int64_t j) const {
    const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w + j)));
    const __m256i shifted = _mm256_slli_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(0x7FFF)), 13);
    const __m256 moved = _mm256_mul_ps(_mm256_castsi256_ps(shifted), _mm256_set1_ps(0x1p112F));
    const __m256i special =
        _mm256_and_si256(_mm256_cmpgt_epi32(shifted, _mm256_set1_epi32(0x0F7FFFFF)), _mm256_set1_epi32(0x7F800000));
    const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(0x8000)), 16);
    return _mm256_or_ps(moved, _mm256_castsi256_ps(_mm256_or_si256(special, sign)));
  }
};

template <class W>
float dot(W w, const float* b, int64_t n) {
  __m256 low = _mm256_setzero_ps();
  __m256 high = _mm256_setzero_ps();
  int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    low = _mm256_add_ps(low, _mm256_mul_ps(w.load(j), _mm256_loadu_ps(b + j)));
    high = _mm256_add_ps(high, _mm256_mul_ps(w.load(j + 8), _mm256_loadu_ps(b + j + 8)));
  }
  float lane[kLanes];
  _mm256_storeu_ps(lane, low);
  _mm256_storeu_ps(lane + 8, high);
  if (j < n) {
    // a part of a step: the elements there are, and zeros whose products are not added
    std::remove_const_t<std::remove_pointer_t<decltype(w.w)>> rest[kLanes] = {};
    for (int64_t l = 0; l < n - j; ++l) rest[l] = w.w[j + l];
    float product[kLanes];
    float act[kLanes] = {};
    for (int64_t l = 0; l < n - j; ++l) act[l] = b[j + l];
    const W tail{rest};
    _mm256_storeu_ps(product, _mm256_mul_ps(tail.load(0), _mm256_loadu_ps(act)));
    _mm256_storeu_ps(product + 8, _mm256_mul_ps(tail.load(8), _mm256_loadu_ps(act + 8)));
    for (int64_t l = 0; l < n - j; ++l) lane[l] += product[l];
  }
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int l = 0; l < width; ++l) lane[l] += lane[l + width];
  }
  return lane[0];
}

float dot_f32(const float* a, const float* b, int64_t n) {
  return dot(F32{a}, b, n);
}
float dot_f16(const uint16_t* w, const float* b, int64_t n) {
  return dot(F16{w}, b, n);
}
float dot_bf16(const uint16_t* w, const float* b, int64_t n) {
  return dot(Bf16{w}, b, n);
}

}  // namespace

const FloatOps kFloatAvx2 = {dot_f32, dot_f16, dot_bf16};

}  // namespace tritcheck::engine
