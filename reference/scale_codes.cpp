#include "reference/scale_codes.h"

#include <stdexcept>

namespace tritcheck::ggml {
namespace {

int32_t as_stored(uint8_t stored) {
  return stored;
}

int32_t ue4m3(uint8_t bits) {
  if (bits > 0x7F) throw std::domain_error("nvfp4: a scale above 0x7F is undefined");
  if (bits == 0x7F) return 0;
  const int exponent = bits >> 3;
  const int mantissa = bits & 7;
  return exponent == 0 ? mantissa : (8 + mantissa) << (exponent - 1);  // times 2^-10
}

constexpr uint8_t kE8m0Edges[] = {128, 0, 1, 2, 3, 127, 250};
constexpr uint8_t kE8m0Specials[] = {0, 1, 2, 127, 128, 200, 100, 64, 90, 150, 30, 254};
constexpr uint8_t kUe4m3Edges[] = {0x38, 0x7F, 0x7E, 0x01, 0x07, 0x08, 0x00};
constexpr uint8_t kUe4m3Specials[] = {0x00, 0x7F, 0x01, 0x07, 0x08, 0x7E, 0x38, 0x10, 0x78, 0x02, 0x40, 0x20};

}  // namespace

constinit const ScaleCode kU4{
    .bits = 4, .number = as_stored, .low = 1, .high = 15, .near_one = {0, 15}, .common = {0, 15}, .marks = {1, 15}};
constinit const ScaleCode kU6{
    .bits = 6, .number = as_stored, .low = 1, .high = 63, .near_one = {0, 63}, .common = {0, 63}, .marks = {1, 63}};
constinit const ScaleCode kU6Offset32{.bits = 6,
                                      .offset = 32,
                                      .number = [](uint8_t stored) { return int32_t{stored} - 32; },
                                      .one = 33,
                                      .low = 0,
                                      .high = 63,
                                      .near_one = {0, 63},
                                      .common = {0, 63},
                                      .marks = {0, 63}};
constinit const ScaleCode kI8{.bits = 8,
                              .is_signed = true,
                              .number = [](uint8_t stored) { return int32_t{static_cast<int8_t>(stored)}; },
                              .low = 0x80,
                              .high = 0x7F,
                              .near_one = {0, 255},
                              .common = {0, 255},
                              .marks = {0, 255}};
constinit const ScaleCode kE8m0{
    .bits = 8,
    .floating = true,
    .number = [](uint8_t) { return int32_t{1}; },
    .one = 128,
    .low = 121,   // 2^-7
    .high = 135,  // 2^7
    .near_one = {124, 131},
    .common = {124, 131},
    .marks = {110, 139},
    .tamed = [](uint8_t stored) { return static_cast<uint8_t>(120 + stored % 16); },
    .edges = kE8m0Edges,
    .specials = kE8m0Specials,
    .denormal_below = 2,
};
constinit const ScaleCode kUe4m3{
    .bits = 8,
    .floating = true,
    .number = ue4m3,
    .one = 0x38,
    .low = 0x01,
    .high = 0x7E,
    .near_one = {1, 31},
    .common = {1, 0x7E},
    .marks = {1, 0x60},
    .tamed = [](uint8_t stored) { return static_cast<uint8_t>(stored & 0x7F); },
    .edges = kUe4m3Edges,
    .specials = kUe4m3Specials,
    .denormal_below = 8,
    .not_a_number = 0x7F,
};

}  // namespace tritcheck::ggml
