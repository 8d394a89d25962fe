#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/paris/paris_report.h"
#include "harness/report/report.h"
#include "harness/report/xml.h"

namespace tritcheck {
namespace {

using nlohmann::json;

json number(double v) {
  return std::isfinite(v) ? json(v) : json(nullptr);
}

json metrics(const engine::LogitMetrics& m) {
  return {{"positions", m.positions()},
          {"sure", m.sure()},
          {"flips", m.flips()},
          {"not_finite", m.not_finite()},
          {"agreement", m.agreement()},
          {"top1", m.top1()},
          {"kld", number(m.kld())},
          {"kld_max", number(m.kld_max())},
          {"nmse", number(m.nmse())},
          {"entropy_shift", number(m.entropy_shift())},
          {"entropy_golden", number(m.entropy_golden())}};
}

json prompt(const PromptReport& p) {
  json flips = json::array();
  for (const Flip& f : p.flips)
    flips.push_back({{"position", f.position}, {"golden", f.golden}, {"candidate", f.candidate}, {"margin", f.margin}});
  return {{"prompt", p.prompt},
          {"golden_text", p.golden_text},
          {"candidate_text", p.candidate_text},
          {"golden_ids", p.golden_ids},
          {"candidate_ids", p.candidate_ids},
          {"logits", metrics(p.logits)},
          {"nll_golden", number(p.nll_golden)},
          {"nll_candidate", number(p.nll_candidate)},
          {"rep4_golden", p.rep4_golden},
          {"rep4", p.rep4},
          {"tail_golden", p.tail_golden},
          {"tail", p.tail},
          {"constant", p.constant},
          {"flips", flips}};
}

json wrong_step(const WrongStep& w) {
  return {{"name", w.name},       {"op", w.op},
          {"tensor", w.tensor},   {"kernel", w.kernel},
          {"tokens", w.tokens},   {"wrong", w.wrong},
          {"total", w.total},     {"row", w.row},
          {"token", w.token},     {"expected", number(w.expected)},
          {"got", number(w.got)}, {"where", w.where},
          {"detail", w.detail},   {"diagnosis", w.diagnosis},
          {"case", w.case_text},  {"repro", w.repro}};
}

std::string first_wrong(const WrongStep& w) {
  std::string out = fmt::format("first wrong operation: {} ({})", w.name, w.op);
  const std::pair<const char*, const std::string&> parts[] = {
      {"weights", w.tensor}, {"kernel", w.kernel},  {"", w.where},     {"diagnosis", w.diagnosis},
      {"", w.detail},        {"case", w.case_text}, {"repro", w.repro}};
  for (const auto& [what, text] : parts) {
    if (!text.empty()) out += fmt::format("; {}{}{}", what, *what != 0 ? ": " : "", text);
  }
  return out;
}

std::string testcase(const std::string& name, const std::string& failure, const std::string& message) {
  std::string out = fmt::format("    <testcase classname=\"tritcheck.paris\" name=\"{}\"", xml_attribute(name));
  if (failure.empty()) return out + "/>\n";
  return out + fmt::format(">\n      <failure type=\"{}\" message=\"{}\"/>\n    </testcase>\n", xml_attribute(failure),
                           xml_attribute(message));
}

}  // namespace

std::string paris_json(const ParisReport& r) {
  const BuildInfo b = build_info();
  json prompts = json::array();
  for (const PromptReport& p : r.prompts) prompts.push_back(prompt(p));
  json wrong = json::array();
  for (const WrongStep& w : r.exactness.wrong) wrong.push_back(wrong_step(w));
  const auto& n = r.numbers;
  const json out = {
      {"schema", kReportSchema},
      {"tritcheck", {{"version", b.version}, {"compiler", b.compiler}, {"flags", b.flags}, {"cpu", b.cpu}}},
      {"exit_code", exit_code(r)},
      {"model",
       {{"path", r.model},
        {"arch", r.arch},
        {"i2_s", r.has_i2_s},
        {"layout", i2_s::name(r.layout)},
        {"layout_given", r.layout_given},
        {"layout_found", r.layout_found}}},
      {"device", r.device},
      {"kernels", r.kernels},
      {"notices", r.notices},
      {"prompts", prompts},
      {"logits", metrics(r.logits)},
      {"text",
       {{"nll_golden", number(n.nll_golden_text)},
        {"nll_candidate", number(n.nll_candidate)},
        {"nll_reference", number(n.nll_reference)},
        {"log_vocab", n.log_vocab},
        {"rep4_golden", n.rep4_golden},
        {"rep4", n.rep4},
        {"tail_golden", n.tail_golden},
        {"tail", n.tail},
        {"compression_golden", r.compression_golden},
        {"compression", r.compression}}},
      {"health",
       {{"verdict", engine::name(r.health.health)},
        {"why", r.health.why},
        {"sentence", engine::sentence(r.health.health)}}},
      {"exactness",
       {{"ran", r.exactness.ran},
        {"exact", r.exactness.ran ? json(r.exactness.exact()) : json(nullptr)},
        {"operations", r.exactness.steps},
        {"integer_results", r.exactness.integer_results},
        {"float_results", r.exactness.float_results},
        {"wrong", wrong}}},
      {"died", r.died},
      {"hung", r.hung},
      {"interrupted", r.interrupted}};
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string paris_junit(const ParisReport& r) {
  std::string cases;
  int tests = 0;
  int failures = 0;
  const auto add = [&](const std::string& name, const std::string& failure, const std::string& message) {
    cases += testcase(name, failure, message);
    ++tests;
    failures += !failure.empty();
  };
  const bool healthy = r.health.health == engine::Health::healthy;
  const std::string health(engine::name(r.health.health));
  if (!r.died.empty()) add("candidate", r.hung ? "hang" : "crash", r.died);
  if (r.interrupted) add("run", "interrupted", "the run was interrupted");
  if (r.health.health != engine::Health::unknown) add("text health", healthy ? "" : health, r.health.why);
  if (r.exactness.ran) {
    const bool exact = r.exactness.exact();
    add("exactness", exact ? "" : "inexact", exact ? "" : first_wrong(r.exactness.wrong.front()));
  }
  for (const PromptReport& p : r.prompts) {
    const bool agrees = p.logits.agreement() == 1 && p.logits.not_finite() == 0;
    add(p.prompt, agrees ? "" : "disagreement",
        fmt::format("same token at {:.1f} % of the positions where golden is sure", 100 * p.logits.agreement()));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{0}\" failures=\"{1}\">\n"
      "  <testsuite name=\"{2}\" tests=\"{0}\" failures=\"{1}\">\n{3}  </testsuite>\n</testsuites>\n",
      tests, failures, xml_attribute(r.model + " on " + r.device), cases);
}

}  // namespace tritcheck
