// Does it still say Paris? A candidate engine against the golden one on the same weights: the text, the logits, and
// each operation by itself.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/verdict/health.h"
#include "engine/verdict/metrics.h"
#include "harness/base/error.h"
#include "harness/base/options.h"
#include "harness/base/run_report.h"
#include "harness/protocol/engine_messages.h"

namespace tritcheck {

/// Golden's texts of one model, kept for further comparisons on the same weights with the same options. Golden is the
/// slow side, above all where a broken candidate has nothing to draft for it.
struct GoldenMemo {
  struct Text {
    std::vector<int32_t> ids;
    std::vector<std::vector<double>> logits;  ///< of every token of prompt and text but the last
  };
  std::map<std::vector<int32_t>, Text> texts;  ///< by the prompt's tokens
};

struct ParisOptions {
  std::string model;             ///< GGUF path
  std::optional<Layout> layout;  ///< of its I2_S tensors; nothing: found, else x86_128 is assumed
  std::string kernels = "auto";  ///< "golden" (has no operations to replay), or as engine::plan_kernels reads it
  std::string device = "local";
  std::vector<std::string> prompts;  ///< empty: default_prompts()
  int tokens = 40;                   ///< to continue each prompt by, at most
  int threads = 0;                   ///< 0: one per core
  engine::Act act = engine::Act::automatic;
  engine::Fault fault = engine::Fault::none;  ///< means something only to a test build of the runner
  std::vector<std::string> isa;
  double limit_s = 120;              ///< CPU time for one answer of the candidate
  std::shared_ptr<GoldenMemo> memo;  ///< filled and used if there is one
  std::string golden_file;           ///< golden's side is read from it if it exists, and written to it; empty: none;
                                     ///< "auto": cached_golden_file()
  std::string candidate_model;       ///< another file for the candidate: a test's damaged copy; empty: the same
  bool exactness = true;             ///< also replay the operations one by one
  std::string program = "tritcheck";
};

/// Where golden was not sure and the candidate took another token: listed, and no evidence.
struct Flip {
  int64_t position = 0;
  std::string golden, candidate;  ///< the two tokens' text
  double margin = 0;
};

struct PromptReport {
  std::string prompt;
  std::string golden_text;
  std::string candidate_text;
  std::vector<int32_t> golden_ids;
  std::vector<int32_t> candidate_ids;
  engine::LogitMetrics logits;  ///< teacher-forced along the prompt and golden's text
  double nll_golden = 0;        ///< of golden's own text, nats per token
  double nll_candidate = 0;     ///< of the candidate's text under golden
  double rep4_golden = 0, rep4 = 0;
  double tail_golden = 0, tail = 0;
  bool constant = false;  ///< the candidate gave one token at 16 or more positions in a row
  std::vector<Flip> flips;
};

/// One operation that gave another answer than it must on golden's inputs.
struct WrongStep {
  std::string name;    ///< "Qcur-0"
  std::string op;      ///< "MUL_MAT"
  std::string tensor;  ///< the weights, if it has any
  std::string kernel;  ///< the kernel that ran, if it is one of ours
  int64_t tokens = 0;  ///< tokens in the batch in which it failed
  int64_t wrong = 0;   ///< numbers that are wrong, of `total`
  int64_t total = 0;
  int64_t row = 0;  ///< the first wrong one: output row (or column), token
  int64_t token = 0;
  double expected = 0;
  double got = 0;
  std::string where;  ///< I2_S products: the fewest columns that are wrong by themselves, one sentence
  std::vector<std::string> literal_cases;  ///< those columns of golden's own numbers, the smallest first
  std::string detail;                      ///< batch sizes: what else is known
  std::string diagnosis;  ///< of the kernel, one name of `tritcheck explain`; empty if it is none of ours
  std::string case_text;  ///< the smallest failing case, if it is a kernel of ours
  std::string repro;      ///< one command line
};

struct Exactness {
  bool ran = false;
  int64_t steps = 0;             ///< operations replayed
  int64_t integer_results = 0;   ///< numbers compared for equality
  int64_t float_results = 0;     ///< numbers compared within a bound
  std::vector<WrongStep> wrong;  ///< in graph order: the first is where to look
  bool exact() const { return wrong.empty(); }
};

struct ParisReport {
  std::string model;
  std::string arch;
  Layout layout = Layout::x86_128;
  bool has_i2_s = false;
  bool layout_given = false;
  bool layout_found = false;  ///< by what golden makes of the four readings
  std::string layout_advice;  ///< if it was found and is not canonical: what to do
  std::string device;
  std::string kernels;  ///< that ran
  std::vector<std::string> notices;
  std::vector<PromptReport> prompts;
  engine::LogitMetrics logits;
  engine::HealthNumbers numbers;
  engine::HealthVerdict health;
  double compression_golden = 0, compression = 0;  ///< of all texts together
  Exactness exactness;
  std::string died;  ///< the candidate crashed or hung: one line
  bool hung = false;
  bool interrupted = false;
};

/// Exit codes of `paris`, besides those of every command.
enum ParisExit : int {
  kExitSuspect = 10,
  kExitDegenerate = 11,
  kExitBrokenModel = 12,
};
int exit_code(const ParisReport& report);

/// Runs golden here and the candidate where it was asked for. Throws UserError for what cannot start.
ParisReport paris(const ParisOptions& options, const Progress& progress);

}  // namespace tritcheck
