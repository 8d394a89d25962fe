#include "harness/base/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tritcheck {
namespace {

bool starts_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

}  // namespace

std::string styled(std::string_view text, Style style, bool colour) {
  if (!colour || style == Style::plain || text.empty()) return std::string(text);
  constexpr std::string_view codes[] = {"0", "1", "2", "32", "1;31", "33"};
  return fmt::format("\033[{}m{}\033[0m", codes[static_cast<int>(style)], text);
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

size_t columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string fitted(std::string_view text, size_t width) {
  if (columns(text) <= width) return std::string(text);
  const size_t keep = width < 3 ? 0 : width - 3;
  size_t seen = 0;
  size_t end = 0;
  while (end < text.size() && (seen < keep || !starts_code_point(text[end]))) {
    ++end;
    if (end < text.size() && starts_code_point(text[end])) ++seen;
  }
  return std::string(text.substr(0, end)) + std::string("...").substr(0, width);
}

std::string wrapped(std::string_view text, size_t width, std::string_view indent) {
  const size_t room = width > indent.size() + 20 ? width - indent.size() : 20;
  std::string out;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) out += fmt::format("{}{}\n", indent, line);
    line.clear();
  };
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && columns(line) + 1 + columns(word) > room) flush();
    if (!line.empty()) line += ' ';
    line += word;
  }
  flush();
  return out;
}

std::string duration(double seconds) {
  const double ms = seconds * 1e3;
  if (ms < 9.95) return fmt::format("{:.1f} ms", ms);
  if (ms < 999.5) return fmt::format("{:.0f} ms", ms);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string counted(int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

Table::Table(std::vector<Align> align, std::vector<std::string> headings) : align_(std::move(align)) {
  std::vector<Cell> first;
  for (std::string& h : headings) first.push_back({std::move(h), Style::dim});
  rows_.push_back(std::move(first));
}

void Table::add(std::vector<Cell> row) {
  row.resize(align_.size());
  for (Cell& cell : row) cell.text = printable(cell.text);
  rows_.push_back(std::move(row));
}

std::string Table::to_string(size_t width, bool colour, std::string_view indent) const {
  constexpr size_t kGap = 2;
  std::vector<size_t> widths(align_.size());
  for (const auto& row : rows_) {
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], columns(row[i].text));
  }
  size_t total = indent.size() + kGap * (widths.size() - 1);
  for (const size_t w : widths) total += w;
  if (total > width) {
    size_t& widest = *std::max_element(widths.begin(), widths.end());
    widest -= std::min(total - width, widest - std::min<size_t>(widest, 12));
  }

  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string text = fitted(row[i].text, widths[i]);
      const std::string pad(widths[i] - columns(text), ' ');
      if (i > 0) line.append(kGap, ' ');
      if (align_[i] == Align::right) line += pad;
      line += styled(text, row[i].style, colour);
      if (align_[i] == Align::left) line += pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string time_left(double elapsed_s, double share) {
  constexpr double kWorthTelling = 10;
  if (share <= 0 || elapsed_s < 2) return "";
  const double left = elapsed_s * (1 - share) / share;
  if (left < kWorthTelling) return "";
  return left < 100 ? fmt::format(", about {:.0f} s left", left) : fmt::format(", about {:.0f} min left", left / 60);
}

}  // namespace tritcheck
