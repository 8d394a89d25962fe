// Random numbers that are the same bits on every machine. The standard engines are portable, the standard
// distributions are not; here both are ours.
//
//   Prng rng(seed);
//   int8_t q = static_cast<int8_t>(rng.between(-128, 127));
#pragma once

#include <cstdint>
#include <string_view>

namespace tritcheck {

/// SplitMix64 (Steele, Lea, Flood 2014): one 64-bit state, period 2^64, every seed good.
class Prng {
 public:
  explicit Prng(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, n), n > 0. Lemire's multiply-shift: off by at most n / 2^64 from uniform.
  uint64_t below(uint64_t n) {
    // the high half of a 64 x 64 multiplication, by 32-bit parts: the same on every compiler
    const uint64_t x = next();
    const uint64_t lo = (x & 0xFFFFFFFFU) * (n & 0xFFFFFFFFU);
    const uint64_t m1 = (x >> 32) * (n & 0xFFFFFFFFU) + (lo >> 32);
    const uint64_t m2 = (x & 0xFFFFFFFFU) * (n >> 32) + (m1 & 0xFFFFFFFFU);
    return (x >> 32) * (n >> 32) + (m1 >> 32) + (m2 >> 32);
  }

  /// Uniform in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

/// FNV-1a, 64 bits: mixes a case's text into the global seed, so that filters and shards never change data.
constexpr uint64_t hash_text(std::string_view text, uint64_t seed = 0) {
  uint64_t h = 0xCBF29CE484222325U ^ seed;
  for (char c : text) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001B3U;
  return h;
}

}  // namespace tritcheck
