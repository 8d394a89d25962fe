#include "reference/q8_k_ik.h"

#include <bit>

namespace tritcheck::q8_k_ik {
namespace {

constexpr size_t kSumAt = 4;
constexpr size_t kCodesAt = 8;
constexpr size_t kSumsAt = 264;

}  // namespace

int64_t row_bytes(int64_t k) {
  return blocks::row_bytes(kFormat, k);
}

Block unpack(std::span<const uint8_t> bytes) {
  blocks::require_block(kFormat, "unpack", bytes.size());
  Block block;
  block.d = std::bit_cast<float>(blocks::load_u32(bytes, 0));
  block.sum = std::bit_cast<float>(blocks::load_u32(bytes, kSumAt));
  for (size_t e = 0; e < kBlock; ++e) block.q[e] = static_cast<int8_t>(bytes[kCodesAt + e]);
  for (size_t s = 0; s < q8_k::kSums; ++s) {
    block.bsums[s] = static_cast<int16_t>(blocks::load_u16(bytes, kSumsAt + 2 * s));
  }
  return block;
}

void pack(const Block& block, std::span<uint8_t> bytes) {
  blocks::require_block(kFormat, "pack", bytes.size());
  blocks::store_u32(bytes, 0, std::bit_cast<uint32_t>(block.d));
  blocks::store_u32(bytes, kSumAt, std::bit_cast<uint32_t>(block.sum));
  for (size_t e = 0; e < kBlock; ++e) bytes[kCodesAt + e] = static_cast<uint8_t>(block.q[e]);
  for (size_t s = 0; s < q8_k::kSums; ++s) {
    blocks::store_u16(bytes, kSumsAt + 2 * s, static_cast<uint16_t>(block.bsums[s]));
  }
}

}  // namespace tritcheck::q8_k_ik
