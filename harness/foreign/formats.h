// What is known here of the functions of other people's libraries: by the names that ggml gives to formats of blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/executor.h"
#include "reference/ggml_dot.h"

namespace tritcheck::foreign {

/// A format of weights and what it is multiplied with, by ggml's names: {"q4_K", "q8_K"}.
struct Pair {
  std::string weights;
  std::string acts;
};
/// Every pair that has an oracle.
const std::vector<Pair>& pairs();
/// The formats of activations: "q8_0", "q8_1", "q8_K".
const std::vector<std::string>& act_formats();

std::optional<ggml::Type> weights_named(std::string_view name);
std::optional<ggml::Acts> acts_named(std::string_view name);

/// The block of a format of weights or activations; null for one that is not known here.
const blocks::Format* format_named(std::string_view name);
/// Bytes of a block of a format that is known here.
std::optional<size_t> block_bytes(std::string_view name);
/// What the structure of a block demands of an address: 1, 2 or 4 bytes.
int alignment(std::string_view name);

/// What the signature and ggml's habits say: k_multiple, alignments, no over-read.
Contract contract(const KernelInfo& function);
/// Why there is nothing to compare that function with; empty if there is.
std::string why_no_oracle(const KernelInfo& function);
/// Whether it is verified without an oracle, by relations between its own answers (harness/foreign/relations.h).
bool has_relations(const KernelInfo& function);
/// why_no_oracle(), but empty for one that has relations.
std::string why_not_verified(const KernelInfo& function);

std::string_view name(Role role);

}  // namespace tritcheck::foreign
