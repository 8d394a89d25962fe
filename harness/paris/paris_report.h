// What a person, and a machine, reads of a comparison.
#pragma once

#include <string>

#include "harness/paris/paris.h"

namespace tritcheck {

std::string paris_text(const ParisReport& report, bool colour, int width);
/// Every number of the report; NaN and infinity as null.
std::string paris_json(const ParisReport& report);
/// Two test cases, text and exactness, and one for each prompt.
std::string paris_junit(const ParisReport& report);

}  // namespace tritcheck
