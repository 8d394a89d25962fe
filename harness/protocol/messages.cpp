#include "harness/protocol/messages.h"

#include "harness/protocol/fields.h"

namespace tritcheck::wire {
namespace {

template <class Io, class T>
void fields(Io io, T& x) requires std::is_same_v<std::remove_const_t<T>, Contract> {
  io(x.op, Op::from_float);
  io(x.layout, Layout::linear);
  io(x.result, Result::scaled);
  io(x.k_multiple);
  io(x.k_max);
  io(x.row_multiple);
  io(x.q_min);
  io(x.max_code);
  io(x.align_w);
  io(x.align_q);
  io(x.align_out);
  io(x.overread_w);
  io(x.overread_q);
  io(x.float_out);
}

template <class Io, class T>
void fields(Io io, T& x) requires std::is_same_v<std::remove_const_t<T>, KernelInfo> {
  io(x.name);
  io(x.isa, kIsas.back());
  io(x.via, Via::simde);
  fields(io, x.contract);
  io(x.runnable);
  io(x.why_not);
  io(x.selected);
  io(x.role, Role::library);
  io(x.format);
  io(x.acts);
  io(x.nrows);
  io(x.needs);
  io(x.is_bug);
  io(x.diagnosis);
  io(x.summary);
}

template <class Io, class T>
void fields(Io io, T& x) requires std::is_same_v<std::remove_const_t<T>, LibraryInfo> {
  io(x.path);
  io(x.version);
  io(x.abi);
  io(x.types);
  io(x.notes);
}

template <class Io, class T>
void fields(Io io, T& x) requires std::is_same_v<std::remove_const_t<T>, CallRequest> {
  io(x.kernel);
  io(x.guarded);
  io(x.force);
  io(x.cpu_limit_ms);
  io(x.old_output);
  io(x.poison);
  io(x.k);
  io(x.nrc);
  io(x.w_stride);
  io(x.q_stride);
  io(x.out_stride);
  io(x.m);
  io(x.row0);
  io(x.nrows);
  io(x.act_scale);
  io(x.act_sum);
  io(x.threads);
  io(x.out_words);
  io(x.w_offset);
  io(x.q_offset);
  io(x.out_offset);
}

template <class Io, class T>
void fields(Io io, T& x) requires std::is_same_v<std::remove_const_t<T>, CallResult> {
  io(x.status, CallStatus::lost);
  io(x.bytes_before);
  io(x.bytes_after);
  io(x.changed, Buffer::output);
  io(x.signal);
  io(x.run);
  io(x.fault_buffer, Buffer::output);
  io(x.fault_distance);
  io(x.fault_inside);
  io(x.no_address);
  io(x.fault_write);
  io(x.null_pc);
  io(x.note);
  io.numbers(x.out_a);
  io.numbers(x.out_b);
}

}  // namespace

void encode(Writer& out, const WorkerInfo& info) {
  out.put(static_cast<int32_t>(info.schema));
  for (const auto* text : {&info.arch, &info.compiler, &info.flags, &info.cpu}) out.string(*text);
  fields(Out{out}, info.library);
  out.put(static_cast<uint32_t>(info.kernels.size()));
  for (const KernelInfo& kernel : info.kernels) fields(Out{out}, kernel);
}

bool decode(Reader& in, WorkerInfo& info) {
  info.schema = in.get<int32_t>();
  if (info.schema != kSchema) return false;
  for (auto* text : {&info.arch, &info.compiler, &info.flags, &info.cpu}) *text = in.string();
  fields(In{in}, info.library);
  const auto count = in.get<uint32_t>();
  for (uint32_t i = 0; i < count && in.ok(); ++i) fields(In{in}, info.kernels.emplace_back());
  return in.done();
}

void encode(Writer& out, const CallRequest& request) {
  fields(Out{out}, request);
  out.put(static_cast<uint32_t>(request.weights.size()));
  out.put(static_cast<uint32_t>(request.activations.size()));
  out.bytes(request.weights);
  const auto bytes = std::as_bytes(std::span(request.activations));
  out.bytes({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

bool decode(Reader& in, CallRequest& request, std::span<const uint8_t>& weights, std::span<const int8_t>& activations) {
  fields(In{in}, request);
  const auto weight_bytes = in.get<uint32_t>();
  const auto activation_bytes = in.get<uint32_t>();
  weights = in.bytes(weight_bytes);
  const auto raw = in.bytes(activation_bytes);
  activations = {reinterpret_cast<const int8_t*>(raw.data()), raw.size()};
  return in.done();
}

void encode(Writer& out, const CallResult& result) {
  fields(Out{out}, result);
}

bool decode(Reader& in, CallResult& result) {
  fields(In{in}, result);
  return in.done();
}

}  // namespace tritcheck::wire
