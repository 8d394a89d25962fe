// Method 2 of reading ggml's blocks: along the bytes, each byte giving its elements.
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
    out_.minimum.resize(n);
  }

  Block take(Type type) {
    switch (type) {
      case Type::q4_0:
        out_.d = half(0);
        nibbles(2, 0, [](int v) { return v - 8; });
        break;
      case Type::q4_1:
        both(0, 2);
        nibbles(4, 0, [](int v) { return v; });
        break;
      case Type::q5_0:
        out_.d = half(0);
        nibbles(6, 0, [](int v) { return v - 16; });
        fifth_bits(2, 16);
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
        break;
      case Type::q2_0:
        out_.d = half(0);
        for (size_t i = 0; i < 16; ++i) {
          int byte = b_[2 + i];
          for (size_t j = 0; j < 4; ++j, byte /= 4) out_.weight[4 * i + j] = byte % 4 - 1;
        }
        break;
      case Type::q2_k:
        q2_k();
        break;
      case Type::q3_k:
        q3_k();
        break;
      case Type::q4_k:
        q4_or_q5_k(16, false);
        break;
      case Type::q5_k:
        q4_or_q5_k(48, true);
        break;
    }
    return std::move(out_);
  }

 private:
  static int iq4(int v) { return kIq4[static_cast<size_t>(v)]; }
  static int e2m1(int v) { return kE2m1[static_cast<size_t>(v)]; }

  double half(size_t at) const { return f16::to_float(blocks::load_u16(b_, at)); }

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

  void q2_k() {
    out_.d = half(80);
    out_.c = -half(82);
    size_t e = 0;
    for (size_t half128 = 0; half128 < 2; ++half128) {
      for (int shift = 0; shift < 8; shift += 2) {
        for (size_t l = 0; l < 32; ++l, ++e) {
          const int scale = b_[e / 16];
          out_.weight[e] = scale % 16 * (b_[16 + 32 * half128 + l] >> shift & 3);
          out_.minimum[e] = scale / 16;
        }
      }
    }
  }

  void q3_k() {
    out_.d = half(108);
    // the twelve bytes as three words: low nibbles of 0..7, of 8..15, and the pairs of high bits
    int scale[16];
    for (size_t i = 0; i < 8; ++i) {
      scale[i] = b_[96 + i] % 16;
      scale[i + 8] = b_[96 + i] / 16;
    }
    for (size_t i = 0; i < 4; ++i) {
      int pairs = b_[104 + i];
      for (size_t j = 0; j < 4; ++j, pairs /= 4) scale[i + 4 * j] += 16 * (pairs % 4);
    }
    size_t e = 0;
    int mask = 1;
    for (size_t half128 = 0; half128 < 2; ++half128) {
      for (int shift = 0; shift < 8; shift += 2, mask *= 2) {
        for (size_t l = 0; l < 32; ++l, ++e) {
          int q = b_[32 + 32 * half128 + l] >> shift & 3;
          if ((b_[l] & mask) == 0) q -= 4;
          out_.weight[e] = (scale[e / 16] - 32) * q;
        }
      }
    }
  }

  void q4_or_q5_k(size_t codes, bool fifth) {
    out_.d = half(0);
    out_.c = -half(2);
    int scale[8];
    int minimum[8];
    for (size_t i = 0; i < 4; ++i) {
      scale[i] = b_[4 + i] % 64;
      minimum[i] = b_[8 + i] % 64;
      scale[i + 4] = b_[12 + i] % 16 + b_[4 + i] / 64 * 16;
      minimum[i + 4] = b_[12 + i] / 16 + b_[8 + i] / 64 * 16;
    }
    int mask = 1;
    size_t e = 0;
    for (size_t sub = 0; sub < 8; ++sub, mask *= 2) {
      for (size_t l = 0; l < 32; ++l, ++e) {
        const int byte = b_[codes + sub / 2 * 32 + l];
        int q = sub % 2 == 0 ? byte % 16 : byte / 16;
        if (fifth && (b_[16 + l] & mask) != 0) q += 16;
        out_.weight[e] = scale[sub] * q;
        out_.minimum[e] = minimum[sub];
      }
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
