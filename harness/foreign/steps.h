// Inside the diagnosis of foreign functions: the steps that each recognise one group of causes.
#pragma once

#include <optional>
#include <span>

#include "harness/cases/formats.h"
#include "harness/diagnose/diagnose.h"
#include "harness/foreign/lens.h"

namespace tritcheck::foreign {

using Found = std::optional<Diagnosis>;

/// Names the cause of failures on blocks.
Diagnosis diagnose_blocks(const Suspect& suspect, std::span<const Failed> failures);
/// Death, hanging, memory that is not its own, output that was not written.
Found process_and_memory(const Suspect& suspect, std::span<const Failed> failures);
/// Two rows at a time are wrong where one is right.
Found rows_of_two(std::span<const Failed> failures);
/// Two rows at a time: the right results at places of another stride.
Found misplaced(std::span<const Failed> failures);
/// The linear map: another way to read all scales of a block.
Found readings(const Lens& lens);
/// The linear map: positions, codes, offsets. Sets `plain` if every weight was seen to meet its own activation with its
/// own value.
Found codes(const Lens& lens, bool& plain);
/// The linear map: scales of blocks, of sub-blocks, of activations, and minima. Sets `plain` likewise.
Found scales(const Lens& lens, bool& plain);
/// What depends on magnitudes: wraps, clamps, lost precision, special scales.
Found magnitudes(std::span<const Failed> failures);
/// Functions without an oracle: the relation that does not hold.
Found broken_relation(const Suspect& suspect, std::span<const Failed> failures);
/// Quantisers: rounding, scales.
Found quantiser(std::span<const Failed> failures);

}  // namespace tritcheck::foreign
