// A ggml library of a chosen era, with two types and right functions unless told otherwise. Own code: only the places
// of the fields are those of the real libraries.
//
//   FAKE_ERA     4, 3, 2 (pointers to one table), 120 and 128 (by value), 0 (no table, only symbols)
//   FAKE_COUNT   entries of the table; getters abort behind them if FAKE_ASSERTS is defined
//   FAKE_SCORE   what ggml_backend_score says
//   FAKE_NO_INIT no ggml_cpu_init of its own
//   FAKE_NO_BASE only the second table's getter
//   FAKE_FAULT   the products lose their last block
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "reference/half.h"
#include "reference/q8_0.h"
#include "reference/q8_k.h"
#include "reference/tq2_0.h"

#ifndef FAKE_ERA
#define FAKE_ERA 4
#endif
#ifndef FAKE_COUNT
#define FAKE_COUNT 43
#endif

namespace {

using namespace tritcheck;

// As the real ones: the table of halves is empty until somebody fills it.
bool g_ready = false;
float half(uint16_t bits) {
  return g_ready ? f16::to_float(bits) : 0.0F;
}

size_t blocks_of(int n, size_t elements) {
  size_t blocks = static_cast<size_t>(n) / elements;
#ifdef FAKE_FAULT
  if (blocks > 1) --blocks;
#endif
  return blocks;
}

void q8_0_to_float(const void* x, float* y, int64_t k) {
  const auto* bytes = static_cast<const uint8_t*>(x);
  for (int64_t b = 0; b < k / 32; ++b) {
    const q8_0::Block block = q8_0::unpack({bytes + b * 34, 34});
    for (int64_t e = 0; e < 32; ++e)
      y[b * 32 + e] = half(block.d) * static_cast<float>(block.q[static_cast<size_t>(e)]);
  }
}

void q8_0_from_float(const float* x, void* y, int64_t k) {
  q8_0::quantize_row(q8_0::Variant::ref, {x, static_cast<size_t>(k)},
                     {static_cast<uint8_t*>(y), static_cast<size_t>(k / 32 * 34)});
}

void tq2_0_to_float(const void* x, float* y, int64_t k) {
  const auto* bytes = static_cast<const uint8_t*>(x);
  for (int64_t b = 0; b < k / 256; ++b) {
    const tq2_0::Block block = tq2_0::unpack({bytes + b * 66, 66});
    for (int64_t e = 0; e < 256; ++e) {
      y[b * 256 + e] = half(block.d) * static_cast<float>(int{block.codes[static_cast<size_t>(e)]} - 1);
    }
  }
}

}  // namespace

extern "C" {

void ggml_vec_dot_q8_0_q8_0(int n, float* s, size_t, const void* vx, size_t, const void* vy, size_t, int) {
  const auto* x = static_cast<const uint8_t*>(vx);
  const auto* y = static_cast<const uint8_t*>(vy);
  float sum = 0;
  for (size_t b = 0; b < blocks_of(n, 32); ++b) {
    const q8_0::Block a = q8_0::unpack({x + b * 34, 34});
    const q8_0::Block c = q8_0::unpack({y + b * 34, 34});
    int product = 0;
    for (size_t e = 0; e < 32; ++e) product += a.q[e] * c.q[e];
    sum += half(a.d) * half(c.d) * static_cast<float>(product);
  }
  *s = sum;
}

void ggml_vec_dot_tq2_0_q8_K(int n, float* s, size_t, const void* vx, size_t, const void* vy, size_t, int) {
  const auto* x = static_cast<const uint8_t*>(vx);
  const auto* y = static_cast<const uint8_t*>(vy);
  float sum = 0;
  for (size_t b = 0; b < blocks_of(n, 256); ++b) {
    const tq2_0::Block a = tq2_0::unpack({x + b * 66, 66});
    const q8_k::Block c = q8_k::unpack({y + b * 292, 292});
    int product = 0;
    for (size_t e = 0; e < 256; ++e) product += (a.codes[e] - 1) * c.q[e];
    sum += half(a.d) * c.d * static_cast<float>(product);
  }
  *s = sum;
}

#ifndef FAKE_NO_INIT
void ggml_cpu_init() {
  g_ready = true;
}
#endif

#ifdef FAKE_SCORE
int ggml_backend_score() {
  return FAKE_SCORE;
}
#endif

const char* ggml_version() {
  return "fake 1";
}

}  // extern "C"

#if FAKE_ERA != 0

namespace {

#if FAKE_ERA == 4
constexpr size_t kBase = 56, kCpu = 32, kFrom = 0, kDot = 8, kDotType = 16, kRows = 24;
#elif FAKE_ERA == 3
constexpr size_t kBase = 64, kCpu = 56, kFrom = 48, kDot = 8, kDotType = 16, kRows = 24;
#else
constexpr size_t kBase = FAKE_ERA == 128 ? 128 : 120, kCpu = 0, kFrom = 48, kDot = 72, kDotType = 80, kRows = 88;
#endif
constexpr size_t kRef = FAKE_ERA == 4 ? 48 : 56;

struct Tables {
  std::array<unsigned char, kBase * FAKE_COUNT> base{};
  std::array<unsigned char, (kCpu == 0 ? 1 : kCpu) * FAKE_COUNT> cpu{};

  template <class T>
  void put(int id, bool in_base, size_t at, T value) {
    unsigned char* entry =
        in_base || kCpu == 0 ? &base[static_cast<size_t>(id) * kBase] : &cpu[static_cast<size_t>(id) * kCpu];
    std::memcpy(entry + at, &value, sizeof value);
  }

  void type(int id, const char* name, int64_t elements, size_t bytes) {
    put(id, true, 0, name);
    put(id, true, 8, elements);
    put(id, true, 24, bytes);
    put(id, false, kRows, int64_t{1});
  }

  Tables() {
    type(0, "f32", 1, 4);
    type(4, "a name of a removed type", 0, 0);
    type(8, "q8_0", 32, 34);
    // ik_llama.cpp's blocks have another length
    type(15, "q8_K", 256, FAKE_ERA == 128 ? 296 : 292);
    put(8, true, 40, &q8_0_to_float);
    put(8, true, kRef, &q8_0_from_float);
    put(8, FAKE_ERA == 3, kFrom, &q8_0_from_float);
    put(8, false, kDot, &ggml_vec_dot_q8_0_q8_0);
    put(8, false, kDotType, int32_t{8});
    if (FAKE_COUNT > 35) {
      type(35 % FAKE_COUNT, "tq2_0", 256, 66);
      put(35 % FAKE_COUNT, true, 40, &tq2_0_to_float);
      put(35 % FAKE_COUNT, false, kDot, &ggml_vec_dot_tq2_0_q8_K);
      put(35 % FAKE_COUNT, false, kDotType, int32_t{15});
    }
  }
};
const Tables& tables() {
  static const Tables all;
  return all;
}

void check([[maybe_unused]] int id) {
#ifdef FAKE_ASSERTS
  if (id < 0 || id >= FAKE_COUNT) std::abort();
#endif
}

}  // namespace

extern "C" {

#if FAKE_ERA == 120 || FAKE_ERA == 128
struct ByValue {
  unsigned char bytes[kBase];
};
ByValue ggml_internal_get_type_traits(int id) {
  check(id);
  ByValue entry;
  std::memcpy(entry.bytes, &tables().base[static_cast<size_t>(id % FAKE_COUNT) * kBase], kBase);
  return entry;
}
#else
#ifndef FAKE_NO_BASE
const void* ggml_get_type_traits(int id) {
  check(id);
  return tables().base.data() + static_cast<size_t>(id) * kBase;
}
#endif
#if FAKE_ERA >= 3
const void* ggml_get_type_traits_cpu(int id) {
  check(id);
  return tables().cpu.data() + static_cast<size_t>(id) * kCpu;
}
#endif
#endif

}  // extern "C"

#endif
