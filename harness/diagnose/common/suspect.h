// What diagnosis works from: a kernel that failed and how to ask it, and everything known of a case that failed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/cases/problem.h"
#include "harness/judge/judge.h"

namespace tritcheck {

/// A case with its problem and the right answers: made once, put to every kernel that it is meant for.
struct Prepared {
  Case spec;
  Problem problem;
  Expectation expected;
};
/// The prepared form of a case for a suspect. Throws std::invalid_argument for a case that has no problem.
using Prepare = std::function<std::shared_ptr<const Prepared>(const Case&)>;

struct Failed {
  std::string family;
  std::shared_ptr<const Prepared> prepared;
  CallResult result;
  Judgement judgement;
  const Case& spec() const { return prepared->spec; }
  const Problem& problem() const { return prepared->problem; }
  const Expectation& expected() const { return prepared->expected; }
};

/// The kernel under test and how to ask it.
struct Suspect {
  Executor& executor;
  uint32_t kernel = 0;
  KernelInfo info;      ///< its contract says what the data are; of one forced onto another layout, that layout
  bool guarded = true;  ///< false when the memory protocol was switched off
  int timeout_ms = 2000;
  std::optional<uint32_t> reader = {};  ///< the library's to_float of the same format
  bool force = false;

  const Contract& contract() const { return info.contract; }
  /// The request that puts this problem to the kernel, guarded or in roomy memory, with the suspect's limits.
  CallRequest request(const Problem& problem, bool with_guards) const;
  CallRequest request(const Problem& problem) const { return request(problem, guarded); }
  /// What it does with it.
  CallResult call(const Problem& problem, bool with_guards) const;
};

}  // namespace tritcheck
