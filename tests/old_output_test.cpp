// What is said of a function whose result depends on what its output held before.
#include "harness/diagnose/old_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>

namespace tritcheck {
namespace {

using ::testing::HasSubstr;

// A worker with one function: from the old output word to the new one. Word 1 is nobody's.
class OneWord : public Executor {
 public:
  explicit OneWord(std::function<uint32_t(uint32_t)> f) : f_(std::move(f)) {}
  const WorkerInfo& info() const override { return info_; }
  std::vector<CallResult> run(std::span<const CallRequest> requests) override {
    std::vector<CallResult> out;
    for (const CallRequest& r : requests) {
      EXPECT_FALSE(r.guarded);
      CallResult result;
      result.status = status;
      result.out_a = {f_(r.old_output), r.old_output};
      out.push_back(result);
    }
    return out;
  }
  CallStatus status = CallStatus::returned;

 private:
  std::function<uint32_t(uint32_t)> f_;
  WorkerInfo info_;
};

std::string said(OneWord worker) {
  const size_t results[] = {0};
  return old_output_counts(worker, CallRequest{}, results).value_or("nothing");
}
float number(uint32_t word) {
  return std::bit_cast<float>(word);
}
uint32_t word(float number) {
  return std::bit_cast<uint32_t>(number);
}

TEST(OldOutput, WordsThatAreNoResultsDoNotCount) {
  EXPECT_EQ(said(OneWord([](uint32_t) { return 7U; })), "nothing");
}

TEST(OldOutput, AddingIsKnownInIntegersAndInFloats) {
  EXPECT_THAT(said(OneWord([](uint32_t old) { return old + 7; })), HasSubstr("is added"));
  EXPECT_THAT(said(OneWord([](uint32_t old) { return word(number(old) - 3.5F); })), HasSubstr("is added"));
}

TEST(OldOutput, ANaNThatStaysIsAProductWithZero) {
  EXPECT_THAT(said(OneWord([](uint32_t old) { return word(2 + 0 * number(old)); })), HasSubstr("a NaN"));
}

TEST(OldOutput, AnythingElseIsOnlyADifference) {
  EXPECT_THAT(said(OneWord([](uint32_t old) { return word(2 + 3 * number(old)); })), HasSubstr("different results"));
}

TEST(OldOutput, ACallThatDoesNotReturnSaysNothing) {
  OneWord worker([](uint32_t old) { return old; });
  worker.status = CallStatus::crashed;
  EXPECT_EQ(said(std::move(worker)), "nothing");
}

}  // namespace
}  // namespace tritcheck
