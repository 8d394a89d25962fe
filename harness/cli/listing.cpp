#include "harness/cli/listing.h"

#include <fmt/format.h>

#include "corpora/bugs/bugs.h"
#include "harness/base/console.h"
#include "harness/cases/formats.h"
#include "harness/diagnose/catalog/catalog.h"
#include "harness/probes/probes.h"
#include "harness/report/report.h"
#include "harness/targets/target.h"
#include "kernels/cpu_features.h"

namespace tritcheck::cli {
namespace {

using Align = Table::Align;

std::string kernels_text(const CommandLine& line, bool colour, int width) {
  std::string out;
  for (const std::string& device : line.options.devices) {
    const Target target = resolve_target(device);
    const auto session = open_session(target, {.isa = line.options.isa});
    const WorkerInfo& worker = session->info();
    out += fmt::format("{}{}: {}, {}, cpu: {}\n", out.empty() ? "" : "\n", styled(target.text, Style::bold, colour),
                       printable(worker.arch), printable(worker.compiler), printable(worker.cpu));
    Table table({Align::left, Align::left, Align::left, Align::left, Align::left},
                {"kernel", "", "ISA", "result", "runs here"});
    for (const KernelInfo& k : worker.kernels) {
      if (k.is_bug) continue;
      const bool simde = k.via == Via::simde;
      const Cell runs = !k.runnable ? Cell{"no: " + k.why_not, Style::warn}
                                    : Cell{simde ? "through SIMDe" : "yes", simde ? Style::plain : Style::good};
      table.add({{k.name},
                 {k.selected ? "*" : ""},
                 {std::string(name(k.isa))},
                 {std::string(name(k.contract.result))},
                 runs});
    }
    out += table.to_string(static_cast<size_t>(width), colour);
  }
  return out + "\n* chosen by dispatch on that target\n";
}

// Some families make cases for some operations and formats only.
std::string example(const ProbeFamily& family) {
  const auto first = [&](const KernelInfo& k) {
    const auto cases = family.cases(k, Level::quick, 1);
    return cases.empty() ? std::string() : to_string(cases.front());
  };
  KernelInfo k;
  for (const Op op : {Op::dot, Op::rows, Op::acts, Op::gemv}) {
    k.contract = i2_s_contract(op, Layout::x86_128);
    if (const std::string text = first(k); !text.empty()) return text;
  }
  const std::pair<const char*, Op> others[] = {
      {"tq2_0", Op::vec_dot}, {"q8_0", Op::from_float}, {"iq2_xxs", Op::vec_dot}};
  for (const auto& [format, op] : others) {
    k.format = format;
    k.acts = op == Op::vec_dot ? acts_beside(format) : "";
    k.contract.op = op;
    k.contract = contract_of(k);
    if (const std::string text = first(k); !text.empty()) return text;
  }
  return {};
}

std::string probes_text(bool colour, int width) {
  std::string out;
  for (const ProbeFamily& family : probe_families()) {
    out += fmt::format("{:<8}{}\n", family.id, styled(family.title, Style::bold, colour));
    out += wrapped(family.why, static_cast<size_t>(width), "        ");
    out += styled("        e.g. " + example(family), Style::dim, colour) + '\n';
  }
  return out;
}

std::string targets_text(bool colour) {
  Table table({Align::left, Align::left}, {"target", "here"});
  for (const TargetHint& hint : known_targets()) {
    table.add({{hint.text}, {hint.note, hint.note == "ready" ? Style::good : Style::warn}});
  }
  return table.to_string(SIZE_MAX, colour, "");  // a note that says what to install is not cut
}

std::string bugs_text(bool colour, int width) {
  std::string out;
  for (const Bug& bug : bugs()) {
    out += fmt::format("{}  {}  {}\n", styled(bug.kernel.name, Style::bold, colour), name(bug.kernel.isa),
                       styled(bug.diagnosis, Style::warn, colour));
    out += wrapped(bug.summary, static_cast<size_t>(width), "    ");
  }
  return out;
}

std::string isas_markdown() {
  std::string out =
      "\n## Instruction sets\n\n"
      "From `kernels/isa.inc`, weakest first within an architecture. A source's suffix decides where it is compiled "
      "and\n"
      "with which flags; dispatch takes its kernels where the CPU has all of the features.\n\n"
      "| suffix | native on | flags there | features | elsewhere |\n"
      "| --- | --- | --- | --- | --- |\n";
  const auto code = [](std::string_view text) { return text.empty() ? "none" : fmt::format("`{}`", text); };
  for (const Isa isa : kIsas) {
    const IsaLine& line = isa_line(isa);
    const char* elsewhere = line.native == Arch::any       ? "-"
                            : line.elsewhere == Via::simde ? "on x86_64 through SIMDe, if it is installed"
                                                           : "left out";
    out += fmt::format("| `_{}` | {} | {} | {} | {} |\n", line.name, name(line.native), code(line.flags),
                       code(line.features), elsewhere);
  }
  return out;
}

std::string features_markdown() {
  std::string out =
      "\n## CPU features\n\n"
      "What `needs` of a [plug-in](plugins.md) may name, from `kernels/cpu_features.inc`. Capitals, `_`, `-` and `.`\n"
      "make no difference, and `-m`, `FEAT_` or `__ARM_FEATURE_` may stand before a name.\n\n"
      "| feature | of | other spellings |\n"
      "| --- | --- | --- |\n";
  for (const CpuFeature& f : kCpuFeatures) {
    out += fmt::format("| `{}` | {} | {} |\n", f.name, name(f.arch), f.spellings);
  }
  return out;
}

}  // namespace

std::string list_text(const CommandLine& line, bool colour, int width) {
  if (line.subject == "probes") return probes_text(colour, width);
  if (line.subject == "targets") return targets_text(colour);
  if (line.subject == "bugs") return bugs_text(colour, width);
  return line.markdown ? kernels_markdown() : kernels_text(line, colour, width);
}

std::string diagnoses_text(int width) {
  Table table({Align::left, Align::left}, {"diagnosis", "what is wrong"});
  for (const CatalogEntry& entry : catalog()) table.add({{std::string(entry.name)}, {std::string(entry.title)}});
  return table.to_string(static_cast<size_t>(width), false, "") + "\n`tritcheck explain NAME` tells the whole story\n";
}

std::string kernels_markdown() {
  std::string out =
      "# Kernels\n\n"
      "Written by `tritcheck list kernels --markdown` from `kernels.inc`, `isa.inc` and `cpu_features.inc` in "
      "`kernels/`;\n"
      "a test checks that it is current.\n\n"
      "`dot` is one row by one activation row, `rows` several weight rows, `acts` several activation rows, `gemv` the\n"
      "scaled matrix-vector product. Every kernel is exact for all codes up to the one given, all activations from "
      "the\n"
      "smallest given to 127, and K up to the largest given. `vec_dot` is ggml's dot product of two rows of blocks: "
      "as\n"
      "good as exact, that is within the bound derived in `reference/ggml_dot_bound.cpp`, which is 0 where nothing "
      "can\n"
      "round.\n\n"
      "| kernel | ISA | op | layout or blocks | result | K multiple of | rows multiple of | K up to | codes up to | "
      "smallest q "
      "|\n"
      "| --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const Kernel& k : kernels()) {
    const Contract& c = k.contract;
    const std::string what(c.op == Op::vec_dot ? fmt::format("{} x {}", k.format, k.acts) : i2_s::name(c.layout));
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", k.name, name(k.isa), name(c.op), what,
                       name(c.result), c.k_multiple, c.row_multiple, c.k_max, c.max_code, c.q_min);
  }
  return out + isas_markdown() + features_markdown();
}

std::string version_text() {
  const BuildInfo b = build_info();
  return fmt::format("tritcheck {}\ncompiler {}\nflags {}\nreport schema {}\n{}", b.version, b.compiler, b.flags,
                     kReportSchema, b.cpu.empty() ? "" : fmt::format("cpu {}\n", printable(b.cpu)));
}

}  // namespace tritcheck::cli
