// Method 2 of reading ggml's blocks, those that are named _K.
#include "reference/ggml_in_order.h"
#include "reference/half.h"

namespace tritcheck::ggml {
namespace {

using Bytes = std::span<const uint8_t>;

double half(Bytes b, size_t at) {
  return f16::to_float(blocks::load_u16(b, at));
}

void q2_k(Bytes b, Block& out) {
  out.d = half(b, 80);
  out.c = -half(b, 82);
  size_t e = 0;
  for (size_t half128 = 0; half128 < 2; ++half128) {
    for (int shift = 0; shift < 8; shift += 2) {
      for (size_t l = 0; l < 32; ++l, ++e) {
        const int scale = b[e / 16];
        out.weight[e] = scale % 16 * (b[16 + 32 * half128 + l] >> shift & 3);
        out.minimum[e] = scale / 16;
      }
    }
  }
}

void q3_k(Bytes b, Block& out) {
  out.d = half(b, 108);
  // the twelve bytes as three words: low nibbles of 0..7, of 8..15, and the pairs of high bits
  int scale[16];
  for (size_t i = 0; i < 8; ++i) {
    scale[i] = b[96 + i] % 16;
    scale[i + 8] = b[96 + i] / 16;
  }
  for (size_t i = 0; i < 4; ++i) {
    int pairs = b[104 + i];
    for (size_t j = 0; j < 4; ++j, pairs /= 4) scale[i + 4 * j] += 16 * (pairs % 4);
  }
  size_t e = 0;
  int mask = 1;
  for (size_t half128 = 0; half128 < 2; ++half128) {
    for (int shift = 0; shift < 8; shift += 2, mask *= 2) {
      for (size_t l = 0; l < 32; ++l, ++e) {
        int q = b[32 + 32 * half128 + l] >> shift & 3;
        if ((b[l] & mask) == 0) q -= 4;
        out.weight[e] = (scale[e / 16] - 32) * q;
        out.offset[e] = (scale[e / 16] - 32) * 4;
      }
    }
  }
}

void q4_or_q5_k(Bytes b, Block& out, size_t codes, bool fifth) {
  out.d = half(b, 0);
  out.c = -half(b, 2);
  int scale[8];
  int minimum[8];
  for (size_t i = 0; i < 4; ++i) {
    scale[i] = b[4 + i] % 64;
    minimum[i] = b[8 + i] % 64;
    scale[i + 4] = b[12 + i] % 16 + b[4 + i] / 64 * 16;
    minimum[i + 4] = b[12 + i] / 16 + b[8 + i] / 64 * 16;
  }
  int mask = 1;
  size_t e = 0;
  for (size_t sub = 0; sub < 8; ++sub, mask *= 2) {
    for (size_t l = 0; l < 32; ++l, ++e) {
      const int byte = b[codes + sub / 2 * 32 + l];
      int q = sub % 2 == 0 ? byte % 16 : byte / 16;
      if (fifth && (b[16 + l] & mask) != 0) q += 16;
      out.weight[e] = scale[sub] * q;
      out.minimum[e] = minimum[sub];
    }
  }
}

// A byte of high bits serves four elements that are 32 apart; the low ones are in two bytes 32 apart.
void q6_k(Bytes b, Block& out) {
  out.d = half(b, 208);
  for (size_t at = 0; at < 64; ++at) {
    int high = b[128 + at];
    const size_t l = at % 32;
    for (size_t quarter = 0; quarter < 4; ++quarter, high /= 4) {
      const int pair = b[at / 32 * 64 + quarter % 2 * 32 + l];
      const int low = quarter < 2 ? pair % 16 : pair / 16;
      const size_t e = at / 32 * 128 + 32 * quarter + l;
      const int stored = b[192 + e / 16];
      const int scale = stored < 128 ? stored : stored - 256;
      out.weight[e] = scale * (low + high % 4 * 16 - 32);
      out.offset[e] = scale * 32;
    }
  }
}

}  // namespace

void k_in_order(Type type, Bytes bytes, Block& out) {
  if (type == Type::q2_k) q2_k(bytes, out);
  if (type == Type::q3_k) q3_k(bytes, out);
  if (type == Type::q4_k) q4_or_q5_k(bytes, out, 16, false);
  if (type == Type::q5_k) q4_or_q5_k(bytes, out, 48, true);
  if (type == Type::q6_k) q6_k(bytes, out);
}

}  // namespace tritcheck::ggml
