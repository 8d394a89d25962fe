// Right pieces the broken kernels share, so that each of them has one defect and no other. Everything is static: these
// files are compiled for different instruction sets, and an inline function must not wander from one to another.
#pragma once

#include <cstdint>
#include <cstring>

namespace tritcheck::museum {

/// Code 0..3 of a byte; field 0 is the most significant.
static inline int code(uint8_t byte, int field) {
  return (byte >> (6 - 2 * field)) & 3;
}

/// sum(code * q) of one block: kGroup bytes hold 4 * kGroup weights in four planes of kGroup (x86_128: 32, arm_64: 16).
template <int kGroup>
static inline int32_t block(const uint8_t* w, const int8_t* q) {
  int32_t sum = 0;
  for (int i = 0; i < kGroup; ++i) {
    for (int plane = 0; plane < 4; ++plane) sum += code(w[i], plane) * q[plane * kGroup + i];
  }
  return sum;
}

/// sum(code * q) of one row.
template <int kGroup>
static inline int32_t dot(int64_t k, const uint8_t* w, const int8_t* q) {
  int32_t sum = 0;
  for (int64_t b = 0; b < k / (4 * kGroup); ++b) sum += block<kGroup>(w + b * kGroup, q + b * 4 * kGroup);
  return sum;
}

static inline int32_t sum_of(int64_t k, const int8_t* q) {
  int32_t sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += q[i];
  return sum;
}

/// Row r of `p` when rows are `stride` elements apart; the strides of the contract are unsigned.
template <class T>
static inline T* row_at(T* p, int64_t r, size_t stride) {
  return p + static_cast<size_t>(r) * stride;
}

/// The fp32 at a byte address.
static inline float float_at(const uint8_t* bytes) {
  float value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Makes the compiler believe that `value` is used, so that the load it came from stays.
template <class T>
static inline void keep(const T& value) {
  asm volatile("" : : "m"(value) : "memory");
}

}  // namespace tritcheck::museum
