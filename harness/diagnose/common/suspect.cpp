#include "harness/diagnose/common/suspect.h"

#include <utility>

namespace tritcheck {

CallRequest Suspect::request(const Problem& problem, bool with_guards) const {
  CallRequest r = make_request(problem, kernel, with_guards);
  r.force = force;
  r.cpu_limit_ms = timeout_ms;
  return r;
}

CallResult Suspect::call(const Problem& problem, bool with_guards) const {
  const CallRequest r = request(problem, with_guards);
  return std::move(executor.run({&r, 1}).at(0));
}

}  // namespace tritcheck
