#include "harness/report/failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/console.h"
#include "harness/report/summary.h"

namespace tritcheck {
namespace {

constexpr size_t kShownOutputs = 12;

// All outputs if they are few; else a window that begins shortly before the first difference.
std::string side_by_side(const Failure& failure, const TextOptions& options) {
  const size_t n = std::max(failure.expected.size(), failure.got.size());
  if (n == 0) return {};
  const auto at = [](const std::vector<std::string>& list, size_t i) {
    return i < list.size() ? list[i] : std::string("-");
  };
  size_t first = 0;
  while (first < n && at(failure.expected, first) == at(failure.got, first)) ++first;
  const size_t begin =
      n <= kShownOutputs || first == n ? 0 : std::min(first - std::min<size_t>(first, 2), n - kShownOutputs);
  const size_t end = std::min(n, begin + kShownOutputs);

  using Align = Table::Align;
  Table table({Align::right, Align::right, Align::right, Align::left}, {"output", "expected", "got", ""});
  for (size_t i = begin; i < end; ++i) {
    const std::string expected = at(failure.expected, i);
    const std::string got = at(failure.got, i);
    const bool differs = expected != got;
    const int64_t number = i < failure.outputs.size() ? failure.outputs[i] : static_cast<int64_t>(i);
    table.add({{std::to_string(number)}, {expected}, {got, differs ? Style::bad : Style::plain}, {differs ? "<" : ""}});
  }
  std::string text = table.to_string(static_cast<size_t>(options.width), options.colour, "    ");
  if (end - begin < n) text += fmt::format("    ({} of {} outputs shown)\n", end - begin, n);
  return text;
}

}  // namespace

std::string failure_text(const KernelReport& kernel, const TextOptions& options) {
  if (!kernel.failure) return {};
  const Failure& failure = *kernel.failure;
  const auto width = static_cast<size_t>(options.width);

  std::string text = fmt::format("{} {} on {}: {}", styled("FAILED", Style::bad, options.colour),
                                 styled(printable(kernel.kernel.name), Style::bold, options.colour),
                                 printable(kernel.target), verdict_name(kernel.verdict));
  if (!failure.family.empty()) text += fmt::format(" in family {}", printable(failure.family));
  text += fmt::format("\n  {}\n", styled(printable(failure.diagnosis), Style::warn, options.colour));
  text += wrapped(printable(failure.sentence), width, "    ");
  for (const std::string& line : failure.evidence) {
    std::string bullet = wrapped(printable(line), width, "      ");
    if (!bullet.empty()) bullet[4] = '-';
    text += bullet;
  }
  text += side_by_side(failure, options);
  if (!failure.case_text.empty()) text += fmt::format("  case:  {}\n", printable(failure.case_text));
  if (!failure.repro.empty()) text += fmt::format("  repro: {}\n", printable(failure.repro));
  return text;
}

}  // namespace tritcheck
