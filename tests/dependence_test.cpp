// What is said of a function whose result depends on something else than its operands.
#include "harness/diagnose/common/dependence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <utility>

#include "tests/in_process.h"

namespace tritcheck {
namespace {

using ::testing::HasSubstr;

float number(uint32_t word) {
  return std::bit_cast<float>(word);
}
uint32_t word(float number) {
  return std::bit_cast<uint32_t>(number);
}

// One single call: what the request asked for, and how many there were before in this process.
struct Call {
  const CallRequest& request;
  uint32_t old_output;
  uint32_t poison;
  char place;  // 'A', 'B', or 'r' for roomy memory
  int before;
};

using Function = std::function<uint32_t(const Call&)>;

// A worker with one function whose result is word 0; word 1 is nobody's.
InProcess worker_with(Function f) {
  return InProcess(
      [f = std::move(f), calls = 0, a_was_run = false](const CallRequest& r, std::vector<uint32_t>& words) mutable {
        const bool b = std::exchange(a_was_run, r.guarded && !a_was_run);
        const char place = !r.guarded ? 'r' : b ? 'B' : 'A';
        words[0] = f({r, words[0], b ? kPoison2 : r.poison, place, calls++});
      });
}

Diagnosis found(Function f, bool floats = true, const std::string& note = "") {
  InProcess worker = worker_with(std::move(f));
  CallRequest request;
  request.out_words = 2;
  request.weights = {1, 2};
  request.activations = {3, 4};
  CallResult seen = worker.run({&request, 1}).at(0);
  seen.note = note;
  return find_dependence(
      worker, {request, seen, [](const std::vector<uint32_t>& words) { return std::vector{words[0]}; }, floats});
}

TEST(Dependence, OnTheOldOutputInIntegersAndInFloats) {
  const auto adds = found([](const Call& c) { return c.old_output + 7; }, false);
  EXPECT_EQ(adds.name, "output-read");
  EXPECT_THAT(adds.evidence.at(0), HasSubstr("is added"));
  EXPECT_THAT(found([](const Call& c) { return word(number(c.old_output) - 3.5F); }).evidence.at(0),
              HasSubstr("is added"));
  EXPECT_THAT(found([](const Call& c) { return word(2 + 0 * number(c.old_output)); }).evidence.at(0),
              HasSubstr("a NaN"));
  for (const auto& other : {Function([](const Call& c) { return word(2 + 3 * number(c.old_output)); }),
                            Function([](const Call& c) { return word(std::max(0.F, number(c.old_output))); })}) {
    const Diagnosis d = found(other);
    EXPECT_EQ(d.name, "output-read");
    EXPECT_THAT(d.evidence.at(0), HasSubstr("other results"));
  }
}

TEST(Dependence, OnCallsBefore) {
  for (const int period : {2, 3, 4, 16}) {
    EXPECT_EQ(found([=](const Call& c) { return c.before % period == 0 ? 1U : 0U; }).name, "nondeterministic")
        << period;
  }
  EXPECT_EQ(found([](const Call& c) { return c.before == 0 ? 1U : 0U; }).name, "nondeterministic") << "the first only";
  EXPECT_EQ(found([](const Call& c) { return c.before % 100 == 50 ? 1U : 0U; }, true, kUnequalThreads).name,
            "nondeterministic");
  EXPECT_EQ(found([](const Call& c) { return c.before == 0 ? 1U : 0U; }, true, kUnequalThreads).name,
            "nondeterministic")
      << "that threads did not agree is no proof of a race";
}

TEST(Dependence, OnRegistersAndStack) {
  EXPECT_EQ(found([](const Call& c) { return c.poison; }).name, "uninitialised");
  EXPECT_EQ(found([](const Call& c) { return c.poison; }, true, kUnequalThreads).name, "uninitialised");
}

TEST(Dependence, OnBytesBehindTheOperands) {
  const auto third = [](const auto& bytes, char otherwise) {
    return bytes.size() > 2 ? static_cast<uint32_t>(bytes[2]) : static_cast<uint32_t>(otherwise);
  };
  const Diagnosis weights = found([=](const Call& c) { return third(c.request.weights, c.place); });
  EXPECT_EQ(weights.name, "over-read");
  EXPECT_THAT(weights.evidence.at(0), HasSubstr("behind the weights"));
  const Diagnosis acts = found([=](const Call& c) { return third(c.request.activations, c.place); });
  EXPECT_EQ(acts.name, "over-read");
  EXPECT_THAT(acts.evidence.at(0), HasSubstr("behind the activations"));
}

TEST(Dependence, OnThePlaceOfTheBuffersIsNoOverReadAndNoRace) {
  for (const char* note : {"", kUnequalThreads}) {
    const Diagnosis d = found([](const Call& c) { return static_cast<uint32_t>(c.place); }, true, note);
    EXPECT_EQ(d.name, "unknown");
    EXPECT_THAT(d.sentence, HasSubstr("where the buffers lie"));
  }
}

TEST(Dependence, OnOtherThreadsWhereNothingElseIsLeft) {
  EXPECT_EQ(found([](const Call&) { return 7U; }, true, kUnequalThreads).name, "race");
}

}  // namespace
}  // namespace tritcheck
