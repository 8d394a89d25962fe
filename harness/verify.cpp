#include "harness/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <mutex>
#include <thread>

#include "engine/threads.h"
#include "harness/allocator.h"
#include "harness/foreign/run.h"
#include "harness/foreign/verify_library.h"
#include "harness/kernel_run.h"
#include "harness/match.h"
#include "harness/model_file.h"
#include "harness/probes.h"
#include "harness/replayed.h"
#include "harness/session.h"
#include "harness/shell.h"
#include "harness/target.h"

namespace tritcheck {

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Calls kernels although their CPU features are missing (--force).
class Forced : public Executor {
 public:
  explicit Forced(Executor& executor) : executor_(executor) {}
  const WorkerInfo& info() const override { return executor_.info(); }
  std::vector<CallResult> run(std::span<const CallRequest> requests) override {
    std::vector<CallRequest> forced(requests.begin(), requests.end());
    for (CallRequest& r : forced) r.force = true;
    return executor_.run(forced);
  }

 private:
  Executor& executor_;
};

// One kernel on one target, to be run by whichever thread is free.
struct Item {
  size_t target = 0;
  uint32_t kernel = 0;
  size_t slot = 0;  // in Report::kernels
};

class Verification {
 public:
  Verification(const VerifyOptions& options, const Progress& progress) : options_(options), progress_(progress) {
    settle_families();
    targets_ = resolve_targets(options.devices);
    if (options.model.empty()) return;
    model_ = std::make_unique<ModelFile>(options.model, options.layout);
    preparations_.use(&model_->blocks());
  }

  // Throws std::invalid_argument for a case that has no problem here.
  void check_case(const Replayed& only) const {
    if (only.blocks) {
      if (!only.blocks->model.empty()) model_->blocks().problem(*only.blocks);
    } else if (only.i2_s->model.empty()) {
      make_problem(*only.i2_s);
    } else if (model_->i2_s() != nullptr) {
      model_->i2_s()->problem(*only.i2_s);
    } else {
      throw UserError(kExitUsage, "this case is for I2_S weights, and the file has none");
    }
  }

  // `only`: a single case to replay instead of the probe families.
  Report run(const Replayed* only) {
    const auto start = Clock::now();
    const double cpu_before = cpu_now();
    only_ = only;
    report_.seed = options_.seed;
    report_.level = options_.level;
    for (const Target& target : targets_) {
      sessions_.push_back(open_session(target, {.isa = options_.isa}));
      report_.targets.push_back({target.text, sessions_.back()->info(), target.emulated});
    }
    plan();
    work();
    if (model_) report_.model = model_->report(report_);
    sessions_.clear();
    report_.interrupted = g_interrupted;
    if (model_) model_->check_unchanged();
    report_.seconds = since(start);
    report_.cpu_seconds = cpu_now() - cpu_before;
    return std::move(report_);
  }

 private:
  void settle_families() {
    for (auto* list : {&options_.families, &options_.without_families}) {
      for (std::string& id : *list) {
        const ProbeFamily* family = find_family(id);
        if (family == nullptr) {
          throw UserError(kExitUsage, "unknown probe family '" + id + "'; `tritcheck list probes` names them");
        }
        id = family->id;
      }
    }
  }

  static double cpu_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC + workers_cpu_seconds(); }

  bool wanted(const KernelInfo& k) const {
    const auto named = [&k](const std::string& pattern) { return pattern == "all" || matches(pattern, k.name); };
    if (!options_.kernels.empty()) {
      return std::find(options_.kernels.begin(), options_.kernels.end(), k.name) != options_.kernels.end();
    }
    if (!options_.bugs.empty()) return k.is_bug && std::any_of(options_.bugs.begin(), options_.bugs.end(), named);
    if (k.is_bug) return false;
    return options_.filters.empty() || std::any_of(options_.filters.begin(), options_.filters.end(), named);
  }

  // Why a wanted kernel will not run; empty if it will.
  std::string why_skipped(const KernelInfo& k) const {
    if (k.via == Via::absent) return k.why_not.empty() ? "not compiled" : k.why_not;
    if (!k.runnable && !options_.force) return k.why_not;
    if (!options_.isa.empty() && k.isa != Isa::scalar && !options_.force &&
        std::find(options_.isa.begin(), options_.isa.end(), name(k.isa)) == options_.isa.end()) {
      return fmt::format("{} is not in the ISA allow-list", name(k.isa));
    }
    if (only_ != nullptr) {
      if (std::string why = only_->beyond_contract(k); !why.empty()) return why;
    }
    if (!model_) return "";
    if (std::string why = model_->why_not(k); !why.empty()) return why;
    if (k.role == Role::kernel && k.contract.layout != model_->i2_s()->layout() && !options_.force) {
      return fmt::format("reads {}, the file is taken as {}", i2_s::name(k.contract.layout),
                         i2_s::name(model_->i2_s()->layout()));
    }
    return "";
  }

  void plan() {
    std::map<std::string, int> hits;
    std::vector<std::string> names;
    for (size_t t = 0; t < targets_.size(); ++t) {
      const std::vector<KernelInfo>& kernels = report_.targets[t].worker.kernels;
      for (uint32_t i = 0; i < kernels.size(); ++i) {
        const KernelInfo& k = kernels[i];
        if (k.is_bug == !options_.bugs.empty()) names.push_back(k.name);
        if (only_ != nullptr && options_.kernels.empty() && (k.is_bug || !only_->meant_for(k))) continue;
        if (!wanted(k)) continue;
        if (only_ != nullptr) only_->check_fits(k, options_.force);
        for (const std::string& pattern : patterns()) hits[pattern] += pattern == "all" || matches(pattern, k.name);
        KernelReport slot;
        slot.kernel = k;
        slot.target = targets_[t].text;
        slot.reason = why_skipped(k);
        if (slot.reason.empty()) items_.push_back({t, i, report_.kernels.size()});
        report_.kernels.push_back(std::move(slot));
      }
    }
    if (only_ != nullptr && only_->blocks && report_.kernels.empty() && options_.kernels.empty()) {
      throw UserError(kExitUsage, "no kernel of tritcheck's own is for " + only_->question() +
                                      "; if the case is for a function of a library, add --lib PATH");
    }
    for (const std::string& pattern : patterns()) {
      if (hits[pattern] == 0) {
        throw UserError(kExitUsage, "no " + std::string(options_.bugs.empty() ? "kernel" : "museum kernel") +
                                        " matches '" + pattern + "'" + did_you_mean(pattern, names) +
                                        " (`tritcheck list " + (options_.bugs.empty() ? "kernels" : "bugs") + "`)");
      }
    }
  }

  const std::vector<std::string>& patterns() const {
    return !options_.kernels.empty() ? options_.kernels : !options_.bugs.empty() ? options_.bugs : options_.filters;
  }

  void work() {
    keep_freed_memory();
    size_t jobs = static_cast<size_t>(options_.jobs > 0 ? options_.jobs : engine::one_per_core());
    jobs = std::max<size_t>(1, std::min(jobs, items_.size()));
    std::vector<std::jthread> threads;
    std::exception_ptr error;
    for (size_t j = 0; j < jobs; ++j) {
      threads.emplace_back([this, j, &error] {
        try {
          // the sessions that said hello serve the first thread; the others open their own as they need them
          std::vector<std::unique_ptr<Executor>> own(targets_.size());
          while (const Item* item = next()) {
            Executor* executor = sessions_[item->target].get();
            if (j > 0) {
              if (!own[item->target]) own[item->target] = open_session(targets_[item->target], {.isa = options_.isa});
              executor = own[item->target].get();
            }
            one(*item, *executor);
          }
        } catch (...) {
          const std::lock_guard lock(mutex_);
          if (!error) error = std::current_exception();
        }
      });
    }
    threads.clear();
    if (error) std::rethrow_exception(error);
    for (const Item& item : items_) {
      KernelReport& r = report_.kernels[item.slot];
      if (r.verdict == Verdict::skipped && r.reason.empty())
        r.reason = g_interrupted ? "interrupted" : "stopped by --fail-fast";
    }
  }

  const Item* next() {
    const std::lock_guard lock(mutex_);
    if (g_interrupted || stop_ || next_ == items_.size()) return nullptr;
    return &items_[next_++];
  }

  void one(const Item& item, Executor& executor) {
    KernelReport& report = report_.kernels[item.slot];
    const auto start = Clock::now();
    if (progress_.tick) {
      const std::lock_guard lock(mutex_);
      progress_.tick(done_, static_cast<int64_t>(items_.size()), report.kernel.name + " on " + report.target);
    }
    if (report.kernel.role == Role::kernel) {
      i2_s_kernel(item, executor, report);
    } else {
      kernel_of_blocks(item, executor, report);
    }
    report.seconds = since(start);

    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.fail_fast && report.verdict != Verdict::pass && report.verdict != Verdict::skipped) stop_ = true;
    if (progress_.kernel_done) progress_.kernel_done(report);
    if (progress_.tick) progress_.tick(done_, static_cast<int64_t>(items_.size()), "");
  }

  bool guarded() const { return !named(options_.without_families, "F11"); }

  // As the functions of other people's libraries.
  void kernel_of_blocks(const Item& item, Executor& executor, KernelReport& report) {
    Forced forced(executor);
    const foreign::Suspect suspect{options_.force ? forced : executor, item.kernel, report.kernel, guarded(),
                                   options_.timeout_ms};
    std::vector<foreign::Case> rows;
    foreign::CaseList only;
    if (only_ != nullptr) {
      only = {"case", std::span(&*only_->blocks, 1)};
    } else if (model_) {
      rows = model_->blocks().cases(report.kernel, options_.level, options_.seed);
      only = {"real", rows};
    }
    const auto repro = [&](const foreign::Case& c) { return repro_line(to_string(c), report); };
    foreign::run_function(suspect, only, options_, preparations_, repro, report);
  }

  void i2_s_kernel(const Item& item, Executor& executor, KernelReport& report) {
    Contract contract = report.kernel.contract;
    // forced onto other data: the data's layout is what a right answer follows
    const std::optional<Layout> forced = model_           ? std::optional(model_->i2_s()->layout())
                                         : options_.force ? options_.layout
                                                          : std::nullopt;
    if (forced && *forced != contract.layout) {
      contract.layout = *forced;
      contract.k_multiple = std::max(contract.k_multiple, i2_s::k_multiple(*forced));
      contract.row_multiple = std::max(contract.row_multiple, i2_s::row_multiple(*forced));
    }
    const auto repro = [&](const Case& c) { return repro_line(c, report, contract); };
    const auto make = [this, &contract](const Case& c) {
      Problem p = c.probe == "real" ? model_->i2_s()->problem(c) : make_problem(c);
      require_alignment("woff", p.w_offset, contract.align_w);
      require_alignment("qoff", p.q_offset, contract.align_q);
      require_alignment("ooff", p.out_offset, contract.align_out);
      return p;
    };
    run_kernel(executor, item.kernel, contract, cases(contract), make, options_, guarded(), repro, report,
               &known_answers_);
  }

  // A case may be replayed on a kernel that was not made for its offsets.
  static void require_alignment(const char* what, uint32_t offset, int align) {
    if (offset % static_cast<uint32_t>(align) == 0) return;
    throw std::invalid_argument(
        fmt::format("{} = {} is not a multiple of the contract's alignment, {}", what, offset, align));
  }

  static bool named(const std::vector<std::string>& list, std::string_view id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }

  std::vector<CaseSet> cases(const Contract& contract) const {
    if (only_ != nullptr) return {{"case", {*only_->i2_s}}};
    if (model_) return {{"real", model_->i2_s()->cases(contract, options_.level, options_.seed)}};
    std::vector<CaseSet> sets;
    for (const ProbeFamily& family : probe_families()) {
      if (!options_.families.empty() && !named(options_.families, family.id)) continue;
      if (named(options_.without_families, family.id)) continue;
      sets.push_back({std::string(family.id), family.cases(contract, options_.level, options_.seed)});
    }
    return sets;
  }

  std::string repro_line(const std::string& case_text, const KernelReport& report) const {
    std::string line = options_.program + " replay '" + case_text + "' --kernel " + report.kernel.name;
    if (report.target != "local") line += " --device " + report.target;
    if (options_.force) line += " --force";
    if (!guarded()) line += " --without F11";
    // with a file every case is on its rows (a replay of any other has forgotten the file)
    if (!options_.model.empty()) line += " --model " + shell_quoted(options_.model);
    return line;
  }

  std::string repro_line(const Case& c, const KernelReport& report, const Contract& contract) const {
    std::string line = repro_line(to_string(c), report);
    if (contract.layout != report.kernel.contract.layout)
      line += fmt::format(" --layout {}", i2_s::name(contract.layout));
    return line;
  }

  VerifyOptions options_;
  const Progress& progress_;
  const Replayed* only_ = nullptr;
  foreign::Preparations preparations_;
  KnownAnswers known_answers_;
  std::vector<Target> targets_;
  std::unique_ptr<ModelFile> model_;
  std::vector<std::unique_ptr<Executor>> sessions_;
  std::vector<Item> items_;
  Report report_;
  std::mutex mutex_;
  size_t next_ = 0;
  int64_t done_ = 0;
  bool stop_ = false;
};

}  // namespace

int exit_code(const Report& report) {
  if (report.interrupted) return kExitInterrupted;
  bool ran = false;
  bool wrong = false;
  bool died = false;
  for (const KernelReport& k : report.kernels) {
    ran |= k.verdict != Verdict::skipped;
    if (k.known_defect) continue;
    died |= k.verdict == Verdict::crash || k.verdict == Verdict::timeout;
    wrong |= k.verdict != Verdict::pass && k.verdict != Verdict::skipped;
  }
  if (died || wrong) return died ? kExitCrash : kExitWrong;
  if (report.bad_file) return kExitBadFile;
  return ran ? kExitPass : kExitNothingRan;
}

Report verify(const VerifyOptions& options, const Progress& progress) {
  if (!options.libs.empty()) return foreign::verify_libraries(options, progress);
  return Verification(options, progress).run(nullptr);
}

Report replay(const std::string& case_text, const VerifyOptions& options, const Progress& progress) {
  if (!options.libs.empty()) return foreign::replay_on_libraries(case_text, options, progress);
  const Replayed only = parse_replayed(case_text);
  VerifyOptions with = options;
  with.seed = only.seed();
  foreign::settle_model(only.blocks ? only.blocks->model : only.i2_s->model, with);
  if (only.i2_s) {
    const Case& c = *only.i2_s;
    if (!c.model.empty() && !with.layout) with.layout = c.layout;
    // a named kernel of another layout is meant: the case's layout is what the data have
    if (!with.kernels.empty() && !with.layout && with.force) with.layout = c.layout;
  }
  Verification verification(with, progress);
  try {
    verification.check_case(only);
  } catch (const std::invalid_argument& e) {
    throw UserError(kExitUsage, e.what());
  }
  return verification.run(&only);
}

}  // namespace tritcheck
