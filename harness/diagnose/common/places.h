// Buffers and places in them, in words.
#pragma once

#include <string>
#include <string_view>

#include "harness/diagnose/common/suspect.h"

namespace tritcheck {

/// "the weights", "the activations", "the output"; the operand of a quantiser is "the floats".
std::string_view name_of(Buffer buffer, const Problem& problem);
/// "5 bytes past the end of the weights", "at byte 3 of the activations".
std::string place_of_fault(const Failed& failure);

}  // namespace tritcheck
