// Text made fit for XML 1.0.
#pragma once

#include <string>
#include <string_view>

namespace tritcheck {

/// Escapes markup, for attribute values and for element content. Line feeds and tabs become character
/// references in attributes (where a parser would turn them into spaces) and stay in content. Characters that XML
/// cannot hold, and bytes that are not UTF-8, are spelled \xNN.
std::string xml_attribute(std::string_view text);
std::string xml_content(std::string_view text);

}  // namespace tritcheck
