// Whose layout is it? Nothing in an I2_S file says; but only one of the four readings makes the weights a model that
// finds plain sentences likely.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/text/tokenizer.h"
#include "harness/paris/golden_work.h"
#include "reference/gguf.h"
#include "reference/i2_s.h"

namespace tritcheck {

struct LayoutScore {
  i2_s::Layout layout = i2_s::Layout::x86_128;
  std::string illegal;  ///< why the file cannot be read in it; empty if it can
  double nll = 0;       ///< what golden gives the texts under this reading, nats per token
};

struct LayoutAnswer {
  std::vector<LayoutScore> scores;  ///< all four, in the order of i2_s::kLayouts
  double log_vocab = 0;             ///< ln V: what knowing nothing scores
  /// The reading whose NLL is below ln V - 1 and at least 1 nat below every other; nothing: the texts cannot tell, as
  /// with random weights or a model of another language.
  std::optional<i2_s::Layout> layout;

  /// What the texts score under that reading.
  double nll(i2_s::Layout reading) const { return scores[static_cast<size_t>(reading)].nll; }
  /// "packed as arm_64: ...", or why nobody can tell.
  std::string text() const;
};

/// Nats per token that an engine gives texts, each by itself; infinity if that is no number. Throws
/// UserError(kExitUsage) if no text has two tokens.
double mean_nll(engine::Engine& engine, const text::Tokenizer& tokenizer, const std::vector<std::string>& texts);

/// Scores the readings with the golden engine. `texts` empty: reference_texts(). Throws UserError(kExitBadFile) for a
/// file the engine cannot run or whose text it cannot tokenise. `work`, if there is one, is told of golden's work.
LayoutAnswer score_layouts(const std::string& path, const gguf::File& file, const std::vector<std::string>& texts,
                           int threads, GoldenWork* work = nullptr);

/// What to do about a file that is not canonical: one line with the repack command; empty for x86_128.
std::string layout_advice(const std::string& program, const std::string& path, i2_s::Layout layout);

/// The table of the four scores, for people.
std::string layout_text(const LayoutAnswer& answer, const std::string& program, const std::string& path);

}  // namespace tritcheck
