// Quantisers: how they round, and what else they write.
#include <fmt/format.h>

#include <algorithm>

#include "harness/foreign/steps.h"

namespace tritcheck::foreign {

Found quantiser(std::span<const Failed> failures) {
  const Failed& f = failures.front();
  if (f.judgement.got.empty() || f.judgement.wrong.empty()) return std::nullopt;
  const blocks::Format& format = *format_named(f.problem().format);
  const size_t first_code = f.problem().format == "q8_0" ? 2 : 4;
  const size_t codes_end = first_code + format.elements;
  // whether every wrong byte is a code that is one off, which is what another rule for ties does
  bool only_ties = true;
  bool only_codes = true;
  for (const Failed& one : failures) {
    const auto is_right = [&](size_t at, double v) { return one.expected().rows.front()[at] == v; };
    only_ties = only_ties && one.prepared->spec.probe == "tie";
    for (const int32_t i : one.judgement.wrong) {
      const auto at = static_cast<size_t>(i);
      only_codes = only_codes && at % format.bytes >= first_code && at % format.bytes < codes_end &&
                   !is_right(at, one.judgement.got[at]);
    }
  }
  const auto at = static_cast<size_t>(f.judgement.wrong.front());
  const std::string evidence =
      fmt::format("byte {} of block {}: {:#04x}; a right quantiser writes {:#04x}", at % format.bytes,
                  at / format.bytes, static_cast<int>(f.judgement.got[at]), f.expected().rows.front()[at]);
  if (only_ties && only_codes) {
    return Diagnosis{
        "rounding-rule", "values halfway between two codes are rounded as no known quantiser rounds them", {evidence}};
  }
  return Diagnosis{"quantiser",
                   only_codes ? "codes differ from those of every known quantiser"
                              : "scales or sums differ from those of every known quantiser",
                   {evidence, fmt::format("wrong in {} cases, first K = {}", failures.size(), f.problem().k)}};
}

}  // namespace tritcheck::foreign
