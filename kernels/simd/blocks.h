// What the kernels of ggml's formats of blocks share: the fields of their blocks, at any address. Internal linkage, as
// everything a kernel file compiles with its own flags; memcpy and not std::bit_cast, which is a shared inline
// function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tritcheck {
namespace {

/// Q8_K, the activations: a float32 scale, 256 codes, and the sums of 16 codes each as int16.
struct Q8K {
  static constexpr ptrdiff_t kBytes = 292;
  static constexpr ptrdiff_t kCodes = 4;
  static constexpr ptrdiff_t kSums = 260;
};

[[maybe_unused]] inline float load_float(const uint8_t* at) {
  float value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// The fp16 at `at`, exactly, if it is no normal number, whatever the CPU does with denormals.
[[maybe_unused, gnu::noinline, gnu::cold]] inline float load_abnormal_half(const uint8_t* at) {
  uint16_t half;
  std::memcpy(&half, at, sizeof half);
  uint32_t bits = (half & 0x7FFFU) << 13;
  if (bits >= 0x0F800000U) {  // infinity and NaN
    bits += (255U - 31U) << 23;
  } else {  // zero and denormals
    const float number = static_cast<float>(half & 0x03FFU) * 0x1p-24F;
    std::memcpy(&bits, &number, sizeof bits);
  }
  bits |= (half & 0x8000U) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The fp16 at `at`, exactly. In integers, because F16C is no part of AVX2. Of a normal number the exponent is moved,
/// sign and all, by one addition. The two bytes before it, which must be the block's too, are read with it: so the sign
/// comes into place by the same shift. The rest stands aside: here every instruction costs speed.
[[maybe_unused]] inline float load_half(const uint8_t* at) {
  int32_t word;
  std::memcpy(&word, at - 2, sizeof word);
  uint32_t bits = static_cast<uint32_t>(word >> 3) & 0x8FFFE000U;  // exponent in bits 23 to 27
  if (((bits + 0x00800000U) & 0x0F000000U) == 0) [[unlikely]]
    return load_abnormal_half(at);  // it is 0 or 31
  bits += (127U - 15U) << 23;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace
}  // namespace tritcheck

/// The exported symbol of a core: float row(int64_t blocks, const uint8_t* weights, const uint8_t* activations).
#define TRITCHECK_VEC_DOT_OF(symbol, row)                                                                \
  extern "C" void symbol(int n, float* s, size_t, const void* vx, size_t, const void* vy, size_t, int) { \
    *s = row(n / 256, static_cast<const uint8_t*>(vx), static_cast<const uint8_t*>(vy));                 \
  }
