// Inside the probe families: what each asks of the two kinds of formats.
#pragma once

#include "harness/probes/probes.h"

namespace tritcheck {

namespace i2_s_cases {
std::vector<Case> shapes(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> one_hot(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> labels(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> byte_values(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> sums(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> pairs(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> scales(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> memory(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> threads(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> extremes(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> random_data(const KernelInfo&, Level, uint64_t seed);
}  // namespace i2_s_cases

namespace block_cases {
std::vector<Case> shapes(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> one_hot(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> byte_values(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> sums(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> pairs(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> scales(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> specials(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> ties(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> memory(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> threads(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> extremes(const KernelInfo&, Level, uint64_t seed);
std::vector<Case> random_data(const KernelInfo&, Level, uint64_t seed);
/// Plain floats have no blocks: what a family, by its id, asks of them.
std::vector<Case> of_plain(const KernelInfo&, std::string_view family, uint64_t seed);
/// Formats with a lookup grid, held to relations (harness/diagnose/blocks/relations.h).
std::vector<Case> of_grid(const KernelInfo&, std::string_view family, Level level, uint64_t seed);
}  // namespace block_cases

}  // namespace tritcheck
