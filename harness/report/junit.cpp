#include <fmt/format.h>

#include "harness/report/failure.h"
#include "harness/report/report.h"
#include "harness/report/summary.h"
#include "harness/report/xml.h"

namespace tritcheck {
namespace {

std::string property(std::string_view key, std::string_view value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml_attribute(key), xml_attribute(value));
}

std::string properties(const Report& report, const TargetReport& target, const ReportContext& context) {
  const BuildInfo& b = context.build;
  std::string out = "    <properties>\n";
  out += property("tritcheck.version", b.version);
  out += property("tritcheck.report_schema", std::to_string(kReportSchema));
  out += property("tritcheck.compiler", b.compiler);
  out += property("tritcheck.flags", b.flags);
  if (!b.cpu.empty()) out += property("host.cpu", b.cpu);
  out += property("seed", std::to_string(report.seed));
  out += property("level", level_name(report.level));
  out += property("interrupted", report.interrupted ? "true" : "false");
  out += property("exit_code", std::to_string(context.exit_code));
  out += property("target.arch", target.worker.arch);
  out += property("target.emulated", target.emulated ? "true" : "false");
  out += property("target.cpu", target.worker.cpu);
  out += property("target.compiler", target.worker.compiler);
  out += property("target.flags", target.worker.flags);
  if (report.model) {
    const ModelReport& m = *report.model;
    out += property("model.path", m.path);
    out += property("model.sha256_16", m.hash);
    if (m.i2_s) {
      out += property("model.layout", i2_s::name(m.layout));
      out += property("model.layout_given", m.layout_given ? "true" : "false");
    }
    if (!m.formats.empty()) out += property("model.formats", fmt::format("{}", fmt::join(m.formats, " ")));
  }
  return out + "    </properties>\n";
}

std::string testcase(const KernelReport& k) {
  std::string out = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                                xml_attribute("tritcheck." + k.target), xml_attribute(k.kernel.name), k.seconds);
  if (k.verdict == Verdict::pass) return out + "/>\n";
  out += ">\n";
  if (k.known_defect) {
    out += fmt::format("      <skipped message=\"known defect: {}\"/>\n",
                       xml_attribute(k.failure ? k.failure->diagnosis : ""));
  } else if (k.verdict == Verdict::skipped) {
    out += fmt::format("      <skipped message=\"{}\"/>\n", xml_attribute(k.reason));
  } else {
    const std::string diagnosis = k.failure ? k.failure->diagnosis : "unknown";
    const std::string message =
        fmt::format("{}: {}{}", verdict_name(k.verdict), diagnosis, k.failure ? ": " + k.failure->sentence : "");
    out += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", xml_attribute(diagnosis),
                       xml_attribute(message), xml_content(failure_text(k, {})));
  }
  return out + "    </testcase>\n";
}

std::string counts(const Tally& t) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", t.passed + t.failed + t.skipped,
                     t.failed, t.skipped);
}

}  // namespace

std::string junit_report(const Report& report, const ReportContext& context) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"tritcheck\" {} time=\"{:.3f}\">\n", counts(tally(report)), report.seconds);
  for (const TargetReport& target : report.targets) {
    std::string cases;
    double seconds = 0;
    for (const KernelReport& k : report.kernels) {
      if (k.target != target.target) continue;
      seconds += k.seconds;
      cases += testcase(k);
    }
    out += fmt::format("  <testsuite name=\"{}\" {} time=\"{:.3f}\">\n", xml_attribute(target.target),
                       counts(tally(report, target.target)), seconds);
    out += properties(report, target, context) + cases + "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace tritcheck
