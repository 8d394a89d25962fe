#include "harness/foreign/case.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "harness/case_text.h"
#include "harness/foreign/formats.h"

namespace tritcheck::foreign {
namespace {

constexpr Role kRoles[] = {Role::vec_dot, Role::to_float, Role::from_float};

[[noreturn]] void fail(const std::string& what) {
  throw std::invalid_argument(plain_ascii("case: " + what));
}

template <class T>
T number(std::string_view key, std::string_view text, T low, T high) {
  return case_number(key, text, low, high, fail);
}

// "q4_K.vec_dot" in two; nothing if the role is none of these.
std::optional<std::pair<std::string, Role>> head_of(std::string_view text) {
  const std::string_view head = text.substr(0, text.find(':'));
  const size_t dot = head.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const Role role : kRoles) {
    if (name(role) == head.substr(dot + 1)) return std::pair(std::string(head.substr(0, dot)), role);
  }
  return std::nullopt;
}

}  // namespace

int64_t Case::param(std::string_view key, int64_t otherwise) const {
  const auto found = params.find(std::string(key));
  return found == params.end() ? otherwise : found->second;
}

std::string to_string(const Case& c) {
  std::string s = c.format + "." + std::string(name(c.role)) + ":k=" + std::to_string(c.k);
  if (c.role == Role::vec_dot) s += ":n=" + std::to_string(c.n);
  s += ":probe=" + c.probe + ":seed=" + std::to_string(c.seed);
  for (const auto& [key, value] : c.params) s += ":" + key + "=" + std::to_string(value);
  return s + place_text(c);
}

bool is_case(std::string_view text) {
  return head_of(text).has_value();
}

Case parse_case(std::string_view text) {
  const auto head = head_of(text);
  if (!head)
    fail("'" + std::string(text.substr(0, text.find(':'))) + "' is not FORMAT.vec_dot, .to_float or .from_float");
  Case c;
  c.format = head->first;
  c.role = head->second;
  if (format_named(c.format) == nullptr) fail("no oracle for the format '" + c.format + "'");
  constexpr int64_t kMax = int64_t{1} << 40;
  std::vector<std::string_view> seen;
  for (size_t at = text.find(':'); at != std::string_view::npos;) {
    const size_t next = text.find(':', at + 1);
    const std::string_view part = text.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    at = next;
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) fail("'" + std::string(part) + "' is not key=value");
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = part.substr(equals + 1);
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) fail("'" + std::string(key) + "' is given twice");
    seen.push_back(key);
    if (key == "k") {
      c.k = number<int64_t>(key, value, 1, int64_t{1} << 20);
    } else if (key == "n") {
      c.n = number<int32_t>(key, value, 1, 2);
    } else if (key == "probe") {
      c.probe = value;
    } else if (key == "seed") {
      c.seed = number<uint64_t>(key, value, 0, UINT64_MAX);
    } else if (!take_place(key, value, c, fail)) {
      c.params[std::string(key)] = number<int64_t>(key, value, -kMax, kMax);
    }
  }
  for (const char* needed : {"k", "probe"}) {
    if (std::find(seen.begin(), seen.end(), needed) == seen.end()) fail("'" + std::string(needed) + "=' is missing");
  }
  return c;
}

}  // namespace tritcheck::foreign
