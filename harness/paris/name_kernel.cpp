#include <fmt/format.h>

#include "harness/paris/exactness.h"
#include "harness/verify/verify.h"

namespace tritcheck {
namespace {

// What a verification of the suspect alone says, if it finds anything. Throws UserError if it did not run at all.
bool take_failure(const Report& report, WrongStep& wrong, const std::string& where) {
  bool ran = false;
  std::string why = "nothing ran";
  for (const KernelReport& k : report.kernels) {
    ran = ran || k.verdict != Verdict::skipped;
    if (!k.reason.empty()) why = k.reason;
    if (!k.skipped_cases.empty()) why = k.skipped_cases.front().first;
    if (!k.failure) continue;
    wrong.diagnosis = k.failure->diagnosis;
    wrong.detail += fmt::format("{}{}: {}", wrong.detail.empty() ? "" : "; ", where, k.failure->sentence);
    wrong.case_text = k.failure->case_text;
    wrong.repro = k.failure->repro;
    return true;
  }
  if (!ran) throw UserError(kExitNothingRan, why);
  return false;
}

}  // namespace

void name_wrong_kernel(const ParisOptions& options, Layout layout, WrongStep& wrong) {
  VerifyOptions v;
  v.kernels = {wrong.kernel};
  v.devices = {options.device};
  v.level = Level::quick;
  v.isa = options.isa;
  v.program = options.program;
  v.force = true;
  v.layout = layout;
  try {
    if (take_failure(verify(v, {}), wrong, "verified by itself")) return;
    v.model = options.model;
    if (take_failure(verify(v, {}), wrong, "verified on this file's rows")) return;
    // golden's own numbers
    v.model.clear();
    for (const std::string& literal : wrong.literal_cases) {
      if (take_failure(replay(literal, v), wrong, "on golden's numbers")) return;
    }
    wrong.detail += fmt::format(
        "{}verified by itself, {} is right: what calls it, or these activations, make the "
        "difference",
        wrong.detail.empty() ? "" : "; ", wrong.kernel);
  } catch (const UserError& e) {
    wrong.detail += fmt::format("{}it could not be verified by itself: {}", wrong.detail.empty() ? "" : "; ", e.what());
  }
}

}  // namespace tritcheck
