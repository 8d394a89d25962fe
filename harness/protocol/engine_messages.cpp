#include "harness/protocol/engine_messages.h"

#include "harness/protocol/fields.h"

namespace tritcheck::wire {
namespace {

template <class Io, class T>
void fields(Io io, T& x) requires std::is_same_v<std::remove_const_t<T>, engine::StepCall> {
  io(x.step, engine::kLastStep);
  io(x.tensor);
  io(x.tokens);
  io(x.position);
  io(x.heads);
  io.numbers(x.a);
  io.numbers(x.b);
  io.numbers(x.c);
  io.numbers(x.q);
  io.numbers(x.scale);
  io.numbers(x.sum);
}

template <class Io, class T>
void fields(Io io, T& x) requires std::is_same_v<std::remove_const_t<T>, EngineCall> {
  io(x.kind, EngineCall::Kind::step);
  switch (x.kind) {
    case EngineCall::Kind::open:
      io(x.open.model);
      io(x.open.layout, i2_s::Layout::linear);
      io(x.open.kernels);
      io(x.open.threads);
      io(x.open.act, engine::Act::none);
      io(x.open.fault, engine::kLastFault);
      io(x.open.isa);
      break;
    case EngineCall::Kind::forward:
      io(x.forward.position);
      io.numbers(x.forward.ids);
      io(x.forward.first_logits);
      break;
    case EngineCall::Kind::step:
      fields(io, x.step);
      break;
  }
}

template <class Io, class T>
void fields(Io io, T& x) requires std::is_same_v<std::remove_const_t<T>, EngineReply> {
  io(x.kind, EngineReply::Kind::error);
  io(x.text);
  io(x.index);
  io.numbers(x.logits);
  io.numbers(x.step.y);
  io.numbers(x.step.q);
  io.numbers(x.step.scale);
  io.numbers(x.step.sum);
  io(x.step.kernel);
}

template <class T>
std::vector<uint8_t> to_bytes(const T& x) {
  Writer measure;
  fields(Out{measure}, x);
  std::vector<uint8_t> bytes(measure.size());
  Writer out(bytes);
  fields(Out{out}, x);
  return bytes;
}

}  // namespace

std::vector<uint8_t> encode(const EngineCall& call) {
  return to_bytes(call);
}
bool decode(Reader& in, EngineCall& call) {
  fields(In{in}, call);
  return in.done();
}
std::vector<uint8_t> encode(const EngineReply& reply) {
  return to_bytes(reply);
}
bool decode(Reader& in, EngineReply& reply) {
  fields(In{in}, reply);
  return in.done();
}

}  // namespace tritcheck::wire
