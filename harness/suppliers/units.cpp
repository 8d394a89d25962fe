#include "harness/suppliers/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/diagnose/catalog/catalog.h"

namespace tritcheck {
namespace {

// What a plug-in promises to be wrong with a kernel must be a name that a diagnosis can have.
void check_diagnoses(const WorkerInfo& info) {
  for (const KernelInfo& k : info.kernels) {
    if (k.diagnosis.empty() || find_diagnosis(k.diagnosis) != nullptr) continue;
    throw StartFailure(fmt::format("not a plug-in that can be used: {}: diagnosis '{}' is no name of `tritcheck "
                                   "explain`, so it cannot be found",
                                   k.name, k.diagnosis),
                       false);
  }
}

}  // namespace

Units::Units(const VerifyOptions& options)
    : isa_(options.isa),
      targets_(resolve_targets(options.devices, options.libs.empty() ? Runner::kernels : Runner::libraries)),
      libraries_(find_libraries(options.libs)) {
  for (size_t t = 0; t < targets_.size() && libraries_.empty(); ++t) {
    Unit& unit = units_.emplace_back();
    unit.target = t;
    unit.label = targets_[t].text;
  }
  for (size_t l = 0; l < libraries_.size(); ++l) place(l);
}

void Units::place(size_t library) {
  const LibraryFile& file = libraries_[library];
  Unit unit;
  unit.library = library;
  unit.label = file.label;
  unit.problem = file.problem;
  unit.refused = !file.by_folder;
  bool placed = false;
  for (size_t t = 0; t < targets_.size() && file.problem.empty(); ++t) {
    if (arch_of(targets_[t]) != file.arch) continue;
    Unit here = unit;
    here.target = t;
    here.label = fmt::format("{} on {}", file.label, targets_[t].text);
    here.refused = true;
    units_.push_back(std::move(here));
    placed = true;
  }
  if (placed) return;
  if (unit.problem.empty()) {
    unit.refused = false;
    unit.problem = fmt::format("it is a library for {}, and no device of this run is one{}", file.arch,
                               file.arch == "aarch64" ? " (--device qemu:max)" : "");
  }
  units_.push_back(std::move(unit));
}

std::unique_ptr<Executor> Units::open(const Unit& unit) const {
  if (libraries_.empty()) return open_session(target_of(unit), {.isa = isa_});
  return open_session(target_of(unit), {.isa = {}, .library = path_of(unit)});
}

void Units::greet(Unit& unit) const {
  if (!unit.problem.empty()) return;
  try {
    const std::unique_ptr<Executor> executor = open(unit);
    unit.info = executor->info();
    check_diagnoses(unit.info);
    for (uint32_t i = 0; i < unit.info.kernels.size(); ++i) {
      KernelInfo& k = unit.info.kernels[i];
      if (k.role != Role::i2_dot || !k.runnable) continue;
      unit.i2_s = infer_i2_s(*executor, i);
      unit.info.library.notes.push_back(k.name + ": " + unit.i2_s.text());
    }
  } catch (const StartFailure& e) {
    if (libraries_.empty()) throw;
    unit.problem = e.what();
    unit.died = e.died();
    if (g_interrupted) {
      unit.problem = kInterruptedCall;
      unit.died = unit.refused = false;
    }
    for (const std::string_view who : {"tritcheck-library-runner: ", "tritcheck-runner: "}) {
      if (const size_t at = unit.problem.find(who); at != std::string::npos) unit.problem.erase(0, at + who.size());
    }
  }
}

}  // namespace tritcheck
