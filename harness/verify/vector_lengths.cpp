#include "harness/verify/vector_lengths.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace tritcheck {
namespace {

struct Lengths {
  std::vector<std::string> right;
  std::vector<std::string> right_values;  // but something else is wrong there
  std::string device;                     // where the first of these was found
  std::vector<KernelReport*> wrong;
};

}  // namespace

void name_vector_lengths(Report& report) {
  std::map<std::string, Lengths> by_function;
  for (KernelReport& r : report.kernels) {
    // "libggml-cpu.so on qemu:max,vl=1024"
    const size_t vl = r.target.rfind(",vl=");
    const std::string length = vl == std::string::npos ? "the default number of" : r.target.substr(vl + 4);
    Lengths& l = by_function[r.target.substr(0, vl) + ": " + r.kernel.name];
    if (r.verdict == Verdict::pass) l.right.push_back(length);
    if (r.verdict == Verdict::over_read || r.verdict == Verdict::crash) l.right_values.push_back(length);
    if (l.device.empty() && l.right.size() + l.right_values.size() > 0)
      l.device = r.target.substr(r.target.rfind(" on ") + 4);
    if (r.verdict != Verdict::pass && r.failure) l.wrong.push_back(&r);
  }
  for (const auto& [function, l] : by_function) {
    for (KernelReport* r : l.wrong) {
      const bool by_value = r->verdict == Verdict::mismatch || r->verdict == Verdict::unwritten;
      if (l.right.empty() && !(by_value && !l.right_values.empty())) continue;
      Failure& f = *r->failure;
      f.evidence.insert(
          f.evidence.begin(),
          {l.right.empty() ? fmt::format("the same code gives no wrong value with vectors of {} bits",
                                         fmt::join(l.right_values, ", "))
                           : fmt::format("the same code is right with vectors of {} bits", fmt::join(l.right, ", ")),
           fmt::format("by its answers alone: {} ({})", f.diagnosis, f.sentence)});
      f.diagnosis = "vl-assumption";
      // so that a replay compares, too
      f.repro += " --device " + l.device;
      f.sentence = "the result depends on the length of the CPU's vectors";
    }
  }
}

}  // namespace tritcheck
