// I2_S products as bitnet.cpp and its forks have had them (formats.md 3.4): one signature, several conventions.
//
//   FAKE_LAYOUT   128 or 64 weights in a block, 4 for the linear order
//   FAKE_CENTRED  sum((code - 1) * q)
//   FAKE_NRC      1: ignored; 2: weight rows at K / 4; 3: multiples of 4 are activation rows, else weight rows
//   FAKE_EMPTY    nothing is written
//   FAKE_INT16    sums of 32 blocks in 16 bits
#include <cstddef>
#include <cstdint>

namespace {

#ifndef FAKE_LAYOUT
#define FAKE_LAYOUT 128
#endif
#ifndef FAKE_NRC
#define FAKE_NRC 1
#endif

int code(const uint8_t* row, int64_t e) {
#if FAKE_LAYOUT == 4
  return row[e / 4] >> (6 - 2 * (e % 4)) & 3;
#else
  constexpr int64_t plane = FAKE_LAYOUT / 4;
  return row[e / FAKE_LAYOUT * plane + e % plane] >> (6 - 2 * (e % FAKE_LAYOUT / plane)) & 3;
#endif
}

[[maybe_unused]] float product(int n, const uint8_t* row, const int8_t* q) {
  int32_t sum = 0;
#ifdef FAKE_INT16
  // 16 lanes of eight products a block, as pairwise multiply-adds make them: wraps where a real kernel's lanes do
  for (int64_t from = 0; from < n; from += 32 * 128) {
    int16_t lanes[16] = {};
    for (int64_t e = from; e < n && e < from + 32 * 128; ++e) {
      int16_t& lane = lanes[e % 32 / 2];
      lane = static_cast<int16_t>(lane + code(row, e) * q[e]);
    }
    for (const int16_t lane : lanes) sum += lane;
  }
#else
  for (int64_t e = 0; e < n; ++e) sum += code(row, e) * q[e];
#endif
#ifdef FAKE_CENTRED
  for (int64_t e = 0; e < n; ++e) sum -= q[e];
#endif
  return static_cast<float>(sum);
}

}  // namespace

extern "C" void ggml_vec_dot_i2_i8_s([[maybe_unused]] int n, [[maybe_unused]] float* s, [[maybe_unused]] size_t bs,
                                     [[maybe_unused]] const void* vx, [[maybe_unused]] size_t bx,
                                     [[maybe_unused]] const void* vy, [[maybe_unused]] size_t by,
                                     [[maybe_unused]] int nrc) {
#ifndef FAKE_EMPTY
  const auto* x = static_cast<const uint8_t*>(vx);
  const auto* y = static_cast<const int8_t*>(vy);
#if FAKE_NRC == 1
  s[0] = product(n, x, y);
#elif FAKE_NRC == 2
  for (int i = 0; i < nrc; ++i) s[i] = product(n, x + static_cast<size_t>(i) * static_cast<size_t>(n) / 4, y);
#else
  for (int i = 0; i < nrc; ++i) {
    if (nrc % 4 == 0) {
      s[static_cast<size_t>(i) * bs] = product(n, x, y + static_cast<size_t>(i) * by);
    } else {
      s[i] = product(n, x + (i == 0 ? 0 : static_cast<size_t>(i) * bx / 4), y);
    }
  }
#endif
#endif
}
