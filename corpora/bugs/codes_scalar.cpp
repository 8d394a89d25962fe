// Kernels that give a code or an activation a wrong value.
#include <array>

#include "corpora/bugs/bugs.h"
#include "corpora/bugs/parts.h"

using namespace tritcheck::museum;

namespace {

// The four codes of every byte, plane 0 first.
using Table = std::array<std::array<uint8_t, 4>, 256>;

// value[c] is what code c is taken for.
constexpr Table table_of(std::array<uint8_t, 4> value) {
  Table table{};
  for (size_t byte = 0; byte < 256; ++byte) {
    for (size_t plane = 0; plane < 4; ++plane) table[byte][plane] = value[(byte >> (6 - 2 * plane)) & 3];
  }
  return table;
}

int32_t dot_by_table(const Table& table, int64_t k, const uint8_t* w, const int8_t* q) {
  int32_t sum = 0;
  for (int64_t b = 0; b < k / 128; ++b, w += 32, q += 128) {
    for (size_t i = 0; i < 32; ++i) {
      const auto& codes = table[w[i]];
      for (size_t plane = 0; plane < 4; ++plane) sum += codes[plane] * q[plane * 32 + i];
    }
  }
  return sum;
}

constexpr Table one_wrong_entry() {
  Table table = table_of({0, 1, 2, 3});
  table[0xE4] = {3, 2, 1, 1};
  return table;
}

constexpr Table kSignsExchanged = table_of({2, 1, 0, 3});
constexpr Table kCode3AsWeight0 = table_of({0, 1, 2, 1});
constexpr Table kZeroAsMinus = table_of({0, 0, 2, 3});
constexpr Table kOneWrongEntry = one_wrong_entry();

}  // namespace

// Writer and reader count from opposite ends: code 0 is +1 and code 2 is -1.
extern "C" void bug_code_signs_exchanged(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                         size_t, int) {
  out[0] = dot_by_table(kSignsExchanged, k, w, q);
}

// One of the dequantisers in the wild reads the never written code 3 as weight 0; the dot kernels compute with 3.
extern "C" void bug_code_3_as_weight_0(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                       size_t, int) {
  out[0] = dot_by_table(kCode3AsWeight0, k, w, q);
}

// A binarising export: sign(0) is -1, so a weight of zero counts as code 0 does.
extern "C" void bug_code_zero_as_minus(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q,
                                       size_t, int) {
  out[0] = dot_by_table(kZeroAsMinus, k, w, q);
}

// A hand-edited decode table with a slip in one of its 256 entries.
extern "C" void bug_code_table_entry(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  out[0] = dot_by_table(kOneWrongEntry, k, w, q);
}

// Multiplication replaced by negation in eight bits: -(-128) is -128 again.
extern "C" void bug_int8_min_scalar(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                    int) {
  int32_t sum = 0;
  for (int64_t b = 0; b < k / 128; ++b) {
    for (int i = 0; i < 128; ++i) {
      const int weight = code(w[b * 32 + i % 32], i / 32) - 1;
      const int8_t y = q[b * 128 + i];
      sum += y + (weight < 0 ? static_cast<int8_t>(-y) : weight * y);
    }
  }
  out[0] = sum;
}
