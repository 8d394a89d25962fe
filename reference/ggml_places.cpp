// Where the numbers of each format are.
#include <stdexcept>
#include <string>

#include "reference/ggml_blocks.h"
#include "reference/q6_k.h"
#include "reference/q8_0.h"
#include "reference/tq1_0.h"
#include "reference/tq2_0.h"

namespace tritcheck::ggml {
namespace {

constexpr blocks::Format kFormats[] = {{"q4_0", 32, 18},   {"q4_1", 32, 20},     {"q5_0", 32, 22},   {"q5_1", 32, 24},
                                       {"q2_K", 256, 84},  {"q3_K", 256, 110},   {"q4_K", 256, 144}, {"q5_K", 256, 176},
                                       {"iq4_nl", 32, 18}, {"iq4_xs", 256, 136}, {"mxfp4", 32, 17},  {"nvfp4", 64, 36},
                                       {"q1_0", 128, 18},  {"q2_0", 64, 18},     q8_0::kFormat,      q6_k::kFormat,
                                       tq1_0::kFormat,     tq2_0::kFormat};
static_assert(std::size(kFormats) == std::size(kTypes));

// Four bits: elements 0..15 in the low halves of 16 bytes, 16..31 in the high ones.
Bits nibble(size_t at, size_t e) {
  return {at + e % 16, static_cast<int>(4 * (e / 16)), 4};
}

// The twelve bytes of eight six-bit scales and minima of q4_K and q5_K begin at byte 4.
Place six_bits(size_t i, bool minimum) {
  const size_t own = 4 + (minimum ? 4 : 0);
  if (i < 4) return {{own + i, 0, 6}, std::nullopt};
  return {{4 + i + 4, minimum ? 4 : 0, 4}, Bits{own + i - 4, 6, 2}};
}

Place q6_k_code(size_t e) {
  const q6_k::Position p = q6_k::position(e);
  return {{p.low_byte, p.low_shift, 4}, Bits{p.high_byte, p.high_shift, 2}};
}

[[noreturn]] void has_none(Type type, std::string_view what) {
  throw std::logic_error(std::string(format(type).name) + ": no " + std::string(what) + " has bits of its own");
}

}  // namespace

const blocks::Format& format(Type type) {
  return kFormats[static_cast<size_t>(type)];
}

size_t scales(Type type) {
  switch (type) {
    case Type::q2_k:
    case Type::q3_k:
    case Type::q6_k:
      return 16;
    case Type::q4_k:
    case Type::q5_k:
    case Type::iq4_xs:
      return 8;
    case Type::nvfp4:
      return 4;
    case Type::mxfp4:
      return 1;
    default:
      return 0;
  }
}

size_t minima(Type type) {
  return type == Type::q2_k ? 16 : type == Type::q4_k || type == Type::q5_k ? 8 : 0;
}

int code_count(Type type) {
  if (type == Type::tq1_0) return tq1_0::kLargestCode + 1;
  const Place place = code_place(type, 0);
  return 1 << (place.low.width + (place.high ? place.high->width : 0));
}

int code_offset(Type type) {
  switch (type) {
    case Type::q4_0:
      return 8;
    case Type::q5_0:
      return 16;
    case Type::q3_k:
      return 4;
    case Type::q6_k:
      return q6_k::kOffset;
    case Type::q2_0:
    case Type::tq1_0:
    case Type::tq2_0:
      return 1;
    default:
      return 0;
  }
}

Place code_place(Type type, size_t e) {
  const auto field = static_cast<int>(e % 128 / 32);
  const auto half64 = static_cast<int>(e % 64 / 32);
  switch (type) {
    case Type::q4_0:
    case Type::iq4_nl:
      return {nibble(2, e), std::nullopt};
    case Type::q4_1:
      return {nibble(4, e), std::nullopt};
    case Type::q5_0:
      return {nibble(6, e), Bits{2 + e / 8, static_cast<int>(e % 8), 1}};
    case Type::q5_1:
      return {nibble(8, e), Bits{4 + e / 8, static_cast<int>(e % 8), 1}};
    case Type::iq4_xs:
      return {nibble(8 + 16 * (e / 32), e % 32), std::nullopt};
    case Type::mxfp4:
      return {nibble(1, e), std::nullopt};
    case Type::nvfp4:
      return {{4 + 8 * (e / 16) + e % 8, static_cast<int>(4 * (e % 16 / 8)), 4}, std::nullopt};
    case Type::q1_0:
      return {{2 + e / 8, static_cast<int>(e % 8), 1}, std::nullopt};
    case Type::q2_0:
      return {{2 + e / 4, static_cast<int>(2 * (e % 4)), 2}, std::nullopt};
    case Type::q2_k:
      return {{16 + 32 * (e / 128) + e % 32, 2 * field, 2}, std::nullopt};
    case Type::q3_k:
      return {{32 + 32 * (e / 128) + e % 32, 2 * field, 2}, Bits{e % 32, static_cast<int>(4 * (e / 128)) + field, 1}};
    case Type::q4_k:
      return {{16 + 32 * (e / 64) + e % 32, 4 * half64, 4}, std::nullopt};
    case Type::q5_k:
      return {{48 + 32 * (e / 64) + e % 32, 4 * half64, 4},
              Bits{16 + e % 32, static_cast<int>(2 * (e / 64)) + half64, 1}};
    case Type::q8_0:
      return {{2 + e, 0, 8}, std::nullopt};
    case Type::q6_k:
      return q6_k_code(e);
    case Type::tq2_0:
      return {{tq2_0::position(e).byte, tq2_0::position(e).shift, 2}, std::nullopt};
    case Type::tq1_0:
      break;
  }
  has_none(type, "code");
}

Place scale_place(Type type, size_t i) {
  switch (type) {
    case Type::q2_k:
      return {{i, 0, 4}, std::nullopt};
    case Type::q3_k:
      return {{96 + i % 8, static_cast<int>(4 * (i / 8)), 4}, Bits{104 + i % 4, static_cast<int>(2 * (i / 4)), 2}};
    case Type::q4_k:
    case Type::q5_k:
      return six_bits(i, false);
    case Type::q6_k:
      return {{192 + i, 0, 8}, std::nullopt};
    case Type::iq4_xs:
      return {{4 + i / 2, static_cast<int>(4 * (i % 2)), 4}, Bits{2 + i / 4, static_cast<int>(2 * (i % 4)), 2}};
    case Type::mxfp4:
    case Type::nvfp4:
      return {{i, 0, 8}, std::nullopt};
    default:
      has_none(type, "scale of a sub-block");
  }
}

Place minimum_place(Type type, size_t i) {
  if (minima(type) == 0) has_none(type, "minimum");
  if (type == Type::q2_k) return {{i, 4, 4}, std::nullopt};
  return six_bits(i, true);
}

}  // namespace tritcheck::ggml
