// The runner's end of the protocol: frames in, frames out, on descriptors that no kernel meets by chance.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/protocol/executor.h"
#include "harness/protocol/wire.h"

namespace tritcheck {

/// Moves standard input, output and error to high descriptors and puts /dev/null in their place.
void open_channel();

/// Exit codes of the runner: something is wrong with what it was told or given; or a library died over a question.
inline constexpr int kExitRefused = 64;
inline constexpr int kExitDied = 66;

/// Ends the runner with a message on the original standard error.
[[noreturn]] void fail(const std::string& message, int code = kExitRefused);

struct Frame {
  uint32_t sequence = 0;
  std::span<const uint8_t> payload;  ///< valid until the next call of next_frame
};
/// The next frame, which must be of that type; nothing at the end of the input. Sends what is pending before it waits.
std::optional<Frame> next_frame(wire::FrameType type = wire::FrameType::call);
/// Sends a frame at once.
void send_frame(wire::FrameType type, uint32_t sequence, std::span<const uint8_t> payload);

void send_hello(const WorkerInfo& info);

/// Queues an answer.
void answer(uint32_t sequence, const CallResult& result);
/// Sends queued answers if the oldest has waited for long, so that the harness sees which call is under way.
void flush_if_due();

/// Sends what is pending and a last answer (without outputs and note), then ends the process. Async-signal-safe.
[[noreturn]] void last_answer(uint32_t sequence, const CallResult& result);

}  // namespace tritcheck
