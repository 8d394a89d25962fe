#include "harness/probes/probes.h"

#include <algorithm>
#include <cctype>

#include "harness/cases/grids.h"
#include "harness/cases/plain.h"
#include "harness/probes/generators.h"

namespace tritcheck {
namespace {

namespace own = i2_s_cases;
namespace blk = block_cases;

constexpr ProbeFamily kFamilies[] = {
    {"F4", "shapes",
     "every residue of every unroll factor of K, rows and activations, odd counts of blocks; dense positive data, so "
     "that any lost or repeated unit shows",
     own::shapes, blk::shapes},
    {"F1", "one-hot activations", "the complete basis: which weight meets activation k, and shortcuts on sparse rows",
     own::one_hot, blk::one_hot},
    {"F3", "one-hot weights, labelled activations",
     "the output names the activation a weight was paired with: any permutation or stride", own::labels, nullptr},
    {"F5", "all byte values", "every packed byte at every place of a row or block, code 3 included", own::byte_values,
     blk::byte_values},
    {"F7", "sums", "sum(q) zero, large, and of one sign: who subtracts offsets and minima, and how often", own::sums,
     blk::sums},
    {"F8", "pairwise extremes", "both clamps of a saturating multiply-add at every pair of columns", own::pairs,
     blk::pairs},
    {"F6", "scales", "all scales different, none 1: a scale missing, inverted, or that of another row or block",
     own::scales, blk::scales},
    {"F9", "special scales", "scales that are zero, negative, denormal, the largest, infinite, NaN", nullptr,
     blk::specials},
    {"F10", "ties", "exact ties of a quantiser's rounding", nullptr, blk::ties},
    {"F11", "memory protocol",
     "start offsets and padded strides; and, for all families: guard pages, canaries, poisoned registers and stack",
     own::memory, blk::memory},
    {"F12", "several threads at once",
     "four threads call the kernel at the same time with two lengths: anything static that it keeps", own::threads,
     blk::threads},
    {"F2", "extremes at every overflow bound",
     "the exact supremum of every partial sum, just below and above what 16 bits hold, over many blocks", own::extremes,
     blk::extremes},
    {"F15", "metamorphic relations", "formats without an oracle: columns one at a time add up to the row", nullptr,
     nullptr},
    {"random", "random", "uniform codes, activations and scales at widths of real models", own::random_data,
     blk::random_data},
};

}  // namespace

std::vector<Case> ProbeFamily::cases(const KernelInfo& kernel, Level level, uint64_t seed) const {
  if (grid_named(kernel.format) != nullptr) return blk::of_grid(kernel, id, level, seed);
  if (plain_named(kernel.format)) return blk::of_plain(kernel, id, seed);
  const Generate generate = kernel.of_i2_s() ? of_i2_s : of_blocks;
  if (generate == nullptr) return {};
  std::vector<Case> out = generate(kernel, level, seed);
  std::erase_if(out, [&](const Case& c) { return c.k > kernel.contract.k_max; });
  return out;
}

std::span<const ProbeFamily> probe_families() {
  return kFamilies;
}

const ProbeFamily* find_family(std::string_view id) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const ProbeFamily& f : kFamilies) {
    if (std::equal(f.id.begin(), f.id.end(), id.begin(), id.end(), same)) return &f;
  }
  return nullptr;
}

}  // namespace tritcheck
