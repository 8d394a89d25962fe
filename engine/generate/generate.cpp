#include "engine/generate/generate.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace tritcheck::engine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kPortion = 64;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Run {
 public:
  Run(Engine& engine, Sampler& sampler, const GenerateOptions& options, const TokenSink& token)
      : engine_(engine), sampler_(sampler), options_(options), token_(token) {}

  Generated all(std::span<const int32_t> prompt) {
    check(prompt);
    auto start = Clock::now();
    const bool whole = read(prompt);
    done_.prompt_seconds = since(start);
    start = Clock::now();
    done_.end = whole ? write() : End::asked;
    done_.seconds = since(start);
    return done_;
  }

 private:
  void check(std::span<const int32_t> prompt) const {
    if (prompt.empty()) throw std::invalid_argument("the prompt is empty: no token to begin with");
    if (taken() + static_cast<int64_t>(prompt.size()) <= options_.context) return;
    throw std::invalid_argument("the prompt has " + std::to_string(prompt.size()) + " tokens, the context " +
                                std::to_string(options_.context) + " positions" +
                                (taken() == 0 ? "" : ", " + std::to_string(taken()) + " of them taken"));
  }

  bool stopped() const { return options_.stop != nullptr && *options_.stop; }
  int64_t taken() const { return engine_.position(); }

  void forward(std::span<const int32_t> ids, bool want_logits) {
    const auto n = static_cast<int64_t>(ids.size());
    engine_.forward(
        ids, [this](int64_t, std::span<const double> l) { logits_.assign(l.begin(), l.end()); },
        want_logits ? n - 1 : n, options_.trace);
  }

  // In portions, so that a stop need not wait for the end of a long prompt. False: stopped.
  bool read(std::span<const int32_t> prompt) {
    while (!prompt.empty()) {
      if (stopped()) return false;
      const auto portion = prompt.first(std::min(prompt.size(), kPortion));
      prompt = prompt.subspan(portion.size());
      forward(portion, prompt.empty() && options_.tokens != 0);
      done_.prompt_tokens += static_cast<int64_t>(portion.size());
    }
    return true;
  }

  End write() {
    // the token generated last has its place, but is run only if another follows
    const int64_t room = options_.context - taken();
    int32_t id = 0;
    for (;;) {
      if (stopped()) return End::asked;
      if (done_.tokens == options_.tokens) return End::tokens;
      if (done_.tokens >= room) return End::context;
      if (done_.tokens > 0) forward({&id, 1}, true);
      id = sample();
      ++done_.tokens;
      const bool more = token_(id);
      if (std::find(options_.stops.begin(), options_.stops.end(), id) != options_.stops.end()) return End::stop;
      if (!more) return End::asked;
    }
  }

  int32_t sample() {
    try {
      return sampler_.sample(logits_);
    } catch (const SampleError& e) {
      throw SampleError("after position " + std::to_string(taken() - 1) + ": " + e.what());
    }
  }

  Engine& engine_;
  Sampler& sampler_;
  const GenerateOptions& options_;
  const TokenSink& token_;
  std::vector<double> logits_;  // of the last token
  Generated done_;
};

}  // namespace

Generated generate(Engine& engine, Sampler& sampler, std::span<const int32_t> prompt, const GenerateOptions& options,
                   const TokenSink& token) {
  return Run(engine, sampler, options, token).all(prompt);
}

}  // namespace tritcheck::engine
