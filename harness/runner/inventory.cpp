#include "harness/runner/inventory.h"

#include "corpora/bugs/bugs.h"
#include "harness/protocol/wire.h"

namespace tritcheck {
namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__) + '.' +
         std::to_string(__clang_patchlevel__);
#else
  return "gcc " + std::to_string(__GNUC__) + '.' + std::to_string(__GNUC_MINOR__) + '.' +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

KernelInfo describe(const Kernel& kernel, const Features& features) {
  KernelInfo info;
  info.name = kernel.name;
  info.isa = kernel.isa;
  info.via = kernel.via;
  info.contract = kernel.contract;
  info.format = kernel.format;
  info.acts = kernel.acts;
  info.why_not = why_not(kernel, features);
  info.runnable = info.why_not.empty();
  return info;
}

}  // namespace

std::vector<Caller::Entry> inventory(const Features& features) {
  std::vector<Caller::Entry> entries;
  const auto add = [&](const Kernel& kernel) {
    entries.push_back({kernel, why_not(kernel, features), {.vec_dot = kernel.vec_dot}});
  };
  for (const Kernel& kernel : kernels()) add(kernel);
  for (const Bug& bug : bugs()) add(bug.kernel);
  return entries;
}

WorkerInfo describe(const Features& features, const IsaList& allow) {
  WorkerInfo info;
  info.arch = name(kThisArch);
  info.compiler = compiler();
  info.flags = TRITCHECK_KERNEL_FLAGS;
  info.cpu = to_string(features);
  info.schema = wire::kSchema;
  for (const Kernel& kernel : kernels()) {
    KernelInfo& entry = info.kernels.emplace_back(describe(kernel, features));
    const Kernel* best = kernel.contract.op == Op::vec_dot
                             ? select_vec_dot(kernel.format, features, allow)
                             : select(kernel.contract.op, kernel.contract.layout, features, allow);
    entry.selected = best == &kernel;
  }
  for (const Bug& bug : bugs()) {
    KernelInfo& entry = info.kernels.emplace_back(describe(bug.kernel, features));
    entry.is_bug = true;
    entry.diagnosis = bug.diagnosis;
    entry.summary = bug.summary;
  }
  return info;
}

}  // namespace tritcheck
