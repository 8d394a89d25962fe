// What the golden and the fast engine have in common: a sequence that grows.
#pragma once

#include <cstdint>
#include <span>

#include "engine/trace.h"

namespace tritcheck::engine {

class Engine {
 public:
  virtual ~Engine() = default;

  /// Runs tokens as the next of the sequence, and gives the logits of those from index `first_logits` on (all by
  /// default; ids.size() for none). Throws ModelError for an id that the model does not have. The split of a sequence
  /// into calls does not change a bit of any result, and neither does the number of threads.
  virtual void forward(std::span<const int32_t> ids, const LogitsSink& logits, int64_t first_logits,
                       const Trace& trace) = 0;
  void forward(std::span<const int32_t> ids, const LogitsSink& logits, int64_t first_logits = 0) {
    forward(ids, logits, first_logits, {});
  }

  /// Tokens in the sequence.
  int64_t position() const { return position_; }
  /// Forgets everything from that position on; 0 begins anew.
  void rewind(int64_t position) { position_ = position; }

 protected:
  Engine() = default;
  Engine(const Engine&) = default;
  Engine& operator=(const Engine&) = default;

  int64_t position_ = 0;
};

}  // namespace tritcheck::engine
