#include <bit>
#include <stdexcept>
#include <string>

#include "reference/dot_iq_bn.h"
#include "reference/half.h"

namespace tritcheck::iq_bn {
namespace {

float float_at(const uint8_t* bytes) {
  return std::bit_cast<float>(bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24);
}

// The record where it lies: its codes in order, and their classes by runs of equal ones, 4 or 16 long.
struct Activations {
  const uint8_t* codes = nullptr;
  size_t run = 0;

  int q(size_t e) const { return static_cast<int8_t>(codes[e]); }
  size_t of_class(size_t e) const { return e / run % 4; }
};

// sum(code * q) by class.
struct Raw {
  explicit Raw(Dot& to) : dot(to) {}
  Dot& dot;
  Activations y;

  void add(size_t e, unsigned code) {
    const int64_t product = int64_t{code} * y.q(e);
    ClassDot& c = dot.classes[y.of_class(e)];
    c.codes += product;
    c.magnitude += product < 0 ? -product : product;
  }
};

// byte * 243 / 256 is the number that the five trits write in base 3; its last digit is the first trit.
unsigned number(uint8_t byte) {
  return byte * 243U / 256;
}

// 12 bytes of five elements each, with one left out after every three bytes; these four are in the 13th byte.
void add_iq1_bn(Raw& raw, const uint8_t* block, size_t e) {
  unsigned left_out = number(block[12]);
  for (size_t b = 0; b < 12; ++b) {
    unsigned rest = number(block[b]);
    for (int t = 0; t < 5; ++t, rest /= 3) raw.add(e++, rest % 3);
    if (b % 3 != 2) continue;
    raw.add(e++, left_out % 3);
    left_out /= 3;
  }
}

// The lowest bits of a byte belong to the element of its number, the next ones to the one 16 further.
void add_iq2_bn(Raw& raw, const uint8_t* block, size_t e) {
  for (size_t b = 0; b < 16; ++b) {
    for (size_t g = 0; g < 4; ++g) raw.add(e + b + 16 * g, block[b] >> (2 * g) & 3U);
  }
}

// A row has four bytes of each 16; the lowest bits of these are four elements in a row, the next ones the next four.
void add_iq2_bn_r4(Raw& raw, const uint8_t* block, size_t row, size_t e) {
  for (const uint8_t* four = block + 4 * row; four < block + 64; four += 16) {
    for (int shift = 0; shift < 8; shift += 2) {
      for (size_t i = 0; i < 4; ++i) raw.add(e++, four[i] >> shift & 3U);
    }
  }
}

}  // namespace

Dot dot_offset(Type type, std::span<const uint8_t> x, size_t row, q8_k64::Kind kind, std::span<const uint8_t> y) {
  const bool four = type == Type::iq2_bn_r4;
  const size_t header = type == Type::iq1_bn ? 2 : four ? 16 : 4;
  const size_t block = type == Type::iq1_bn ? 13 : four ? 64 : 16;
  const size_t floats = kind == q8_k64::Kind::k64 ? 8 : 5;
  const size_t k = y.size() < 4 * floats ? 0 : y.size() - 4 * floats;
  if (k == 0 || k % 64 != 0 || (floats == 8 && k < 512) || x.size() != header + k / 64 * block ||
      row >= (four ? 4 : 1)) {
    throw std::invalid_argument("iq_bn dot_offset: row " + std::to_string(row) + ", " + std::to_string(x.size()) +
                                " bytes of weights and " + std::to_string(y.size()) +
                                " of activations; pass rows of the same K");
  }
  Dot dot;
  dot.scale = type == Type::iq1_bn ? f16::to_float(static_cast<uint16_t>(x[0] | x[1] << 8)) : float_at(&x[4 * row]);
  for (size_t c = 0; c < 4; ++c) dot.classes[c].d = float_at(&y[4 * c]);
  for (size_t i = 4; i < floats; ++i) dot.m.push_back(float_at(&y[4 * i]));

  Raw raw(dot);
  raw.y = {y.data() + 4 * floats, floats == 8 ? size_t{4} : size_t{16}};
  for (size_t b = 0; b < k / 64; ++b) {
    const uint8_t* bytes = x.data() + header + b * block;
    if (type == Type::iq1_bn) add_iq1_bn(raw, bytes, 64 * b);
    if (type == Type::iq2_bn) add_iq2_bn(raw, bytes, 64 * b);
    if (four) add_iq2_bn_r4(raw, bytes, row, 64 * b);
  }
  for (ClassDot& c : dot.classes) c.sum = c.codes;
  for (size_t e = 0; e < k; ++e) dot.classes[raw.y.of_class(e)].sum -= raw.y.q(e);
  return dot;
}

}  // namespace tritcheck::iq_bn
