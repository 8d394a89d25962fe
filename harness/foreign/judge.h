// One call of a function of a library against what was expected of it; and what is known of a case that failed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/foreign/problem.h"
#include "harness/judge.h"

namespace tritcheck::foreign {

/// The results a call left in its output words (run A or B): floats, or for a quantiser bytes.
std::vector<double> answers(const Problem& problem, const std::vector<uint32_t>& words);

/// Like tritcheck::judge. A result is right if it is within its bound, or, where nothing finite is defined, is not
/// finite either.
Judgement judge(const Problem& problem, const Expectation& expected, const CallResult& result);

/// A case with its problem and the right answers: made once, put to every function of that format.
struct Prepared {
  Case spec;
  Problem problem;
  Expectation expected;
};

struct Failed {
  std::string family;
  std::shared_ptr<const Prepared> prepared;
  CallResult result;
  Judgement judgement;
  const Problem& problem() const { return prepared->problem; }
  const Expectation& expected() const { return prepared->expected; }
};

}  // namespace tritcheck::foreign
