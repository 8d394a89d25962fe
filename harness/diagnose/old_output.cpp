#include "harness/diagnose/old_output.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace tritcheck {

namespace {

constexpr float kNumber = 1024;
constexpr uint32_t kBefore[] = {0, std::bit_cast<uint32_t>(kNumber), kCanaryB};

}  // namespace

std::optional<std::string> old_output_counts(Executor& executor, CallRequest request, std::span<const size_t> results) {
  request.guarded = false;
  std::vector<CallRequest> requests;
  for (const uint32_t before : kBefore) {
    requests.push_back(request);
    requests.back().old_output = before;
  }
  const std::vector<CallResult> answers = executor.run(requests);
  for (const CallResult& a : answers) {
    if (a.status != CallStatus::returned) return std::nullopt;
  }
  const auto every = [&](auto holds) {
    return std::ranges::all_of(
        results, [&](size_t w) { return holds(answers[0].out_a[w], answers[1].out_a[w], answers[2].out_a[w]); });
  };
  if (every([](uint32_t zero, uint32_t number, uint32_t nan) { return zero == number && zero == nan; })) {
    return std::nullopt;
  }
  if (every([](uint32_t zero, uint32_t number, uint32_t) { return number - zero == kBefore[1]; }) ||
      every([](uint32_t zero, uint32_t number, uint32_t) {
        return std::bit_cast<float>(number) == std::bit_cast<float>(zero) + kNumber;
      })) {
    return "what was there is added to the result";
  }
  if (every([](uint32_t zero, uint32_t number, uint32_t) { return zero == number; })) {
    return "a NaN that was there stays, a number does not: it is multiplied by 0, not left out";
  }
  return "with 0, 1024 and NaN there before, the same call gives different results";
}

}  // namespace tritcheck
