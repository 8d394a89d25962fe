#include "harness/paris/paris.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "engine/golden/golden.h"
#include "harness/base/new_file.h"
#include "harness/models/inspect_facts.h"
#include "harness/models/open_model.h"
#include "harness/paris/exactness.h"
#include "harness/paris/golden_file.h"
#include "harness/paris/layout_score.h"
#include "harness/paris/prompts.h"
#include "harness/paris/remote_engine.h"

namespace tritcheck {
namespace {

using engine::argmax;
using engine::HealthNumbers;
using Logits = std::vector<std::vector<double>>;

constexpr int kConstantRun = 16;

bool runs_constant(std::span<const int32_t> ids) {
  int run = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    run = i > 0 && ids[i] == ids[i - 1] ? run + 1 : 1;
    if (run >= kConstantRun) return true;
  }
  return false;
}

ParisOptions with_defaults(ParisOptions options) {
  if (options.threads == 0) options.threads = engine::one_per_core();
  if (options.prompts.empty()) options.prompts = default_prompts();
  return options;
}

engine::HealthVerdict interrupted_health() {
  return {engine::Health::unknown, "interrupted before the first text was compared"};
}

constexpr int64_t kSentence = 10;  // tokens, about

// What golden will have to do besides plain sentences, as far as one can tell before the model is open.
GoldenWork announced(const ParisOptions& options, const Progress& progress) {
  GoldenWork work(progress);
  const auto prompts = static_cast<int64_t>(options.prompts.size());
  work.expect(prompts, prompts * (kSentence + options.tokens));
  work.expect(1, kSentence);
  return work;
}

class Run {
 public:
  Run(const ParisOptions& options, const Progress& progress)
      : options_(with_defaults(options)),
        progress_(progress),
        work_(announced(options_, progress)),
        open_(options.model, [this](const gguf::File& file) { return choose_layout(file); }),
        model_(open_.model()),
        tokenizer_(open_.tokenizer()),
        golden_(model_, {.threads = options_.threads,
                         .quantize = options_.act != engine::Act::none,
                         .layer_done = work_.layer_done(model_.layers.size())}) {
    if (tokenizer_ == nullptr) throw UserError(kExitBadFile, options.model + ": " + open_.why_no_text());
  }

  ParisReport run() {
    report_.model = options_.model;
    report_.arch = model_.config.arch;
    report_.layout = model_.layout;
    report_.has_i2_s = model_.has_i2_s;
    report_.layout_given = options_.layout.has_value();
    if (scores_ && scores_->layout) {
      report_.layout_found = true;
      report_.layout_advice = layout_advice(options_.program, options_.model, *scores_->layout);
    }
    report_.device = options_.device;
    report_.notices = model_.config.notices;
    open_candidate();
    open_golden_file();
    try {
      reference();
      for (const std::string& prompt : options_.prompts) {
        if (g_interrupted) break;
        tick(prompt);
        one(prompt);
        ++done_;
        // as the prompts so far, so the others; and one pass of the operations
        const double each = (work_.done() - before_prompts_) / static_cast<double>(done_);
        work_.left(each * static_cast<double>(options_.prompts.size() - static_cast<size_t>(done_)) +
                   GoldenWork::cost(1, kSentence));
      }
      // golden's inputs must be numbers
      if (options_.exactness && options_.kernels != "golden" && std::isfinite(report_.numbers.nll_reference) &&
          !g_interrupted) {
        tick("operations one by one");
        report_.exactness = check_exactness(model_, options_, *tokenizer_, *candidate_, work_);
        for (WrongStep& w : report_.exactness.wrong) {
          if (w.kernel.empty() || g_interrupted) continue;
          tick("verifying " + w.kernel);
          name_wrong_kernel(options_, model_.layout, w);
          break;
        }
      }
    } catch (const CandidateDied& died) {
      if (died.how() != CandidateDied::How::stopped) report_.died = died.what();
      report_.hung = died.how() == CandidateDied::How::hung;
    } catch (const GoldenInterrupted&) {
    }
    open_.check_unchanged();
    if (!options_.golden_file.empty() && options_.memo->texts.size() > known_)
      write_golden_file(options_.golden_file, golden_key_, *options_.memo);
    report_.interrupted = g_interrupted;
    sum_up();
    return std::move(report_);
  }

 private:
  void tick(const std::string& now) const {
    if (progress_.tick) progress_.tick(done_, static_cast<int64_t>(options_.prompts.size()) + 1, now);
  }

  std::optional<Layout> choose_layout(const gguf::File& file) {
    if (options_.layout) return options_.layout;
    tick("whose layout is it?");
    scores_ = score_layouts(options_.model, file, {}, options_.threads, &work_);
    return scores_->layout;
  }

  void open_candidate() {
    wire::EngineOpen open;
    open.model = options_.candidate_model.empty() ? options_.model : options_.candidate_model;
    open.layout = model_.layout;
    open.kernels = options_.kernels;
    open.threads = static_cast<uint32_t>(options_.threads);
    open.act = options_.act;
    open.fault = options_.fault;
    open.isa = options_.isa;
    candidate_ = std::make_unique<RemoteEngine>(resolve_target(options_.device), open, options_.limit_s);
    report_.kernels = candidate_->kernels();
  }

  void open_golden_file() {
    if (options_.golden_file.empty()) return;
    const bool cached = options_.golden_file == "auto";
    if (!cached) refuse_model("--golden-file", options_.golden_file, options_.model);
    tick("hash of the model");
    golden_key_ = golden_key(file_hash(open_.file()), model_.layout, options_.act, options_.tokens);
    if (cached) options_.golden_file = cached_golden_file(golden_key_);
    options_.memo = std::make_shared<GoldenMemo>();
    std::error_code absent;
    if (std::filesystem::exists(options_.golden_file, absent))
      *options_.memo = read_golden_file(options_.golden_file, golden_key_, model_.config.vocab, options_.tokens);
    known_ = options_.memo->texts.size();
  }

  // What golden makes of plain sentences: is it a model at all? Known already if the layout was looked for, which is
  // done with quantised activations.
  void reference() {
    HealthNumbers& n = report_.numbers;
    n.has_reference = true;
    n.log_vocab = std::log(static_cast<double>(model_.config.vocab));
    const bool known = scores_ && options_.act != engine::Act::none;
    if (!known) {
      const auto texts = static_cast<int64_t>(reference_texts().size());
      work_.expect(texts, texts * kSentence);
    }
    n.nll_reference = known ? scores_->nll(model_.layout) : mean_nll(golden_, *tokenizer_, reference_texts());
    before_prompts_ = work_.done();
  }

  using Ids = std::vector<int32_t>;

  // The candidate by itself: the prompt at once, then the most likely token each time. Logits of every token but the
  // last.
  Logits speak(const Ids& prompt, Ids& ids) {
    Logits logits;
    const auto keep = [&](int64_t, std::span<const double> l) { logits.emplace_back(l.begin(), l.end()); };
    candidate_->rewind(0);
    candidate_->forward(prompt, keep);
    const auto most = static_cast<size_t>(limit(prompt));
    for (;;) {
      ids.push_back(argmax(logits.back()));
      if (ids.size() == most || tokenizer_->ends(ids.back())) return logits;
      candidate_->forward(std::span(ids).last(1), keep);
    }
  }

  // Golden's own text. Golden is slow, and a right candidate has said the same: so the draft is run at once, and only
  // where golden takes another token does it go on one by one. The split of a sequence changes no bit of golden.
  Logits golden_text(const Ids& prompt, const Ids& draft, Ids& ids) {
    Logits logits;
    const auto keep = [&](int64_t, std::span<const double> l) { logits.emplace_back(l.begin(), l.end()); };
    Ids all = prompt;
    all.insert(all.end(), draft.begin(), draft.end() - 1);
    golden_.rewind(0);
    golden_.forward(all, keep);
    const auto most = static_cast<size_t>(limit(prompt));
    for (;;) {
      ids.push_back(argmax(logits[prompt.size() - 1 + ids.size()]));
      if (ids.size() == most || tokenizer_->ends(ids.back())) break;
      const size_t known = prompt.size() + ids.size();  // tokens so far; logits[known - 1] tells the next
      if (logits.size() >= known && ids.size() <= draft.size() && ids.back() == draft[ids.size() - 1]) continue;
      logits.resize(known - 1);
      golden_.rewind(static_cast<int64_t>(known) - 1);
      golden_.forward(std::span(ids).last(1), keep);
    }
    logits.resize(prompt.size() + ids.size() - 1);
    return logits;
  }

  Logits remembered(const Ids& prompt, const Ids& draft, Ids& ids) {
    if (!options_.memo) return golden_text(prompt, draft, ids);
    auto known = options_.memo->texts.find(prompt);
    if (known == options_.memo->texts.end()) {
      GoldenMemo::Text text;  // kept only when it is whole: golden may be interrupted
      text.logits = golden_text(prompt, draft, text.ids);
      known = options_.memo->texts.emplace(prompt, std::move(text)).first;
    }
    ids = known->second.ids;
    return known->second.logits;
  }

  // The candidate led along golden's text, from where its own differs.
  void lead(const Ids& prompt, const Ids& ids, const Ids& own, Logits& logits) {
    size_t same = 0;
    while (same < ids.size() && same < own.size() && ids[same] == own[same]) ++same;
    // logits up to those that follow the last common token hold for both
    logits.resize(std::min(logits.size(), prompt.size() + same));
    const auto keep = [&](int64_t, std::span<const double> l) { logits.emplace_back(l.begin(), l.end()); };
    candidate_->rewind(static_cast<int64_t>(logits.size()));
    while (logits.size() < prompt.size() + ids.size() - 1)
      candidate_->forward(std::span(ids).subspan(logits.size() - prompt.size(), 1), keep);
  }

  int64_t limit(const std::vector<int32_t>& prompt) const {
    const auto room = model_.config.context - static_cast<int64_t>(prompt.size());
    return std::clamp<int64_t>(options_.tokens, 1, std::max<int64_t>(room, 1));
  }

  // What golden makes of a continuation, nats per token.
  double score(const std::vector<int32_t>& prompt, const std::vector<int32_t>& ids) {
    std::vector<int32_t> all = prompt;
    all.insert(all.end(), ids.begin(), ids.end());
    return engine::nll(golden_, all, static_cast<int64_t>(prompt.size())) / static_cast<double>(ids.size());
  }

  void one(const std::string& prompt_text) {
    PromptReport p;
    p.prompt = prompt_text;
    const std::vector<int32_t> prompt = tokenizer_->encode(prompt_text);
    if (prompt.empty()) throw UserError(kExitUsage, "a prompt is empty");
    if (static_cast<int64_t>(prompt.size()) >= model_.config.context) {
      throw UserError(kExitUsage, fmt::format("prompt '{}' has {} tokens, the model's context is {}", prompt_text,
                                              prompt.size(), model_.config.context));
    }
    Logits got = speak(prompt, p.candidate_ids);
    const Logits want = remembered(prompt, p.candidate_ids, p.golden_ids);
    for (size_t i = 0; i < p.golden_ids.size(); ++i)
      p.nll_golden += engine::nll(want[prompt.size() - 1 + i], p.golden_ids[i]);
    p.nll_golden /= static_cast<double>(p.golden_ids.size());
    const bool same = p.candidate_ids == p.golden_ids;
    p.nll_candidate = same ? p.nll_golden : score(prompt, p.candidate_ids);
    lead(prompt, p.golden_ids, p.candidate_ids, got);
    for (size_t i = 0; i < want.size(); ++i) {
      p.logits.add(want[i], got[i]);
      compare_tokens(p, static_cast<int64_t>(i), want[i], got[i]);
    }
    p.golden_text = tokenizer_->decode(p.golden_ids);
    p.candidate_text = tokenizer_->decode(p.candidate_ids);
    p.rep4_golden = engine::rep_n(p.golden_ids, 4);
    p.rep4 = engine::rep_n(p.candidate_ids, 4);
    p.tail_golden = engine::tail_period(p.golden_ids);
    p.tail = engine::tail_period(p.candidate_ids);
    p.constant = runs_constant(p.candidate_ids) && !runs_constant(p.golden_ids);
    report_.logits.add(p.logits);
    report_.prompts.push_back(std::move(p));
  }

  void compare_tokens(PromptReport& p, int64_t position, std::span<const double> want, std::span<const double> got) {
    const int32_t a = argmax(want);
    const int32_t b = argmax(got);
    if (a == b) return;
    const double margin = want[static_cast<size_t>(a)] - want[static_cast<size_t>(b)];
    if (margin < engine::kSureMargin)
      p.flips.push_back({position, tokenizer_->decode({&a, 1}, true), tokenizer_->decode({&b, 1}, true), margin});
  }

  void sum_up() {
    HealthNumbers& n = report_.numbers;
    n.compared = report_.logits.positions() > 0;
    n.kld = report_.logits.kld();
    n.top1 = report_.logits.top1();
    n.agreement = report_.logits.agreement();
    n.nmse = report_.logits.nmse();
    n.not_finite = report_.logits.not_finite();
    double golden_tokens = 0;
    double tokens = 0;
    std::string golden_text;
    std::string text;
    for (const PromptReport& p : report_.prompts) {
      const double share = 1.0 / static_cast<double>(report_.prompts.size());
      n.nll_golden_text += p.nll_golden * static_cast<double>(p.golden_ids.size());
      n.nll_candidate += p.nll_candidate * static_cast<double>(p.candidate_ids.size());
      golden_tokens += static_cast<double>(p.golden_ids.size());
      tokens += static_cast<double>(p.candidate_ids.size());
      n.rep4 += p.rep4 * share;
      n.rep4_golden += p.rep4_golden * share;
      n.tail += p.tail * share;
      n.tail_golden += p.tail_golden * share;
      n.constant_prompts += p.constant;
      golden_text += p.golden_text + "\n";
      text += p.candidate_text + "\n";
    }
    if (golden_tokens > 0) n.nll_golden_text /= golden_tokens;
    if (tokens > 0) n.nll_candidate /= tokens;
    report_.compression_golden = engine::compression(golden_text);
    report_.compression = engine::compression(text);
    report_.health = engine::judge_health(n);
    if (report_.health.health == engine::Health::unknown && report_.interrupted) report_.health = interrupted_health();
  }

  ParisOptions options_;
  const Progress& progress_;
  GoldenWork work_;
  double before_prompts_ = 0;           // work that was done then
  std::optional<LayoutAnswer> scores_;  // of the four layouts, if nobody said which it is
  int64_t done_ = 0;
  OpenModel open_;
  const engine::Model& model_;
  const text::Tokenizer* tokenizer_;
  engine::Golden golden_;
  std::unique_ptr<RemoteEngine> candidate_;
  ParisReport report_;
  std::string golden_key_;
  size_t known_ = 0;  // texts that the golden file had
};

}  // namespace

int exit_code(const ParisReport& report) {
  if (report.interrupted) return kExitInterrupted;
  if (report.health.health == engine::Health::broken_model) return kExitBrokenModel;
  if (!report.died.empty()) return kExitCrash;
  switch (report.health.health) {
    case engine::Health::suspect:
      return kExitSuspect;
    case engine::Health::collapse:
    case engine::Health::salad:
    case engine::Health::silent:
      return kExitDegenerate;
    default:
      return report.exactness.exact() ? kExitPass : kExitWrong;
  }
}

ParisReport paris(const ParisOptions& options, const Progress& progress) {
  try {
    return Run(options, progress).run();
  } catch (const GoldenInterrupted&) {  // while the layout was looked for: there is nothing else to tell
    ParisReport report;
    report.model = options.model;
    report.device = options.device;
    report.interrupted = true;
    report.health = interrupted_health();
    return report;
  }
}

}  // namespace tritcheck
