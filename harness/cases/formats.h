// The formats of blocks, by the names that ggml gives them: their traits, and what a function on them promises.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/protocol/executor.h"
#include "reference/ggml_dot.h"

namespace tritcheck {

/// A format of weights and what it is multiplied with, by ggml's names: {"q4_K", "q8_K"}.
struct VecDotPair {
  std::string weights;
  std::string acts;
};
/// Every pair that has an oracle.
const std::vector<VecDotPair>& vec_dot_pairs();
/// The formats of activations: "q8_0", "q8_1", "q8_K".
const std::vector<std::string>& act_formats();

std::optional<ggml::Type> weights_named(std::string_view name);
std::optional<ggml::Acts> acts_named(std::string_view name);

/// Every format of blocks or plain floats that a case can be about, of weights and of activations.
const std::vector<std::string>& block_formats();
/// The format of the activations that weights of this format are multiplied with; empty if it is not known.
std::string acts_beside(std::string_view format);

/// The block of a format of weights or activations; null for one that is not known here.
const blocks::Format* format_named(std::string_view name);
/// Bytes of a block of a format that is known here.
std::optional<size_t> block_bytes(std::string_view name);
/// What the structure of a block demands of an address: 1, 2 or 4 bytes.
int alignment(std::string_view name);

/// Of a function whose contract says no more than its operation: what the signature and ggml's habits say: k_multiple,
/// alignments, no over-read.
Contract contract_of(const KernelInfo& function);
/// Why there is nothing to compare that function with; empty if there is.
std::string why_no_oracle(const KernelInfo& function);
/// Whether it is verified without an oracle, by relations between its own answers
/// (harness/diagnose/blocks/relations.h).
bool has_relations(const KernelInfo& function);
/// why_no_oracle(), but empty for one that has relations.
std::string why_not_verified(const KernelInfo& function);

}  // namespace tritcheck
