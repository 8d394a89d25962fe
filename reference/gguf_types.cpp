#include "reference/gguf_types.h"

#include <algorithm>
#include <iterator>

namespace tritcheck::gguf {
namespace {

constexpr TypeTraits blocks(uint32_t id, std::string_view name, int64_t elements, int64_t bytes, int64_t header = 0) {
  return {id, name, Sizing::blocks, elements, bytes, header};
}

constexpr TypeTraits kCommon[] = {
    blocks(0, "f32", 1, 4),         blocks(1, "f16", 1, 2),         blocks(2, "q4_0", 32, 18),
    blocks(3, "q4_1", 32, 20),      blocks(6, "q5_0", 32, 22),      blocks(7, "q5_1", 32, 24),
    blocks(8, "q8_0", 32, 34),      blocks(9, "q8_1", 32, 36),      blocks(10, "q2_k", 256, 84),
    blocks(11, "q3_k", 256, 110),   blocks(12, "q4_k", 256, 144),   blocks(13, "q5_k", 256, 176),
    blocks(14, "q6_k", 256, 210),   blocks(15, "q8_k", 256, 292),   blocks(16, "iq2_xxs", 256, 66),
    blocks(17, "iq2_xs", 256, 74),  blocks(18, "iq3_xxs", 256, 98), blocks(19, "iq1_s", 256, 50),
    blocks(20, "iq4_nl", 32, 18),   blocks(21, "iq3_s", 256, 110),  blocks(22, "iq2_s", 256, 82),
    blocks(23, "iq4_xs", 256, 136), blocks(24, "i8", 1, 1),         blocks(25, "i16", 1, 2),
    blocks(26, "i32", 1, 4),        blocks(27, "i64", 1, 8),        blocks(28, "f64", 1, 8),
    blocks(29, "iq1_m", 256, 56),   blocks(30, "bf16", 1, 2),       blocks(34, "tq1_0", 256, 54),
    blocks(35, "tq2_0", 256, 66)};

constexpr TypeTraits kMxfp4 = blocks(39, "mxfp4", 32, 17);
constexpr TypeTraits kNvfp4 = blocks(40, "nvfp4", 64, 36);
constexpr TypeTraits kQ1 = blocks(41, "q1_0", 128, 18);
constexpr TypeTraits kI2s = {36, "i2_s", Sizing::one_scale, 1, 0, 0};
constexpr TypeTraits kI2sSlices = {36, "i2_s", Sizing::per_slice, 1, 0, 0};
constexpr TypeTraits kTl1 = {38, "tl1", Sizing::one_scale, 1, 0, 0};

constexpr TypeTraits kMainline[] = {kMxfp4, kNvfp4, kQ1, blocks(42, "q2_0", 64, 18)};
constexpr TypeTraits kForkAb[] = {kI2s, kTl1, {39, "tl2", Sizing::tl2, 1, 0, 0}};
constexpr TypeTraits kForkC[] = {kI2sSlices, kTl1, kMxfp4, kNvfp4, kQ1, {42, "tl2", Sizing::tl2, 1, 0, 0}};
// iq2_bn_r4 interleaves four rows, 4-byte header each: the bytes per row are those of iq2_bn
constexpr TypeTraits kIk[] = {kI2s,
                              kMxfp4,
                              kQ1,
                              blocks(134, "iq1_bn", 64, 13, 2),
                              blocks(135, "iq2_bn", 64, 16, 4),
                              blocks(335, "iq2_bn_r4", 64, 16, 4)};
constexpr TypeTraits kPrism[] = {blocks(40, "q1_0_32", 32, 6), kQ1, blocks(42, "q2_0_128", 128, 34)};
constexpr TypeTraits kTurboquant[] = {blocks(41, "tq3_0", 32, 14)};

std::span<const TypeTraits> own_types(Dialect dialect) {
  switch (dialect) {
    case Dialect::mainline:
      return kMainline;
    case Dialect::fork_ab:
      return kForkAb;
    case Dialect::fork_c:
      return kForkC;
    case Dialect::ik:
      return kIk;
    case Dialect::prism:
      return kPrism;
    case Dialect::turboquant:
      return kTurboquant;
  }
  return {};
}

const TypeTraits* find(std::span<const TypeTraits> types, uint32_t id) {
  const auto it = std::find_if(types.begin(), types.end(), [id](const TypeTraits& t) { return t.id == id; });
  return it == types.end() ? nullptr : &*it;
}

bool add(uint64_t a, uint64_t b, uint64_t& out) {
  return !__builtin_add_overflow(a, b, &out);
}
bool mul(uint64_t a, uint64_t b, uint64_t& out) {
  return !__builtin_mul_overflow(a, b, &out);
}

TensorBytes too_large() {
  return {std::nullopt, "its size in bytes does not fit 64 bits"};
}

}  // namespace

std::string_view name(Dialect dialect) {
  constexpr std::string_view kNames[] = {"mainline", "fork_ab", "fork_c", "ik", "prism", "turboquant"};
  return kNames[static_cast<int>(dialect)];
}

std::string_view describe(Dialect dialect) {
  switch (dialect) {
    case Dialect::mainline:
      return "llama.cpp / ggml";
    case Dialect::fork_ab:
      return "bitnet.cpp, 2024-10 to 2026-07";
    case Dialect::fork_c:
      return "bitnet.cpp since 2026-07";
    case Dialect::ik:
      return "ik_llama.cpp";
    case Dialect::prism:
      return "early PrismML";
    case Dialect::turboquant:
      return "TurboQuant";
  }
  return "";
}

const TypeTraits* type_traits(Dialect dialect, uint32_t id) {
  if (const TypeTraits* own = find(own_types(dialect), id)) return own;
  return find(kCommon, id);
}

bool disputed(uint32_t id) {
  return std::any_of(std::begin(kDialects), std::end(kDialects),
                     [id](Dialect d) { return find(own_types(d), id) != nullptr; });
}

TensorBytes tensor_bytes(const TypeTraits& type, const Dims& ne) {
  const auto k = static_cast<uint64_t>(ne[0]);
  const uint64_t rows = static_cast<uint64_t>(ne[1]) * static_cast<uint64_t>(ne[2]) * static_cast<uint64_t>(ne[3]);
  uint64_t bytes = 0;
  switch (type.sizing) {
    case Sizing::blocks: {
      const auto block = static_cast<uint64_t>(type.block_elements);
      if (k % block != 0) {
        return {std::nullopt,
                "ne0 = " + std::to_string(k) + " is not a multiple of the block size " + std::to_string(block)};
      }
      uint64_t row_bytes = 0;
      if (!mul(k / block, static_cast<uint64_t>(type.block_bytes), row_bytes) ||
          !add(row_bytes, static_cast<uint64_t>(type.row_header), row_bytes) || !mul(row_bytes, rows, bytes)) {
        return too_large();
      }
      return {bytes, ""};
    }
    case Sizing::one_scale:
      return {k * rows / 4 + 32, ""};
    case Sizing::per_slice: {
      const uint64_t slices = static_cast<uint64_t>(ne[2]) * static_cast<uint64_t>(ne[3]);
      if (!mul(slices, k * static_cast<uint64_t>(ne[1]) / 4 + 32, bytes)) return too_large();
      return {bytes, ""};
    }
    case Sizing::tl2: {
      if (k < 256) return {std::nullopt, "ne0 = " + std::to_string(k) + " is below the 256 that tl2 needs"};
      uint64_t triples = 0;
      uint64_t tail = 0;
      if (!mul((k - 256) * rows / 3, 5, triples) || !mul(rows, 64, tail) || !add(triples / 8, tail, bytes) ||
          !add(bytes, 63, bytes)) {
        return too_large();
      }
      return {bytes / 32 * 32, ""};  // 63 = 31 to round up, 32 for the tail with the scale
    }
  }
  return {std::nullopt, "its size is not known"};
}

}  // namespace tritcheck::gguf
