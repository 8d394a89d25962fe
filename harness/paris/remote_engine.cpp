#include "harness/paris/remote_engine.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/base/error.h"
#include "harness/base/interrupt.h"

namespace tritcheck {
namespace {

using How = CandidateDied::How;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLook{200};

}  // namespace

RemoteEngine::RemoteEngine(const Target& target, const wire::EngineOpen& open, double limit_s)
    : target_(target), open_(open), limit_s_(limit_s) {
  start();
}

void RemoteEngine::start() {
  std::vector<std::string> command = target_.command;
  command.push_back(target_.runner);
  command.emplace_back("--engine");
  try {
    worker_.start(command);
  } catch (const std::runtime_error& error) {
    throw UserError(kExitNoDevice, fmt::format("target {}: {}", target_.text, error.what()));
  }
  wire::EngineCall call;
  call.kind = wire::EngineCall::Kind::open;
  call.open = open_;
  send(call);
  wire::EngineReply reply;
  try {
    reply = receive();
  } catch (const CandidateDied& died) {
    if (died.how() == How::stopped) throw UserError(kExitInterrupted, "interrupted while the candidate was started");
    const bool other = std::string_view(died.what()).find("damaged") != std::string_view::npos;
    throw UserError(kExitNoDevice,
                    fmt::format("target {}: the runner did not start: {}", target_.text,
                                other ? "it is of another version; build and install both again" : died.what()));
  }
  if (reply.kind == wire::EngineReply::Kind::refused) throw UserError(kExitUsage, reply.text);
  if (reply.kind == wire::EngineReply::Kind::error)
    throw UserError(kExitBadFile, fmt::format("{}: {}", open_.model, reply.text));
  if (reply.index != wire::kSchema) {
    throw UserError(kExitNoDevice, fmt::format("target {}: its runner speaks protocol {}, this program {}; build and "
                                               "install both again",
                                               target_.text, reply.index, wire::kSchema));
  }
  kernels_ = reply.text;
}

std::unique_ptr<RemoteEngine> RemoteEngine::with_other_threads() const {
  wire::EngineOpen open = open_;
  open.threads = open.threads == 1 ? 2 : 1;
  return std::make_unique<RemoteEngine>(target_, open, limit_s_);
}

void RemoteEngine::send(const wire::EngineCall& call) {
  if (!worker_.running()) start();
  worker_.send(wire::FrameType::engine_call, ++sequence_, encode(call));
}

wire::EngineReply RemoteEngine::receive() {
  const double cpu_before = worker_.cpu_seconds();
  Worker::Frame frame;
  for (;;) {
    const Worker::Got got = worker_.take(frame);
    if (got == Worker::Got::frame && frame.header.sequence == sequence_) {
      wire::Reader in(frame.payload);
      wire::EngineReply reply;
      if (frame.header.type == wire::FrameType::engine_reply && wire::decode(in, reply)) return reply;
    }
    if (got != Worker::Got::nothing) {
      worker_.stop();
      throw CandidateDied("its answer is damaged: a kernel wrote over its memory", How::garbled);
    }
    if (g_interrupted) throw CandidateDied("interrupted", How::stopped);
    if (!worker_.pump(steady_clock::now() + kLook)) {
      const std::string words = worker_.last_words();
      const Worker::End end = worker_.reap();
      if (end.signal != 0) throw CandidateDied(fmt::format("it crashed: {}", strsignal(end.signal)), How::ended);
      throw CandidateDied(words.empty() ? fmt::format("it ended with exit code {}", end.code) : words, How::ended);
    }
    if (worker_.cpu_seconds() - cpu_before > limit_s_) {
      worker_.stop();
      throw CandidateDied(fmt::format("no answer within {:g} s of CPU time", limit_s_), How::hung);
    }
  }
}

void RemoteEngine::forward(std::span<const int32_t> ids, const engine::LogitsSink& logits, int64_t first_logits,
                           const engine::Trace& /*trace*/) {
  wire::EngineCall call;
  call.kind = wire::EngineCall::Kind::forward;
  call.forward = {position_, {ids.begin(), ids.end()}, first_logits};
  send(call);
  std::vector<double> wide;
  for (;;) {
    const wire::EngineReply reply = receive();
    if (reply.kind == wire::EngineReply::Kind::error) throw UserError(kExitBadFile, reply.text);
    if (reply.kind == wire::EngineReply::Kind::done) break;
    wide.assign(reply.logits.begin(), reply.logits.end());
    logits(reply.index, wide);
  }
  position_ += static_cast<int64_t>(ids.size());
}

engine::StepResult RemoteEngine::step(const engine::StepCall& step) {
  wire::EngineCall call;
  call.kind = wire::EngineCall::Kind::step;
  call.step = step;
  send(call);
  wire::EngineReply reply = receive();
  if (reply.kind == wire::EngineReply::Kind::error) throw UserError(kExitBadFile, reply.text);
  return std::move(reply.step);
}

}  // namespace tritcheck
