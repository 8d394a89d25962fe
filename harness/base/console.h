// Plain text for a terminal: colours, columns, wrapping.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tritcheck {

enum class Style : uint8_t { plain, bold, dim, good, bad, warn };
/// The text in that style; unchanged if colour is off.
std::string styled(std::string_view text, Style style, bool colour);

/// Control characters spelled \xNN, so that no name or note from a file or a kernel can steer a terminal.
std::string printable(std::string_view text);
/// Columns the text takes: its UTF-8 code points.
size_t columns(std::string_view text);
/// Cut to that many columns, ending in "..." if anything was lost.
std::string fitted(std::string_view text, size_t width);
/// Words filled into lines of at most `width` columns (a longer word gets a line of its own), each after `indent`.
std::string wrapped(std::string_view text, size_t width, std::string_view indent);

/// "0.4 ms", "12 ms", "1.2 s", "2 min 5 s".
std::string duration(double seconds);
/// "1 kernel", "3 kernels".
std::string counted(int64_t n, std::string_view noun);

struct Cell {
  std::string text;
  Style style = Style::plain;
};

/// Columns as wide as their widest cell. If a line would be wider than `width`, the widest column is cut.
class Table {
 public:
  enum class Align : uint8_t { left, right };

  /// One alignment per column, and the headings.
  Table(std::vector<Align> align, std::vector<std::string> headings);
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.size() == 1; }
  std::string to_string(size_t width, bool colour, std::string_view indent = "  ") const;

 private:
  std::vector<Align> align_;
  std::vector<std::vector<Cell>> rows_;  // the headings first
};

/// ", about 4 min left", from the share of the work that took so long; empty while that says nothing, or little is
/// left.
std::string time_left(double elapsed_s, double share);

}  // namespace tritcheck
