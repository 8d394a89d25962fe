// Compiled with F16C too: every CPU with AVX2 has it, and float_ops() asks for both.
#include <immintrin.h>

#include <bit>
#include <type_traits>

#include "engine/fast/floats.h"

namespace tritcheck::engine {
namespace {

constexpr int kVectors = kLanes / 8;

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

struct F16 {
  const uint16_t* w;
  __m256 load(int64_t j) const { return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w + j))); }
};

template <class W>
float dot(W w, const float* b, int64_t n) {
  __m256 sums[kVectors];
  for (__m256& s : sums) s = _mm256_setzero_ps();
  int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (int v = 0; v < kVectors; ++v)
      sums[v] = _mm256_add_ps(sums[v], _mm256_mul_ps(w.load(j + 8 * v), _mm256_loadu_ps(b + j + 8 * v)));
  }
  float lane[kLanes];
  for (int v = 0; v < kVectors; ++v) _mm256_storeu_ps(lane + 8 * v, sums[v]);
  if (j < n) {
    // a part of a step: the elements there are, and zeros whose products are not added
    std::remove_const_t<std::remove_pointer_t<decltype(w.w)>> rest[kLanes] = {};
    float act[kLanes] = {};
    float product[kLanes];
    for (int64_t l = 0; l < n - j; ++l) {
      rest[l] = w.w[j + l];
      act[l] = b[j + l];
    }
    const W tail{rest};
    for (int v = 0; v < kVectors; ++v)
      _mm256_storeu_ps(product + 8 * v, _mm256_mul_ps(tail.load(8 * v), _mm256_loadu_ps(act + 8 * v)));
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

int32_t sum32(__m256i v) {
  int32_t lane[8];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lane), v);
  int32_t sum = 0;
  for (int32_t l : lane) sum += l;
  return sum;
}

float largest(const float* x, int64_t n) {
  const __m256i magnitude = _mm256_set1_epi32(0x7FFFFFFF);
  __m256i most = _mm256_setzero_si256();
  int64_t j = 0;
  for (; j + 8 <= n; j += 8) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + j));
    most = _mm256_max_epu32(most, _mm256_and_si256(bits, magnitude));
  }
  uint32_t lane[8];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lane), most);
  uint32_t out = std::bit_cast<uint32_t>(kFloatScalar.largest(x + j, n - j));
  for (uint32_t l : lane) out = l > out ? l : out;
  return std::bit_cast<float>(out);
}

int32_t quantize(const float* x, float scale, int8_t* q, int64_t n) {
  const __m256 factor = _mm256_set1_ps(scale);
  __m256i sum = _mm256_setzero_si256();
  int64_t j = 0;
  for (; j + 16 <= n; j += 16) {
    // the conversion rounds to the nearest, ties to even, unless somebody changed the mode
    const __m256i low = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + j), factor));
    const __m256i high = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + j + 8), factor));
    sum = _mm256_add_epi32(sum, _mm256_add_epi32(low, high));
    // packing works within 128-bit halves: put the four pieces in order
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xD8);
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(q + j), bytes);
  }
  return sum32(sum) + kFloatScalar.quantize(x + j, scale, q + j, n - j);
}

}  // namespace

const FloatOps kFloatAvx2 = {dot_f32, dot_f16, dot_bf16, largest, quantize};

}  // namespace tritcheck::engine
