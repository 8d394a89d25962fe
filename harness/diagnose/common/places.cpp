#include "harness/diagnose/common/places.h"

#include <fmt/format.h>

namespace tritcheck {

std::string_view name_of(Buffer buffer, const Problem& problem) {
  switch (buffer) {
    case Buffer::weights:
      return problem.op == Op::from_float ? "the floats" : "the weights";
    case Buffer::activations:
      return "the activations";
    case Buffer::output:
      return "the output";
    case Buffer::none:
      break;
  }
  return "no buffer";
}

std::string place_of_fault(const Failed& failure) {
  const CallResult& r = failure.result;
  const std::string_view name = name_of(r.fault_buffer, failure.problem());
  if (r.fault_inside) return fmt::format("at byte {} of {}", r.fault_distance, name);
  if (r.fault_distance == 0) return fmt::format("right behind {}", name);
  return r.fault_distance > 0 ? fmt::format("{} bytes past the end of {}", r.fault_distance, name)
                              : fmt::format("{} bytes before {}", -r.fault_distance, name);
}

}  // namespace tritcheck
