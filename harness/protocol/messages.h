// What the frames carry: the structures of harness/protocol/executor.h, and nothing else.
#pragma once

#include "harness/protocol/executor.h"
#include "harness/protocol/wire.h"

namespace tritcheck::wire {

void encode(Writer& out, const WorkerInfo& info);
bool decode(Reader& in, WorkerInfo& info);  ///< false: not a hello of this schema; info.schema tells which it is

void encode(Writer& out, const CallRequest& request);
/// Leaves request.weights and request.activations empty; the data stays where it is and the spans point at it.
bool decode(Reader& in, CallRequest& request, std::span<const uint8_t>& weights, std::span<const int8_t>& activations);

/// Async-signal-safe.
void encode(Writer& out, const CallResult& result);
bool decode(Reader& in, CallResult& result);

}  // namespace tritcheck::wire
