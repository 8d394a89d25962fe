// Where in a row a product goes wrong: golden's activations, all but some columns set to zero, until as few as possible
// are left on which the engine still differs from the exact answer. No name of a kernel and no model of its fault is
// needed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/fast/step.h"
#include "engine/matrix.h"
#include "harness/paris/remote_engine.h"

namespace tritcheck {

/// The fewest columns that fail.
struct Localized {
  int64_t begin = 0;  ///< the columns that fail together
  int64_t end = 0;
  int64_t row = 0;    ///< of the weights, as asked
  int64_t token = 0;  ///< of the call
  int64_t tokens = 0;
  std::string text;       ///< one sentence for people
  std::vector<int8_t> q;  ///< tokens x k activations, all other columns zero
};
inline constexpr int64_t kBlockColumns = 128;

/// `call` is a product of I2_S weights with int8 activations in which row `row` of token `token` is wrong. First looks
/// for a block of columns that fails alone and then for a single column in it; if every block is right alone, for the
/// shortest run of blocks that fails. Throws CandidateDied.
Localized localize(const engine::Matrix& w, const engine::StepCall& call, int64_t row, int64_t token,
                   RemoteEngine& candidate);

/// The row and the activations of `found` as cases of that kernel's operation, the smallest first: cut to the failing
/// blocks and to one row (or group of rows), then with its neighbours, then with all columns. Those whose bytes are too
/// many are left out.
std::vector<std::string> literal_cases(const engine::Matrix& w, const Localized& found, const Contract& contract);

}  // namespace tritcheck
