#include "harness/cases/case.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "harness/cases/case_text.h"
#include "harness/cases/formats.h"

namespace tritcheck {
namespace {

constexpr std::string_view kShape = "tritcheck list probes shows examples";

[[noreturn]] void fail(const std::string& what) {
  throw std::invalid_argument(plain_ascii("case: " + what + " (" + std::string(kShape) + ")"));
}

template <class T>
T number(std::string_view key, std::string_view text, T low, T high) {
  return case_number(key, text, low, high, fail);
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string hex(std::span<const uint8_t> bytes) {
  std::string out;
  for (uint8_t b : bytes) out += two_hex_digits(b);
  return out;
}

std::vector<uint8_t> bytes_of(std::string_view key, std::string_view text) {
  if (text.size() % 2 != 0 || text.size() / 2 > Case::kMostLiteral)
    fail("'" + std::string(key) + "' is not pairs of hex digits, or more than " + std::to_string(Case::kMostLiteral));
  std::vector<uint8_t> out;
  for (size_t i = 0; i < text.size(); i += 2) {
    const auto byte = hex_byte_at(text, i);
    if (!byte) fail("'" + std::string(text.substr(i, 2)) + "' in '" + std::string(key) + "' is not two hex digits");
    out.push_back(*byte);
  }
  return out;
}

// The canonical name of a format, whatever its case; throws for one that is not known.
std::string format_of(std::string_view text) {
  const auto same = [text](std::string_view name) {
    return std::ranges::equal(name, text, [](char a, char b) { return std::tolower(a) == std::tolower(b); });
  };
  if (same("i2_s")) return "i2_s";
  for (const std::string& name : block_formats()) {
    if (same(name)) return name;
  }
  fail("no oracle for the format '" + std::string(text) + "'");
}

// "q4_K.vec_dot" in two.
void set_head(Case& c, std::string_view head) {
  const size_t dot = head.find('.');
  const std::string_view op = dot == std::string_view::npos ? "" : head.substr(dot + 1);
  const auto* found = std::find_if(std::begin(kOps), std::end(kOps), [&](Op o) { return name(o) == op; });
  if (dot == std::string_view::npos)
    fail("'" + std::string(head) + "' should begin with FORMAT.OPERATION, as 'i2_s.dot' or 'q4_K.vec_dot'");
  c.format = format_of(head.substr(0, dot));
  const bool i2_s = c.of_i2_s();
  if (found == std::end(kOps) || i2_s != (*found < Op::vec_dot)) {
    fail("unknown operation '" + std::string(op) + "' of " + c.format + "; " +
         (i2_s ? "dot, rows, acts and gemv exist" : "vec_dot, to_float and from_float exist"));
  }
  c.op = *found;
}

std::string_view today(std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> kPast[] = {
      {"xoff", "woff"}, {"yoff", "qoff"}, {"xpad", "wpad"}, {"ypad", "qpad"}};
  for (const auto& [then, now] : kPast) {
    if (key == then) return now;
  }
  return key;
}

void set(Case& c, std::string_view key, std::string_view value) {
  constexpr int64_t kMax = int64_t{1} << 40;
  if (key == "layout" && c.of_i2_s()) {
    const auto layout = i2_s::layout_of(value);
    if (!layout) fail("unknown layout '" + std::string(value) + "'; x86_128, arm_64, rows_1x4 and linear exist");
    c.layout = *layout;
  } else if (key == "k") {
    c.k = number<int64_t>(key, value, 1, int64_t{1} << (c.of_i2_s() ? 24 : 20));
  } else if (key == "n") {
    c.n = number<int32_t>(key, value, 1, c.of_i2_s() ? 1 << 20 : 2);
  } else if (key == "probe") {
    c.probe = value;
  } else if (key == "seed") {
    c.seed = number<uint64_t>(key, value, 0, UINT64_MAX);
  } else if (key == "model") {
    c.model = value;
  } else if (key == "tensor") {
    c.tensor = unescaped_name(value, fail);
  } else if (key == "row") {
    c.row = number<int64_t>(key, value, 0, kMax);
  } else if (key == "wbytes") {
    c.wbytes = bytes_of(key, value);
  } else if (key == "qbytes") {
    c.qbytes = bytes_of(key, value);
  } else {
    c.params[std::string(key)] = number<int64_t>(key, value, -kMax, kMax);
  }
}

}  // namespace

int64_t Case::param(std::string_view key, int64_t otherwise) const {
  const auto found = params.find(std::string(key));
  return found == params.end() ? otherwise : found->second;
}

std::string Case::question() const {
  return format + "." + std::string(name(op));
}

std::string to_string(const Case& c) {
  std::string s = c.question();
  if (c.of_i2_s()) s += ":layout=" + std::string(i2_s::name(c.layout));
  s += ":k=" + std::to_string(c.k);
  if (c.op != Op::to_float && c.op != Op::from_float) s += ":n=" + std::to_string(c.n);
  s += ":probe=" + c.probe + ":seed=" + std::to_string(c.seed);
  for (const auto& [key, value] : c.params) s += ":" + key + "=" + std::to_string(value);
  if (!c.wbytes.empty()) s += ":wbytes=" + hex(c.wbytes);
  if (!c.qbytes.empty()) s += ":qbytes=" + hex(c.qbytes);
  if (!c.model.empty())
    s += ":model=" + c.model + ":tensor=" + escaped_name(c.tensor) + ":row=" + std::to_string(c.row);
  return s;
}

Case parse_case(std::string_view text) {
  const auto parts = split(text, ':');
  Case c;
  set_head(c, parts[0]);
  std::vector<std::string_view> seen;
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    if (equals == std::string_view::npos || equals == 0) fail("'" + std::string(parts[i]) + "' is not key=value");
    const std::string_view key = today(parts[i].substr(0, equals));
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) fail("'" + std::string(key) + "' is given twice");
    seen.push_back(key);
    set(c, key, parts[i].substr(equals + 1));
  }
  for (const std::string_view needed : {"layout", "k", "probe"}) {
    if (needed == "layout" && !c.of_i2_s()) continue;
    if (std::find(seen.begin(), seen.end(), needed) == seen.end()) fail("'" + std::string(needed) + "=' is missing");
  }
  return c;
}

}  // namespace tritcheck
