// Method 2 of reading ggml's blocks: along the bytes, each byte giving its elements.
#include "reference/ggml_in_order.h"

#include <cmath>
#include <stdexcept>

#include "reference/ggml_blocks.h"
#include "reference/ggml_values.h"
#include "reference/half.h"

namespace tritcheck::ggml {
namespace {

class Reader {
 public:
  Reader(Type type, std::span<const uint8_t> bytes) : b_(bytes) {
    const size_t n = format(type).elements;
    out_.weight.resize(n);
    out_.offset.resize(n);
    out_.minimum.resize(n);
  }

  Block take(Type type) {
    switch (type) {
      case Type::q4_0:
        out_.d = half(0);
        nibbles(2, 0, [](int v) { return v - 8; });
        less(8);
        break;
      case Type::q4_1:
        both(0, 2);
        nibbles(4, 0, [](int v) { return v; });
        break;
      case Type::q5_0:
        out_.d = half(0);
        nibbles(6, 0, [](int v) { return v - 16; });
        fifth_bits(2, 16);
        less(16);
        break;
      case Type::q5_1:
        both(0, 2);
        nibbles(8, 0, [](int v) { return v; });
        fifth_bits(4, 16);
        break;
      case Type::iq4_nl:
        out_.d = half(0);
        nibbles(2, 0, iq4);
        break;
      case Type::mxfp4:
        out_.d = std::ldexp(1.0, b_[0] - 128);
        nibbles(1, 0, e2m1);
        break;
      case Type::iq4_xs:
        iq4_xs();
        break;
      case Type::nvfp4:
        nvfp4();
        break;
      case Type::q1_0:
        out_.d = half(0);
        for (size_t i = 0; i < 16; ++i) {
          for (size_t bit = 0; bit < 8; ++bit) out_.weight[8 * i + bit] = (b_[2 + i] >> bit & 1) != 0 ? 1 : -1;
        }
        less(1);
        break;
      case Type::q2_0:
        out_.d = half(0);
        for (size_t i = 0; i < 16; ++i) {
          int byte = b_[2 + i];
          for (size_t j = 0; j < 4; ++j, byte /= 4) out_.weight[4 * i + j] = byte % 4 - 1;
        }
        less(1);
        break;
      case Type::q2_k:
      case Type::q3_k:
      case Type::q4_k:
      case Type::q5_k:
      case Type::q6_k:
        k_in_order(type, b_, out_);
        break;
      case Type::q8_0:
        out_.d = half(0);
        for (size_t e = 0; e < 32; ++e) out_.weight[e] = b_[2 + e] < 128 ? b_[2 + e] : b_[2 + e] - 256;
        break;
      case Type::tq1_0:
        out_.d = half(52);
        trits(0, 32, 5, 0);
        trits(32, 16, 5, 160);
        trits(48, 4, 4, 240);
        less(1);
        break;
      case Type::tq2_0:
        out_.d = half(64);
        for (size_t i = 0; i < 64; ++i) {
          int byte = b_[i];
          for (size_t j = 0; j < 4; ++j, byte /= 4) out_.weight[i / 32 * 128 + 32 * j + i % 32] = byte % 4 - 1;
        }
        less(1);
        break;
    }
    return std::move(out_);
  }

 private:
  static int iq4(int v) { return kIq4[static_cast<size_t>(v)]; }
  static int e2m1(int v) { return kE2m1[static_cast<size_t>(v)]; }

  double half(size_t at) const { return f16::to_float(blocks::load_u16(b_, at)); }

  // What was taken off every code.
  void less(int32_t offset) {
    for (int32_t& one : out_.offset) one = offset;
  }

  // d, and an m that is added to every element
  void both(size_t d, size_t m) {
    out_.d = half(d);
    out_.c = half(m);
    for (int32_t& one : out_.minimum) one = 1;
  }

  // Sixteen bytes at `at` hold 32 elements from `first` on.
  template <class Value>
  void nibbles(size_t at, size_t first, Value value) {
    for (size_t j = 0; j < 16; ++j) {
      out_.weight[first + j] = value(b_[at + j] % 16);
      out_.weight[first + j + 16] = value(b_[at + j] / 16);
    }
  }

  void fifth_bits(size_t at, int worth) {
    uint32_t bits = blocks::load_u32(b_, at);
    for (int32_t& w : out_.weight) {
      if (bits % 2 != 0) w += worth;
      bits /= 2;
    }
  }

  void iq4_xs() {
    out_.d = half(0);
    uint32_t high = blocks::load_u16(b_, 2);
    for (size_t sub = 0; sub < 8; ++sub) {
      const int low = sub % 2 == 0 ? b_[4 + sub / 2] % 16 : b_[4 + sub / 2] / 16;
      const int scale = low + 16 * static_cast<int>(high % 4) - 32;
      high /= 4;
      nibbles(8 + 16 * sub, 32 * sub, [scale](int v) { return scale * iq4(v); });
    }
  }

  void nvfp4() {
    out_.d = std::ldexp(1.0, -10);
    for (size_t sub = 0; sub < 4; ++sub) {
      if (b_[sub] > 127) throw std::domain_error("nvfp4: a scale above 0x7F is undefined");
      // the number itself, and then how many steps of 2^-10 its half is
      const int exponent = b_[sub] / 8;
      const double fraction = b_[sub] % 8;
      const double scale = exponent == 0 ? fraction / 512 : (1 + fraction / 8) * std::pow(2.0, exponent - 7);
      const int steps = b_[sub] == 127 ? 0 : static_cast<int>(scale / 2 * 1024);
      for (size_t j = 0; j < 8; ++j) {
        const int byte = b_[4 + 8 * sub + j];
        out_.weight[16 * sub + j] = steps * e2m1(byte % 16);
        out_.weight[16 * sub + j + 8] = steps * e2m1(byte / 16);
      }
    }
  }

  // `count` bytes of `digits` trits each, which are elements `count` apart. byte * 3^digits / 256 is the number that
  // the trits write in base 3.
  void trits(size_t at, size_t count, size_t digits, size_t first) {
    const int power = digits == 5 ? 243 : 81;
    for (size_t i = 0; i < count; ++i) {
      int rest = b_[at + i] * power / 256;
      for (size_t t = digits; t-- > 0; rest /= 3) out_.weight[first + t * count + i] = rest % 3 - 1;
    }
  }

  std::span<const uint8_t> b_;
  Block out_;
};

}  // namespace

Block decode_in_order(Type type, std::span<const uint8_t> bytes) {
  blocks::require_block(format(type), "decode_in_order", bytes.size());
  return Reader(type, bytes).take(type);
}

}  // namespace tritcheck::ggml
