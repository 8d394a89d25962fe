// Values of options, read strictly. Each throws UserError(kExitUsage) with a line that names the option, the text it
// got and what it wants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/cli/command_line.h"

namespace tritcheck::cli {

/// A decimal whole number from low to high.
uint64_t whole_value(const std::string& option, const std::string& text, uint64_t low, uint64_t high);
/// Seconds from 0.001 to 3600, such as "2" or "0.5", as milliseconds.
int milliseconds_value(const std::string& option, const std::string& text);
Layout layout_value(const std::string& option, const std::string& text);
Format format_value(const std::string& option, const std::string& text);
engine::Act act_value(const std::string& option, const std::string& text);
Colour colour_value(const std::string& option, const std::string& text);
/// "kernels", "probes", "targets" or "bugs".
std::string list_value(const std::string& text);
/// Names of a comma list of instruction sets.
std::vector<std::string> isa_values(const std::string& option, const std::string& text);
/// The same from the environment variable TRITCHECK_ISA.
std::vector<std::string> isa_from_environment_value();

}  // namespace tritcheck::cli
