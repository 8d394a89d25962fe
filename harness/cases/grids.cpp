#include "harness/cases/grids.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "harness/cases/data.h"
#include "reference/half.h"
#include "reference/prng.h"

namespace tritcheck {
namespace {

// Sizes and places: ggml of 2026-08, ggml-common.h.
constexpr blocks::Format kGrids[] = {{"iq1_s", 256, 50},  {"iq1_m", 256, 56}, {"iq2_xxs", 256, 66},
                                     {"iq2_xs", 256, 74}, {"iq2_s", 256, 82}, {"iq3_xxs", 256, 98},
                                     {"iq3_s", 256, 110}};

// fp16 in the first two bytes; iq1_m has its four digits in the highest bits of the four last 16-bit words.
void set_scale(const blocks::Format& f, std::span<uint8_t> block, float d) {
  const uint16_t bits = f16::from_float(d);
  if (f.name != "iq1_m") {
    std::memcpy(block.data(), &bits, sizeof bits);
    return;
  }
  for (size_t i = 0; i < 4; ++i) {
    uint8_t& high = block[f.bytes - 8 + 2 * i + 1];
    high = static_cast<uint8_t>((high & 0x0F) | (bits >> (4 * i) & 15) << 4);
  }
}

GridKind kind_of(const Case& c) {
  return static_cast<GridKind>(c.param("kind"));
}

}  // namespace

const blocks::Format* grid_named(std::string_view name) {
  const auto* found = std::ranges::find(kGrids, name, &blocks::Format::name);
  return found == std::end(kGrids) ? nullptr : found;
}

std::vector<std::string> grid_names() {
  std::vector<std::string> out;
  for (const blocks::Format& f : kGrids) out.emplace_back(f.name);
  return out;
}

GridRows::GridRows(const Case& c) : c_(c), format_(*grid_named(c.format)) {
  if (c.probe != "decode" && c.probe != "linear")
    throw std::invalid_argument("case: " + c.format + " has no oracle; its probes are decode and linear");
  if (c.param("kind") >= kGridKinds)
    throw std::invalid_argument("case: kind is not from 0 to " + std::to_string(kGridKinds - 1));
  if (c.probe == "decode" && (c.k != 256 || c.n != 1 || c.op != Op::vec_dot))
    throw std::invalid_argument("case: probe decode is for vec_dot with k=256 and n=1");
}

std::vector<uint8_t> GridRows::plain_block(int64_t row, size_t b) const {
  Prng r(
      hash_text(c_.format + ":" + std::to_string(c_.param("i")) + ":" + std::to_string(row) + ":" + std::to_string(b),
                c_.seed * 0x9E3779B97F4A7C15U));
  std::vector<uint8_t> block(format_.bytes);
  for (uint8_t& byte : block) byte = static_cast<uint8_t>(r.below(256));
  set_scale(format_, block, 1);
  return block;
}

float GridRows::weight_scale(int64_t row, size_t b) const {
  constexpr float kScales[] = {1, -1, 2, -0.5F};
  if (kind_of(c_) == GridKind::zero_scale) return 0;
  return kind_of(c_) == GridKind::scales ? kScales[(static_cast<size_t>(3 * row) + b) % 4] : 1;
}

float GridRows::act_scale(int64_t row, size_t b) const {
  return kind_of(c_) == GridKind::scales && (static_cast<size_t>(row) + b) % 3 == 1 ? 0.5F : 1;
}

std::vector<int8_t> GridRows::codes(int64_t row, size_t b) const {
  std::vector<int8_t> q(256);
  if (c_.probe == "decode") {
    q[static_cast<size_t>(c_.param("pos")) % 256] = 1;
    return q;
  }
  Prng r(
      hash_text("q:" + std::to_string(c_.param("i")) + ":" + std::to_string(row) + ":" + std::to_string(b), c_.seed));
  for (int8_t& v : q) {
    switch (kind_of(c_)) {
      case GridKind::extreme:
        v = 127;
        break;
      case GridKind::zero_acts:
        break;
      default:
        v = static_cast<int8_t>(r.between(-3, 3));
    }
  }
  return q;
}

std::vector<uint8_t> GridRows::weights(int64_t row) const {
  std::vector<uint8_t> out;
  for (size_t b = 0; b < static_cast<size_t>(c_.k) / 256; ++b) {
    std::vector<uint8_t> block = plain_block(row, b);
    set_scale(format_, block, weight_scale(row, b));
    out.insert(out.end(), block.begin(), block.end());
  }
  return out;
}

std::vector<uint8_t> GridRows::activations(int64_t row) const {
  std::vector<uint8_t> out;
  for (size_t b = 0; b < static_cast<size_t>(c_.k) / 256; ++b)
    append(ggml::Acts::q8_k, {act_scale(row, b), codes(row, b)}, out);
  return out;
}

}  // namespace tritcheck
