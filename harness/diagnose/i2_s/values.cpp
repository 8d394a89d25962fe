#include "harness/diagnose/i2_s/values.h"

#include <algorithm>

#include "harness/diagnose/i2_s/steps.h"

namespace tritcheck::i2_s_steps {

Found misplaced(const Suspect& suspect, std::span<const Failed> failures) {
  const auto strided = [](const Failed& f) { return f.problem().out_stride >= 2; };
  const auto found = std::ranges::find_if(failures, strided);
  if (found == failures.end()) return std::nullopt;
  Found d = outputs_misplaced(Asker(suspect), *found);
  if (d) d->based_on = static_cast<size_t>(found - failures.begin());
  return d;
}

Found wild_address(const Suspect& suspect, const Failed& failure) {
  return rows_misplaced(Asker(suspect), failure);
}

Found wrong_values(const Suspect& suspect, const Failed& f, std::span<const Failed> failures) {
  const Asker ask(suspect);
  Base base{f.problem().k, f.problem().n, f.judgement.wrong.empty() ? 0 : f.judgement.wrong[0]};
  if (f.judgement.got.empty()) {
    // the failing call never returned; in roomy memory it may
    const Answer roomy = ask.ask(f.problem());
    if (!roomy.returned) return rows_misplaced(ask, f);
    const auto wrong = std::ranges::mismatch(roomy.values, f.expected().values).in1;
    if (wrong != roomy.values.end()) base.output = static_cast<int32_t>(wrong - roomy.values.begin());
  }
  Found d = rows_misplaced(ask, f);
  if (!d) d = scales(ask, base);
  if (!d) d = offsets_and_codes(ask, base);
  bool plain = false;
  if (!d) d = structure(ask, base, plain);
  if (!d && plain) d = magnitudes(ask, base, failures);
  if (!d && plain) d = shortcuts(ask, base, failures);
  return d;
}

}  // namespace tritcheck::i2_s_steps
