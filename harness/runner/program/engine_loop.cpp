#include "harness/runner/program/engine_loop.h"

#include <sys/prctl.h>

#include <csignal>
#include <exception>
#include <memory>

#include "corpora/bugs/bugs.h"
#include "engine/start.h"
#include "harness/base/mapped_file.h"
#include "harness/protocol/engine_messages.h"
#include "harness/runner/channel.h"

namespace tritcheck {
namespace {

using wire::EngineCall;
using wire::EngineReply;

// Everything an engine needs, in the order it must live.
class Served {
 public:
  explicit Served(const wire::EngineOpen& open) : mapped_(open.model), file_(gguf::parse(mapped_.bytes())) {
    model_ = engine::load(file_, {.layout = open.layout});
    started_ = engine::start(model_,
                             {.kernels = open.kernels,
                              .threads = static_cast<int>(open.threads),
                              .act = open.act,
                              .isa = open.isa,
                              .fault = open.fault},
                             registry_);
    if (started_.kernels.empty()) started_.kernels = "no I2_S layer: reference code";
  }

  const std::string& text() const { return started_.kernels; }
  engine::Engine& engine() { return *started_.engine; }
  /// Throws if the engine is golden, whose operations nobody asks for one by one.
  engine::Fast& fast() {
    if (started_.fast == nullptr) throw engine::PlanError("golden runs no single operation");
    return *started_.fast;
  }

 private:
  MappedFile mapped_;
  gguf::File file_;
  engine::Model model_;
  std::vector<Kernel> registry_ = kernels_and_bugs();
  engine::Started started_;
};

void reply(uint32_t sequence, const EngineReply& r) {
  send_frame(wire::FrameType::engine_reply, sequence, encode(r));
}

void forward(uint32_t sequence, Served& served, const wire::EngineForward& call) {
  served.engine().rewind(call.position);
  served.engine().forward(
      call.ids,
      [&](int64_t index, std::span<const double> logits) {
        EngineReply r;
        r.kind = EngineReply::Kind::logits;
        r.index = index;
        r.logits.assign(logits.begin(), logits.end());
        reply(sequence, r);
      },
      call.first_logits);
  reply(sequence, {});
}

void answer(uint32_t sequence, std::unique_ptr<Served>& served, const EngineCall& call) {
  if (call.kind == EngineCall::Kind::open) {
    served.reset();
    served = std::make_unique<Served>(call.open);
    EngineReply r;
    r.text = served->text();
    r.index = wire::kSchema;
    return reply(sequence, r);
  }
  if (!served) fail("an engine was asked before it was opened");
  if (call.kind == EngineCall::Kind::forward) return forward(sequence, *served, call.forward);
  EngineReply r;
  r.step = served->fast().step(call.step);
  reply(sequence, r);
}

}  // namespace

void serve_engine() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  open_channel();
  std::unique_ptr<Served> served;
  while (const auto frame = next_frame(wire::FrameType::engine_call)) {
    wire::Reader in(frame->payload);
    EngineCall call;
    if (!wire::decode(in, call)) fail("an engine call cannot be read");
    EngineReply bad;
    try {
      answer(frame->sequence, served, call);
      continue;
    } catch (const engine::PlanError& error) {
      bad.kind = EngineReply::Kind::refused;
      bad.text = error.what();
    } catch (const std::exception& error) {
      bad.kind = EngineReply::Kind::error;
      bad.text = error.what();
    }
    reply(frame->sequence, bad);
  }
}

}  // namespace tritcheck
