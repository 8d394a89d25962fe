#include "harness/cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "harness/base/console.h"
#include "harness/base/match.h"
#include "kernels/dispatch.h"

namespace tritcheck::cli {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& text, const std::string& wanted) {
  throw UserError(kExitUsage, fmt::format("{}: '{}' is not {}", option, printable(text), wanted));
}

template <typename Number>
bool read_whole_text(const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

std::vector<std::string> names_of(const IsaList& list) {
  std::vector<std::string> names;
  for (const Isa isa : list) names.emplace_back(name(isa));
  return names;
}

// Index of the word in the list.
size_t choice(const std::string& option, const std::string& text, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  std::string wanted;
  for (size_t i = 0; i < words.size(); ++i) wanted += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  refuse(option, text, wanted + did_you_mean(text, words));
}

}  // namespace

uint64_t whole_value(const std::string& option, const std::string& text, uint64_t low, uint64_t high) {
  uint64_t value = 0;
  if (!read_whole_text(text, value) || value < low || value > high) {
    refuse(option, text, fmt::format("a whole number from {} to {}", low, high));
  }
  return value;
}

int milliseconds_value(const std::string& option, const std::string& text) {
  double seconds = 0;
  const bool number = read_whole_text(text, seconds);
  if (!number || !(seconds >= 0.001) || seconds > 3600) refuse(option, text, "a number of seconds from 0.001 to 3600");
  return static_cast<int>(std::lround(seconds * 1000));
}

Layout layout_value(const std::string& option, const std::string& text) {
  std::vector<std::string> names;
  for (const Layout layout : i2_s::kLayouts) names.emplace_back(i2_s::name(layout));
  return i2_s::kLayouts[choice(option, text, names)];
}

Format format_value(const std::string& option, const std::string& text) {
  constexpr Format formats[] = {Format::text, Format::json, Format::junit, Format::upstream};
  return formats[choice(option, text, {"text", "json", "junit", "upstream"})];
}

engine::Act act_value(const std::string& option, const std::string& text) {
  constexpr engine::Act acts[] = {engine::Act::automatic, engine::Act::row, engine::Act::block, engine::Act::none};
  return acts[choice(option, text, {"auto", "row", "block", "none"})];
}

Colour colour_value(const std::string& option, const std::string& text) {
  constexpr Colour colours[] = {Colour::automatic, Colour::always, Colour::never};
  return colours[choice(option, text, {"auto", "always", "never"})];
}

std::string list_value(const std::string& text) {
  choice("list", text, {"kernels", "probes", "targets", "bugs"});
  return text;
}

std::vector<std::string> isa_values(const std::string& option, const std::string& text) {
  try {
    return names_of(parse_isa_list(text));
  } catch (const std::invalid_argument& e) {
    throw UserError(kExitUsage, fmt::format("{}: {}", option, printable(e.what())));
  }
}

std::vector<std::string> isa_from_environment_value() {
  try {
    return names_of(isa_from_environment());
  } catch (const std::invalid_argument& e) {
    throw UserError(kExitUsage, printable(e.what()));
  }
}

}  // namespace tritcheck::cli
