// Which kernel to use for an operation on this machine.
//
//   const Kernel* best = select(Op::dot, Layout::x86_128, detect(), isa_from_environment());
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/features.h"

namespace tritcheck {

/// Instruction sets the user allows. Empty means all; scalar is always allowed.
using IsaList = std::vector<Isa>;

/// Reads a comma list such as "avx2,ssse3"; blanks around names and an empty text are fine. Throws
/// std::invalid_argument with one line that names the unknown word and the known ones.
IsaList parse_isa_list(std::string_view text);
/// The same of names that are apart already.
IsaList isa_list(std::span<const std::string> names);
/// The instruction set of that name, or nothing.
std::optional<Isa> isa_of(std::string_view name);

/// The list in the environment variable TRITCHECK_ISA; empty if it is not set. Throws as parse_isa_list does.
IsaList isa_from_environment();

bool allowed(Isa isa, std::span<const Isa> allow);

/// The native kernel of the strongest instruction set that is compiled in, supported and allowed; null if the registry
/// has none for this operation and layout. SIMDe kernels are for testing and are never selected. Of several kernels
/// with one instruction set the first in the registry wins.
const Kernel* select(Op op, Layout layout, const Features& features, std::span<const Isa> allow = {},
                     std::span<const Kernel> from = kernels());
/// The same of the dot products of a format of blocks ("tq2_0"), which select() never returns.
const Kernel* select_vec_dot(std::string_view format, const Features& features, std::span<const Isa> allow = {},
                             std::span<const Kernel> from = kernels());

}  // namespace tritcheck
