// Tensor type ids of GGUF files. Forks gave the same numbers to different formats, so an id means something only within
// a dialect; which dialect a file speaks is decided from its sizes (gguf.h, Reading).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tritcheck::gguf {

/// Who wrote, or can read, the file. Ids 0..35 mean the same to all of them.
enum class Dialect : uint8_t {
  mainline,    ///< ggml of 2026-08: 39 MXFP4, 40 NVFP4, 41 Q1_0, 42 Q2_0
  fork_ab,     ///< bitnet.cpp's llama.cpp fork, 2024-10 to 2026-07: 36 I2_S, 38 TL1, 39 TL2
  fork_c,      ///< its successor since 2026-07: 36 I2_S with one scale per 2D slice, 38 TL1, 39..41 mainline, 42 TL2
  ik,          ///< ik_llama.cpp: 36 I2_S, 39 MXFP4, 41 Q1_0, 134 IQ1_BN, 135 IQ2_BN, 335 IQ2_BN_R4
  prism,       ///< early PrismML: 40 Q1_0 in blocks of 32, 41 Q1_0, 42 Q2_0 in blocks of 128
  turboquant,  ///< TurboQuant: 41 TQ3_0
};
inline constexpr Dialect kDialects[] = {Dialect::mainline, Dialect::fork_ab, Dialect::fork_c,
                                        Dialect::ik,       Dialect::prism,   Dialect::turboquant};

std::string_view name(Dialect dialect);
/// Whose numbering it is, for a person.
std::string_view describe(Dialect dialect);

/// How the bytes of a tensor of n = ne0 * ne1 * ne2 * ne3 elements are counted.
enum class Sizing : uint8_t {
  blocks,     ///< ne0 / block elements blocks in each row, after `row_header` bytes
  one_scale,  ///< n / 4 + 32
  per_slice,  ///< ne2 * ne3 * (ne0 * ne1 / 4 + 32)
  tl2,        ///< bitnet.cpp's TL2: see tensor_bytes()
};

struct TypeTraits {
  uint32_t id = 0;
  std::string_view name;  ///< ggml's, in lower case: "f16", "tq2_0", "i2_s"
  Sizing sizing = Sizing::blocks;
  int64_t block_elements = 1;
  int64_t block_bytes = 0;  ///< Sizing::blocks only
  int64_t row_header = 0;   ///< bytes before each row's blocks
};

/// What the id means to that dialect; nullptr if it is not known there (or only its name is, as for removed types).
const TypeTraits* type_traits(Dialect dialect, uint32_t id);

/// True if the dialects do not all read this id alike.
bool disputed(uint32_t id);

using Dims = std::array<int64_t, 4>;  ///< ne0 (fastest) .. ne3, each >= 1, missing ones 1

/// Bytes of a tensor, or why there can be no such tensor ("ne0 = 48 is not a multiple of the block size 32").
/// The product of the dims must fit int64. TL2 (bitnet.cpp, quoted in its own integer arithmetic, left to right):
/// roundup((K-256)*M/3*5/8 + 256*M/2*4/8, 32) + 32 with K = ne0, M = n / K; K >= 256, because below it goes negative.
struct TensorBytes {
  std::optional<uint64_t> bytes;
  std::string problem;  ///< empty if bytes is there
};
TensorBytes tensor_bytes(const TypeTraits& type, const Dims& ne);

}  // namespace tritcheck::gguf
