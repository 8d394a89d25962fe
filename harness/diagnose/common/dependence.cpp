#include "harness/diagnose/common/dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace tritcheck {
namespace {

using Words = std::vector<uint32_t>;
using Change = std::function<void(CallRequest&)>;

constexpr float kNumber = 1024;
constexpr size_t kBehind = 64;
constexpr uint8_t kBehindByte = 0x5A;

// Makes changes that set a field to a word.
auto with(uint32_t CallRequest::*field) {
  return [field](uint32_t word) { return [=](CallRequest& r) { r.*field = word; }; };
}

class Doubt {
 public:
  Doubt(Executor& executor, const DoubtfulCall& call) : executor_(executor), call_(call) {}

  // The same call between calls of one run, whose number is such that what has a period of 2 is seen too.
  bool steady() const {
    const CallRequest roomy = in_roomy_memory();
    CallRequest same = call_.request;
    same.threads = 1;
    const std::vector<CallResult> got =
        executor_.run(std::vector<CallRequest>{same, roomy, same, roomy, roomy, same, same, roomy, same});
    return std::ranges::all_of(std::vector<size_t>{0, 2, 5, 6, 8},
                               [&](size_t i) { return alike(got[i], call_.seen); }) &&
           std::ranges::all_of(std::vector<size_t>{3, 4, 7}, [&](size_t i) { return alike(got[i], got[1]); });
  }

  // The same for a long time: what shows rarely is no race either.
  bool steady_for_long() const {
    constexpr size_t kCalls = 256;
    const std::vector<CallResult> got = executor_.run(std::vector<CallRequest>(kCalls, in_roomy_memory()));
    return std::ranges::all_of(got, [&](const CallResult& r) { return alike(r, got[0]); });
  }

  // What the call gives in roomy memory after each change; nothing if one does not return.
  std::optional<std::vector<Words>> after(const std::vector<Change>& changes) const {
    std::vector<CallRequest> requests;
    for (const Change& change : changes) {
      requests.push_back(in_roomy_memory());
      change(requests.back());
    }
    std::vector<Words> out;
    for (const CallResult& r : executor_.run(requests)) {
      if (r.status != CallStatus::returned) return std::nullopt;
      out.push_back(call_.results(r.out_a));
    }
    return out;
  }

  bool matters(const std::vector<Change>& changes) const {
    const auto answers = after(changes);
    return answers && std::ranges::any_of(*answers, [&](const Words& w) { return w != answers->front(); });
  }

  // How the results depend on the old output; empty if they do not.
  std::string old_output() const {
    const auto holding = with(&CallRequest::old_output);
    const auto answers = after({holding(0), holding(std::bit_cast<uint32_t>(kNumber)),
                                holding(std::bit_cast<uint32_t>(-kNumber)), holding(kCanaryB)});
    if (!answers) return "";
    const auto every = [&](auto holds) {
      for (size_t i = 0; i < answers->front().size(); ++i) {
        if (!holds((*answers)[0][i], (*answers)[1][i], (*answers)[2][i], (*answers)[3][i])) return false;
      }
      return true;
    };
    if (every([](uint32_t zero, uint32_t plus, uint32_t minus, uint32_t nan) {
          return zero == plus && zero == minus && zero == nan;
        })) {
      return "";
    }
    const auto number = [](uint32_t word) { return std::bit_cast<float>(word); };
    const bool added = every([&](uint32_t zero, uint32_t plus, uint32_t minus, uint32_t) {
      if (!call_.floats)
        return plus - zero == std::bit_cast<uint32_t>(kNumber) && minus - zero == std::bit_cast<uint32_t>(-kNumber);
      return number(plus) == number(zero) + kNumber && number(minus) == number(zero) - kNumber;
    });
    if (added) return "what was there is added to the result";
    const bool only_nan =
        every([](uint32_t zero, uint32_t plus, uint32_t minus, uint32_t) { return zero == plus && zero == minus; });
    if (only_nan && call_.floats) return "a NaN that was there stays, a number does not: it is multiplied by 0";
    return "with other words there before, the same call gives other results";
  }

  bool registers_matter() const {
    const auto holding = with(&CallRequest::poison);
    return matters({holding(0), holding(kPoison1), holding(kPoison2)});
  }

  template <class Byte>
  bool bytes_behind_matter(std::vector<Byte> CallRequest::*operand) const {
    const auto followed_by = [operand](uint8_t byte) {
      return [=](CallRequest& r) { (r.*operand).resize((r.*operand).size() + kBehind, static_cast<Byte>(byte)); };
    };
    return matters({followed_by(0), followed_by(kBehindByte)});
  }

  // Both runs give the same, in the two places where the buffers lie.
  bool same_in_both_runs() const {
    return call_.seen.out_b.empty() || call_.results(call_.seen.out_a) == call_.results(call_.seen.out_b);
  }

 private:
  bool alike(const CallResult& a, const CallResult& b) const {
    const auto results = [&](const Words& words) { return words.empty() ? Words{} : call_.results(words); };
    return a.status == b.status && results(a.out_a) == results(b.out_a) && results(a.out_b) == results(b.out_b);
  }
  CallRequest in_roomy_memory() const {
    CallRequest r = call_.request;
    r.guarded = false;
    r.threads = 1;
    return r;
  }

  Executor& executor_;
  const DoubtfulCall& call_;
};

}  // namespace

Diagnosis find_dependence(Executor& executor, const DoubtfulCall& call) {
  const Doubt doubt(executor, call);
  const bool threads = call.seen.note == kUnequalThreads;
  if (!doubt.steady() || (threads && !doubt.steady_for_long())) {
    return {"nondeterministic",
            "the same call gives different results: something is kept from call to call, or a clock is looked at",
            {"equal calls in the same memory do not agree", "a single call need not repeat it"}};
  }
  if (const std::string how = doubt.old_output(); !how.empty())
    return {"output-read", "the result depends on what the output held before the call", {how}};
  if (doubt.registers_matter()) {
    return {"uninitialised",
            "the result depends on what registers or the stack held before the call",
            {"with other words there, the same call in the same memory gives other results"}};
  }
  const bool weights = doubt.bytes_behind_matter(&CallRequest::weights);
  if (weights || doubt.bytes_behind_matter(&CallRequest::activations)) {
    return {"over-read",
            "the result depends on bytes outside the buffers",
            {fmt::format("with other bytes behind the {}, the same call gives other results",
                         weights ? "weights" : "activations")}};
  }
  if (threads && doubt.same_in_both_runs()) {
    return {"race",
            "the result is another when several threads make the call at the same time",
            {"four threads at once, of which two leave out the last unit of K; alone every call is right"}};
  }
  return {"unknown",
          "the result depends on where the buffers lie, or on bytes before them",
          {"equal calls in the same memory agree, whatever registers, stack, output and the bytes behind the operands "
           "held before; in other places the results are others"}};
}

}  // namespace tritcheck
