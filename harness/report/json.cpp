// docs/report-schema.md describes what is written here; keep both alike.
#include <nlohmann/json.hpp>

#include "harness/cases/formats.h"
#include "harness/report/report.h"
#include "harness/report/summary.h"

namespace tritcheck {
namespace {

using Json = nlohmann::ordered_json;

Json contract_json(const Contract& c) {
  return {{"op", name(c.op)},          {"layout", c.op >= Op::vec_dot ? Json(nullptr) : Json(i2_s::name(c.layout))},
          {"result", name(c.result)},  {"k_multiple", c.k_multiple},
          {"k_max", c.k_max},          {"row_multiple", c.row_multiple},
          {"q_min", c.q_min},          {"max_code", c.max_code},
          {"align_w", c.align_w},      {"align_q", c.align_q},
          {"align_out", c.align_out},  {"overread_w", c.overread_w},
          {"overread_q", c.overread_q}};
}

std::string_view role_name(const KernelInfo& k) {
  if (k.role != Role::function) return k.role == Role::i2_dot ? "i2_dot" : "library";
  return k.of_i2_s() ? "kernel" : name(k.contract.op);
}

Json failure_json(const Failure& f) {
  return {{"diagnosis", f.diagnosis}, {"sentence", f.sentence}, {"evidence", f.evidence}, {"family", f.family},
          {"case", f.case_text},      {"expected", f.expected}, {"got", f.got},           {"outputs", f.outputs},
          {"repro", f.repro}};
}

Json museum_json(const KernelReport& k) {
  if (!k.kernel.is_bug) return nullptr;
  return {{"expected_diagnosis", k.kernel.diagnosis},
          {"summary", k.kernel.summary},
          {"outcome", museum_outcome_name(museum_outcome(k))}};
}

Json kernel_json(const KernelReport& k) {
  Json families = Json::array();
  for (const FamilyCount& f : k.families) {
    families.push_back({{"family", f.family}, {"cases", f.cases}, {"failed", f.failed}});
  }
  Json skipped = Json::array();
  for (const auto& [reason, count] : k.skipped_cases) skipped.push_back({{"reason", reason}, {"cases", count}});
  return {{"kernel", k.kernel.name},
          {"target", k.target},
          {"isa", name(k.kernel.isa)},
          {"via", name(k.kernel.via)},
          {"runnable", k.kernel.runnable},
          {"why_not", k.kernel.why_not},
          {"selected", k.kernel.selected},
          {"role", role_name(k.kernel)},
          {"format", k.kernel.format},
          {"acts", k.kernel.acts},
          {"nrows", k.kernel.nrows},
          {"needs", k.kernel.needs},
          {"contract", k.kernel.role == Role::library ? Json(nullptr) : contract_json(k.kernel.contract)},
          {"museum", museum_json(k)},
          {"verdict", verdict_name(k.verdict)},
          {"reason", k.reason},
          {"known_defect", k.known_defect},
          {"oracle", why_no_oracle(k.kernel).empty()},
          {"cases", k.cases},
          {"first_failed", k.first_failed == 0 ? Json(nullptr) : Json(k.first_failed)},
          {"seconds", k.seconds},
          {"families", families},
          {"skipped_cases", skipped},
          {"failure", k.failure ? failure_json(*k.failure) : Json(nullptr)}};
}

Json library_json(const LibraryInfo& l) {
  if (l.path.empty()) return nullptr;
  return {{"path", l.path}, {"version", l.version}, {"abi", l.abi}, {"types", l.types}, {"notes", l.notes}};
}

Json target_json(const TargetReport& t) {
  return {{"target", t.target},          {"arch", t.worker.arch},
          {"emulated", t.emulated},      {"compiler", t.worker.compiler},
          {"flags", t.worker.flags},     {"cpu", t.worker.cpu},
          {"protocol", t.worker.schema}, {"library", library_json(t.worker.library)}};
}

Json model_json(const ModelReport& m) {
  return {{"path", m.path},
          {"sha256_16", m.hash},
          {"layout", m.i2_s ? Json(i2_s::name(m.layout)) : Json(nullptr)},
          {"layout_given", m.layout_given},
          {"formats", m.formats},
          {"tensors", m.tensors},
          {"rows", m.rows},
          {"cases", m.cases}};
}

Json ledger_json(const Report& report) {
  Json list = Json::array();
  for (const LedgerEntry& e : ledger(report)) {
    list.push_back({{"kernel", e.kernel},
                    {"isa", name(e.isa)},
                    {"compiled", e.compiled},
                    {"selected", e.selected},
                    {"simde", e.simde},
                    {"emulated", e.emulated},
                    {"silicon", e.silicon}});
  }
  return list;
}

}  // namespace

std::string json_report(const Report& report, const ReportContext& context) {
  const Tally t = tally(report);
  Json targets = Json::array();
  for (const TargetReport& target : report.targets) targets.push_back(target_json(target));
  Json kernels = Json::array();
  for (const KernelReport& kernel : report.kernels) kernels.push_back(kernel_json(kernel));

  const Json root = {
      {"schema", kReportSchema},
      {"program",
       {{"name", "tritcheck"},
        {"version", context.build.version},
        {"compiler", context.build.compiler},
        {"flags", context.build.flags},
        {"cpu", context.build.cpu}}},
      {"seed", report.seed},
      {"level", level_name(report.level)},
      {"exit_code", context.exit_code},
      {"interrupted", report.interrupted},
      {"seconds", report.seconds},
      {"cpu_seconds", report.cpu_seconds},
      {"summary", {{"passed", t.passed}, {"failed", t.failed}, {"skipped", t.skipped}, {"known", t.known}}},
      {"changes", report.changes},
      {"unseen_defects", report.unseen_defects},
      {"model", report.model ? model_json(*report.model) : Json(nullptr)},
      {"targets", targets},
      {"kernels", kernels},
      {"ledger", ledger_json(report)}};
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace tritcheck
