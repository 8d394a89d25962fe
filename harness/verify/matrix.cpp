#include "harness/verify/matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/probes/probes.h"
#include "harness/verify/verify.h"

namespace tritcheck {
namespace {

bool caught(const KernelReport& k) {
  return k.verdict != Verdict::pass && k.verdict != Verdict::skipped;
}

bool right(const MatrixRow& row) {
  return row.skipped.empty() && row.found == row.expected;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

}  // namespace

std::vector<std::string> Matrix::missed() const {
  std::vector<std::string> out;
  for (const MatrixRow& row : rows) {
    if (row.skipped.empty() && !right(row)) out.push_back(row.bug);
  }
  return out;
}

std::vector<std::string> Matrix::idle_families() const {
  std::vector<std::string> out;
  for (const std::string& f : families) {
    if (std::none_of(rows.begin(), rows.end(), [&](const MatrixRow& r) { return r.needs.contains(f); }))
      out.push_back(f);
  }
  return out;
}

Matrix kill_matrix(const VerifyOptions& given, const Progress& progress) {
  VerifyOptions options = given;
  options.level = Level::quick;
  options.bugs = {"all"};
  options.devices = {given.devices.at(0)};
  Matrix out;
  for (const ProbeFamily& f : probe_families()) {
    if (f.of_i2_s != nullptr) out.families.emplace_back(f.id);  // the museum's kernels are of I2_S
  }

  std::map<std::string, size_t> index;
  const Report full = verify(options, progress);
  out.interrupted = full.interrupted;
  for (const KernelReport& k : full.kernels) {
    MatrixRow row;
    row.bug = k.kernel.name;
    row.expected = k.kernel.diagnosis;
    if (k.verdict == Verdict::skipped) row.skipped = k.reason;
    if (k.failure) {
      row.found = k.failure->diagnosis;
      row.first_case = k.failure->case_text;
    }
    index[row.bug] = out.rows.size();
    out.rows.push_back(std::move(row));
  }

  options.diagnose = false;
  options.timeout_ms = std::min(options.timeout_ms, 1000);
  for (const std::string& family : out.families) {
    if (out.interrupted) return out;
    VerifyOptions alone = options;
    alone.families = {family};
    // guards, canaries and poisons belong to F11; the other families must do without them
    if (family != "F11") alone.without_families = {"F11"};
    const Report report = verify(alone, progress);
    out.interrupted |= report.interrupted;
    for (const KernelReport& k : report.kernels) {
      if (caught(k)) out.rows[index.at(k.kernel.name)].killed_by.insert(family);
    }
  }
  for (const std::string& family : out.families) {
    if (out.interrupted) return out;
    VerifyOptions rest = options;
    rest.without_families = {family};
    rest.bugs.clear();
    for (const MatrixRow& row : out.rows) {
      const bool others = row.killed_by.size() > (row.killed_by.contains(family) ? 1U : 0U);
      if (row.skipped.empty() && !row.found.empty() && !others) rest.kernels.push_back(row.bug);
    }
    if (rest.kernels.empty()) continue;
    const Report report = verify(rest, progress);
    out.interrupted |= report.interrupted;
    for (const KernelReport& k : report.kernels) {
      if (k.verdict == Verdict::pass) out.rows[index.at(k.kernel.name)].needs.insert(family);
    }
  }
  return out;
}

std::string matrix_text(const Matrix& m) {
  size_t width = 4;
  for (const MatrixRow& row : m.rows) width = std::max(width, row.bug.size());
  std::string out = fmt::format("{:<{}}", "bug", width);
  for (const std::string& f : m.families) out += fmt::format(" {:>6}", f);
  out += "  named\n";
  size_t ran = 0;
  size_t named = 0;
  std::map<std::string, int> skipped;
  for (const MatrixRow& row : m.rows) {
    if (!row.skipped.empty()) {
      ++skipped[row.skipped];
      continue;
    }
    ++ran;
    named += right(row);
    out += fmt::format("{:<{}}", row.bug, width);
    for (const std::string& f : m.families) {
      out += fmt::format(" {:>6}", row.needs.contains(f) ? "only" : row.killed_by.contains(f) ? "x" : ".");
    }
    out += row.found.empty() ? fmt::format("  MISSED, should be {}\n", row.expected)
           : right(row)      ? fmt::format("  {}\n", row.found)
                             : fmt::format("  {}, should be {}\n", row.found, row.expected);
    if (!row.first_case.empty()) out += fmt::format("{:<{}}   first: {}\n", "", 2, row.first_case);
  }
  out += "\nx: caught by this family alone; only: survives when this family is removed\n";
  for (const auto& [why, count] : skipped) out += fmt::format("{} not run: {}\n", count, why);
  if (const auto idle = m.idle_families(); !idle.empty())
    out += "families without which nothing survives: " + joined(idle) + "\n";
  if (const auto missed = m.missed(); !missed.empty()) out += "not caught and named: " + joined(missed) + "\n";
  out += fmt::format("{} of {} museum kernels caught and named{}\n", named, ran, m.interrupted ? " (interrupted)" : "");
  return out;
}

}  // namespace tritcheck
