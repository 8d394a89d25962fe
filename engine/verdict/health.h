// From numbers to a word that the owner of a phone understands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tritcheck::engine {

/// What became of the text. Only the comparison with golden decides, except where golden itself cannot speak.
enum class Health : uint8_t {
  healthy,
  suspect,       ///< more than rounding explains, and the text is still good
  collapse,      ///< one token or a short cycle again and again
  salad,         ///< words without sense: golden finds the candidate's text unlikely
  silent,        ///< text that looks right, and logits that are far off
  broken_model,  ///< golden itself fails on these weights: the file, not the kernels
  unknown,       ///< nothing was compared
};
/// "HEALTHY", "SUSPECT", "DEGENERATE (collapse)", ..., "BROKEN MODEL", "NOT JUDGED".
std::string_view name(Health health);
/// One sentence for somebody who never heard of logits.
std::string_view sentence(Health health);

/// Everything the judgement uses, over all prompts.
struct HealthNumbers {
  bool compared = true;  ///< false: nothing was, and the numbers of the candidate say nothing
  // teacher-forced on golden's own texts
  double kld = 0;
  double top1 = 1;
  double agreement = 1;
  double nmse = 0;
  int64_t not_finite = 0;  ///< positions
  // what the candidate says by itself
  double nll_candidate = 0;    ///< mean -log p of its text under golden, nats per token (nllG)
  double nll_golden_text = 0;  ///< of golden's own text
  double rep4 = 0;             ///< mean over prompts
  double rep4_golden = 0;
  double tail = 0;  ///< tail_period, mean over prompts
  double tail_golden = 0;
  int64_t constant_prompts = 0;  ///< prompts with one token at 16 or more positions in a row
  // what golden makes of the shipped texts of the model's language
  bool has_reference = false;
  double nll_reference = 0;
  double log_vocab = 0;  ///< ln of the vocabulary: what a model that knows nothing scores
};

/// The limits, from measurements of the field, and calibrated by `engine_museum --calibrate` (docs/engine-museum.md).
struct Bands {
  double pass_kld = 1e-3;
  double pass_top1 = 0.99;
  double pass_nmse = 2e-3;
  double suspect_kld = 1e-2;
  double suspect_top1 = 0.95;
  double salad_nll = 1.0;  ///< nats above golden's own text
  double loop_rep4 = 0.5;
  double loop_rep4_above = 0.3;
  double loop_tail = 0.3;
  double loop_nll = 0.3;
  int64_t constant_prompts = 2;
};

struct HealthVerdict {
  Health health = Health::healthy;
  std::string why;  ///< the numbers that decided, in one line
};

HealthVerdict judge_health(const HealthNumbers& numbers, const Bands& bands = {});

}  // namespace tritcheck::engine
