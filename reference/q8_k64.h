// Q8_K64 and Q8_K16: the activations of ik_llama.cpp's IQ1_BN, IQ2_BN and IQ2_BN_R4. One record for a whole row, with
// four scales: an element's scale depends on its place modulo 16 or 64, its class, which is the lane of a vector that
// sums it up. With each scale d_c goes m_c = d_c * sum(q), by which a kernel takes the offset of the weights' codes
// off.
//
//   Q8_K64  4 float d, 4 float m, K int8;                  class of element k: k % 16 / 4
//   Q8_K16  4 float d, 1 float, the sum of all m, K int8;  class of element k: k % 64 / 16
//
//   q8_k64::Row row{{1, 2, 3, 4}, {}, codes};
//   row.m = q8_k64::minus_of(q8_k64::Kind::k64, row.d, row.q);
//
// A buffer for Q8_K64 is sized as 68 bytes for 64 elements; as the record has 32 + K, K must be 512 at least.
//
// There is no quantiser here: d_c = max|x| of the class / 127 is known, but not how q is rounded and from which
// reciprocal, so no bytes could be demanded of one.
//
// Source: ik_llama.cpp of 2026-08, iqk/iqk_quantize.cpp. That Q8_K16's codes follow its five floats at once is
// inferred.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tritcheck::q8_k64 {

enum class Kind : uint8_t { k64, k16 };
inline constexpr size_t kClasses = 4;

/// One record as numbers.
struct Row {
  std::array<float, kClasses> d{};
  std::vector<float> m;   ///< k64: four; k16: one, the sum of all
  std::vector<int8_t> q;  ///< K codes; the quantiser writes [-127, 127]
  bool operator==(const Row&) const = default;
};

/// The class of element k.
size_t class_of(Kind kind, size_t k);

/// What m must be: d_c * sum(q) over the class, rounded to float once; or, for k16, the sum of these products, rounded
/// once. A quantiser rounds more often there, or adds in another order, so m of its own may differ in the last bits.
std::vector<float> minus_of(Kind kind, const std::array<float, kClasses>& d, std::span<const int8_t> q);

/// Bytes of a record of k elements: 32 + k, or 20 + k. Throws std::invalid_argument unless k is a positive multiple of
/// 64 and, for k64, at least 512.
size_t row_bytes(Kind kind, size_t k);

/// Reads a record of exactly row_bytes(kind, K) bytes. Throws std::invalid_argument if no K has that many.
Row unpack(Kind kind, std::span<const uint8_t> bytes);
/// Writes exactly row_bytes bytes; m as it is given, right or wrong. Throws std::invalid_argument for another size or
/// another number of m.
void pack(Kind kind, const Row& row, std::span<uint8_t> bytes);

}  // namespace tritcheck::q8_k64
