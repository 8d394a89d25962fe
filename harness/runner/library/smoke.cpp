#include "harness/runner/library/smoke.h"

#include <cstring>

#include "harness/cases/formats.h"
#include "harness/cases/problem.h"
#include "harness/runner/library/attempt.h"

namespace tritcheck {

std::optional<float> smoke(const LoadedLibrary& library) {
  for (size_t i = 0; i < library.kernels.size(); ++i) {
    const KernelInfo& k = library.kernels[i];
    auto* f = library.functions[i].function.vec_dot;
    // plain floats need no tables
    if (f == nullptr || !k.runnable || !weights_named(k.format)) continue;
    const Problem p = smoke_problem(k);
    const Attempt asked = attempt([&](const Tell& tell) {
      float answer = 0;
      f(static_cast<int>(p.k), &answer, 0, p.x.data(), 0, p.y.data(), 0, 1);
      tell(std::as_bytes(std::span(&answer, 1)));
    });
    float answer = 0;
    if (asked.told.size() != sizeof answer) return std::nullopt;
    std::memcpy(&answer, asked.told.data(), sizeof answer);
    return answer;
  }
  return std::nullopt;
}

}  // namespace tritcheck
