// Inside the diagnosis of products of I2_S: how the suspect is asked, and the steps that each recognise one group of
// causes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/diagnose/common/steps.h"

namespace tritcheck::i2_s_steps {

/// What a call answered: its values if it returned, as expected() gives them.
struct Answer {
  bool returned = false;
  std::vector<double> values;
  std::vector<uint32_t> words;  ///< the whole output region of run A
};

/// Asks the suspect. Questions are put in roomy memory without guards, so that a kernel which reads the wrong place
/// lives to tell what it read.
class Asker {
 public:
  explicit Asker(const Suspect& suspect) : suspect_(suspect) {}
  const Contract& contract() const { return suspect_.contract(); }

  /// A problem of the contract's shape: codes all `code`, activations all `q`, scales 1, tensor of exactly n rows.
  I2sProblem blank(int64_t k, int32_t n, int code, int q) const;
  std::vector<Answer> ask(std::span<const Problem> problems) const;
  std::vector<Answer> ask(std::vector<I2sProblem> problems) const;
  Answer ask(const Problem& problem) const { return ask(std::span(&problem, 1)).front(); }
  Answer ask(I2sProblem problem) const {
    problem.pack();
    return ask(static_cast<const Problem&>(problem));
  }
  /// A request changed by hand; the values are decoded as the problem's.
  Answer ask(const Problem& problem, const CallRequest& request) const;
  bool right(const Problem& problem) const;
  bool right(I2sProblem problem) const {
    problem.pack();
    return right(static_cast<const Problem&>(problem));
  }

  CallRequest request(const Problem& problem, bool guarded = false) const;
  CallRequest request(I2sProblem problem) const {
    problem.pack();
    return request(static_cast<const Problem&>(problem));
  }

 private:
  const Suspect& suspect_;
};

/// The right answers of a question.
inline std::vector<double> right_values(const Problem& problem) {
  return expected(problem).values;
}
inline std::vector<double> right_values(I2sProblem problem) {
  problem.pack();
  return expected(problem).values;
}

/// Which of the failures a value step works on: its K, its n, the output that is wrong.
struct Base {
  int64_t k = 0;
  int32_t n = 1;
  int32_t output = 0;
};

/// Questions asked by the hundred are only asked of rows up to this K.
inline constexpr int64_t kShortRow = 16384;

// Each returns a diagnosis (without based_on) if its causes, and only they, reproduce what the kernel does.
Found outputs_misplaced(const Asker& ask, const Failed& failure);
Found rows_misplaced(const Asker& ask, const Failed& failure);
Found scales(const Asker& ask, const Base& base);
Found offsets_and_codes(const Asker& ask, const Base& base);
/// Sets `plain` if every weight was seen to meet its own activation once; only then can another cause be the cause.
Found structure(const Asker& ask, const Base& base, bool& plain);
Found magnitudes(const Asker& ask, const Base& base, std::span<const Failed> failures);
Found shortcuts(const Asker& ask, const Base& base, std::span<const Failed> failures);

/// What one packed weight row is paired with, as measured at one output: for each group of `group` columns, how often
/// its weights count and which group of activations they meet (-1: none or several), and at which output.
struct Pairing {
  int64_t group = 1;
  struct Entry {
    int64_t count = 0;
    int64_t partner = -1;
    int32_t output = -1;  ///< where it showed; -1: nowhere, -2: at several
  };
  std::vector<Entry> entries;
};

/// A way to read packed bytes: planes of `group` columns (0: four rows in one byte), fields in this order of shifts.
struct Reading {
  int64_t group = 32;
  int shifts[4] = {6, 4, 2, 0};
};
std::string describe(const Reading& reading);
Reading reading_of(Layout layout);
/// The reading that turns the contract's data into exactly this pairing of row `row` out of n, if there is one.
std::optional<Reading> find_reading(const Contract& contract, int64_t k, int32_t n, int32_t row,
                                    const Pairing& pairing);

}  // namespace tritcheck::i2_s_steps
