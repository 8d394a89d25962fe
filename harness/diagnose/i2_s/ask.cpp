#include <fmt/format.h>

#include "harness/diagnose/i2_s/steps.h"

namespace tritcheck::i2_s_steps {

I2sProblem Asker::blank(int64_t k, int32_t n, int code, int q) const {
  I2sProblem p;
  p.op = contract().op;
  p.layout = contract().layout;
  p.result = contract().result;
  p.float_out = contract().float_out;
  p.k = k;
  p.n = n;
  p.m = p.op == Op::gemv ? n : 0;
  p.codes.assign(static_cast<size_t>(p.weight_rows() * k), static_cast<uint8_t>(code));
  p.q.assign(static_cast<size_t>(p.act_rows() * k), static_cast<int8_t>(q));
  return p;
}

CallRequest Asker::request(const Problem& problem, bool guarded) const {
  return suspect_.request(problem, guarded);
}

std::vector<Answer> Asker::ask(std::span<const Problem> problems) const {
  std::vector<CallRequest> requests;
  for (const Problem& p : problems) requests.push_back(request(p));
  const std::vector<CallResult> results = suspect_.executor.run(requests);
  std::vector<Answer> out;
  for (size_t i = 0; i < results.size(); ++i) {
    Answer a;
    a.returned = results[i].status == CallStatus::returned;
    a.words = results[i].out_a;
    a.values = a.returned ? answers(problems[i], a.words) : std::vector<double>(static_cast<size_t>(problems[i].n));
    out.push_back(std::move(a));
  }
  return out;
}

std::vector<Answer> Asker::ask(std::vector<I2sProblem> problems) const {
  std::vector<Problem> packed;
  for (I2sProblem& p : problems) {
    p.pack();
    packed.push_back(std::move(p));
  }
  return ask(std::span<const Problem>(packed));
}

Answer Asker::ask(const Problem& problem, const CallRequest& request) const {
  const CallResult result = suspect_.executor.run({&request, 1}).at(0);
  Answer a;
  a.returned = result.status == CallStatus::returned;
  a.words = result.out_a;
  if (a.returned) a.values = answers(problem, a.words);
  return a;
}

bool Asker::right(const Problem& problem) const {
  const Answer a = ask(problem);
  return a.returned && a.values == right_values(problem);
}

}  // namespace tritcheck::i2_s_steps
