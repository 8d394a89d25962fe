// Inside the diagnosis of blocks: the steps that each recognise one group of causes.
#pragma once

#include <optional>
#include <span>

#include "harness/cases/formats.h"
#include "harness/diagnose/blocks/lens.h"
#include "harness/diagnose/common/steps.h"

namespace tritcheck::block_steps {

/// Two rows at a time are wrong where one is right.
Found rows_of_two(std::span<const Failed> failures);
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

}  // namespace tritcheck::block_steps
