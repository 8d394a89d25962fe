// Each operation of the graph by itself, on inputs that golden computed: errors do not add up, so the first operation
// that is wrong is the one to look at.
#pragma once

#include "engine/model.h"
#include "engine/text/tokenizer.h"
#include "harness/paris/golden_work.h"
#include "harness/paris/paris.h"
#include "harness/paris/remote_engine.h"

namespace tritcheck {

/// Replays golden's operations on a plain sentence, one after the other, in the candidate: with all tokens at once as
/// a prompt is, and with one token as decoding is. Integers must be equal, floats within a derived bound
/// (expected_step.h). Throws CandidateDied and GoldenInterrupted.
Exactness check_exactness(const engine::Model& model, const ParisOptions& options, const text::Tokenizer& tokenizer,
                          RemoteEngine& candidate, GoldenWork& work);

/// Verifies the kernel of a wrong operation by itself, on probes and then on the model's rows, and notes what that
/// finds: the diagnosis, the smallest case and its repro line.
void name_wrong_kernel(const ParisOptions& options, Layout layout, WrongStep& wrong);

}  // namespace tritcheck
