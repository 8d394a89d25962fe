#include "harness/foreign/verify_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "engine/threads.h"
#include "harness/allocator.h"
#include "harness/foreign/baseline.h"
#include "harness/foreign/compare.h"
#include "harness/foreign/run.h"
#include "harness/foreign/units.h"
#include "harness/foreign/vector_lengths.h"
#include "harness/kernel_run.h"
#include "harness/match.h"
#include "harness/probes.h"
#include "harness/shell.h"
#include "harness/worker.h"

namespace tritcheck::foreign {
namespace {

using Clock = std::chrono::steady_clock;

struct Item {
  size_t unit = 0;
  uint32_t function = 0;
  size_t slot = 0;
};

class LibraryRun {
 public:
  LibraryRun(const VerifyOptions& options, const Progress& progress)
      : options_(options), progress_(progress), units_(with_known_families(options)) {
    if (!options.baseline.empty()) baseline_ = read_baseline(options.baseline);
    if (options.compare && units_.libraries().size() != 2)
      throw UserError(kExitUsage, "--compare is for two libraries, not for folders of them");
    if (options.model.empty()) return;
    model_ = std::make_unique<RealBlocks>(options.model);
    model_->require_any();
    preparations_.use(model_.get());
  }

  // Throws std::invalid_argument for a case that has no problem here.
  void check_case(const Case& c) const { c.model.empty() ? make_problem(c) : model_->problem(c); }

  // `only`: a case for a function of blocks, `own`: one for a kernel of tritcheck's own kind; at most one is given.
  Report run(const Case* only, const tritcheck::Case* own) {
    const auto start = Clock::now();
    const double cpu_before = cpu_now();
    only_ = only;
    own_ = own;
    report_.seed = options_.seed;
    report_.level = options_.level;
    each(units_.all().size(), [this](size_t i, Cache&) { units_.greet(units_.all()[i]); });
    plan();
    each(items_.size(), [this](size_t i, Cache& cache) { one(items_[i], cache); });
    for (const Item& item : items_) {
      KernelReport& r = report_.kernels[item.slot];
      if (r.verdict == Verdict::skipped && r.reason.empty())
        r.reason = g_interrupted ? "interrupted" : "stopped by --fail-fast";
    }
    name_vector_lengths(report_);
    if (options_.compare) compare_libraries(units_.libraries().at(0).label, units_.libraries().at(1).label, report_);
    apply_baseline(std::move(baseline_), report_);
    report_.libraries = true;
    if (model_) {
      model_->check_unchanged();
      report_.model = model_->report();
      for (const KernelReport& k : report_.kernels) report_.model->cases += k.cases;
    }
    report_.interrupted = g_interrupted;
    report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    report_.cpu_seconds = cpu_now() - cpu_before;
    return std::move(report_);
  }

 private:
  // The worker that a thread has open.
  struct Cache {
    size_t unit = SIZE_MAX;
    std::unique_ptr<Executor> executor;
  };

  // Throws UserError for a family that does not exist.
  static const VerifyOptions& with_known_families(const VerifyOptions& options) {
    for (const auto* list : {&options.families, &options.without_families}) {
      for (const std::string& id : *list) {
        const auto same = [&](const Family& f) { return f.id == id; };
        if (find_family(id) == nullptr && std::none_of(families().begin(), families().end(), same)) {
          throw UserError(kExitUsage, "unknown probe family '" + id + "'; F1 to F12, F15 and random exist");
        }
      }
    }
    return options;
  }

  bool wanted_family(std::string_view id) const {
    const auto named = [id](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), id) != list.end();
    };
    return (options_.families.empty() || named(options_.families)) && !named(options_.without_families);
  }

  static double cpu_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC + workers_cpu_seconds(); }

  // A line of the report for a unit of which nothing can run.
  void not_run(const Unit& unit) {
    report_.targets.push_back({unit.label, unit.info, false});
    KernelReport& r = report_.kernels.emplace_back();
    r.kernel.name = units_.path_of(unit);
    r.kernel.role = Role::library;
    r.target = unit.label;
    r.verdict = unit.died ? Verdict::crash : Verdict::skipped;
    r.reason = unit.problem;
    report_.bad_file |= unit.refused && !unit.died;
    if (!unit.died) return;
    r.failure.emplace();
    r.failure->diagnosis = "crash";
    r.failure->sentence = "the library cannot be loaded: " + unit.problem;
    r.failure->repro = options_.program + " verify --lib " + shell_quoted(units_.path_of(unit)) + device_of(unit);
  }

  std::string device_of(const Unit& unit) const {
    const std::string& text = units_.target_of(unit).text;
    return text == "local" ? "" : " --device " + text;
  }

  // Calls f for every number below n, on as many threads as there are jobs.
  template <class F>
  void each(size_t n, F f) {
    const size_t jobs = std::clamp<size_t>(
        static_cast<size_t>(options_.jobs > 0 ? options_.jobs : engine::one_per_core()), 1, std::max<size_t>(1, n));
    keep_freed_memory();
    std::vector<std::jthread> threads;
    std::exception_ptr error;
    std::atomic<size_t> next{0};
    for (size_t j = 0; j < jobs; ++j) {
      threads.emplace_back([&] {
        Cache cache;
        try {
          for (size_t i = next++; i < n && !g_interrupted && !stop_; i = next++) f(i, cache);
        } catch (...) {
          const std::lock_guard lock(mutex_);
          if (!error) error = std::current_exception();
        }
      });
    }
    threads.clear();
    if (error) std::rethrow_exception(error);
  }

  bool wanted(const KernelInfo& k) const {
    if (!options_.kernels.empty())
      return std::find(options_.kernels.begin(), options_.kernels.end(), k.name) != options_.kernels.end();
    if (only_ != nullptr && (k.format != only_->format || k.role != only_->role)) return false;
    if (own_ != nullptr && (k.role != Role::kernel || k.contract.op != own_->op || k.contract.layout != own_->layout))
      return false;
    return options_.filters.empty() || std::any_of(options_.filters.begin(), options_.filters.end(),
                                                   [&](const std::string& p) { return matches(p, k.name); });
  }

  void plan() {
    for (size_t u = 0; u < units_.all().size(); ++u) {
      const Unit& unit = units_[u];
      if (!unit.problem.empty()) {
        not_run(unit);
        continue;
      }
      report_.targets.push_back({unit.label, unit.info, units_.target_of(unit).emulated});
      for (uint32_t i = 0; i < unit.info.kernels.size(); ++i) {
        const KernelInfo& k = unit.info.kernels[i];
        if (k.role != Role::i2_dot || !k.runnable) {
          place(u, i, k);
          continue;
        }
        for (const I2sContract::Part& part : unit.i2_s.parts()) {
          KernelInfo form = k;
          form.name += part.suffix;
          form.role = Role::kernel;
          form.contract = part.contract;
          place(u, i, form);
        }
      }
    }
    if (names_.empty()) return;
    for (const auto* list : {&options_.kernels, &options_.filters}) {
      for (const std::string& p : *list) {
        if (hit_.contains(p)) continue;
        throw UserError(kExitUsage, "no function of these libraries matches '" + p + "'" + did_you_mean(p, names_));
      }
    }
  }

  // A line of the report for one function of a unit, and something to do if it can run.
  void place(size_t unit, uint32_t function, const KernelInfo& k) {
    names_.push_back(k.name);
    if (!wanted(k)) return;
    for (const auto* list : {&options_.kernels, &options_.filters}) {
      for (const std::string& p : *list) {
        if (matches(p, k.name)) hit_.insert(p);
      }
    }
    KernelReport slot;
    slot.kernel = k;
    slot.target = units_[unit].label;
    if (!k.runnable) slot.reason = k.why_not;
    if (k.runnable && model_ && only_ == nullptr) {
      slot.reason = k.role == Role::kernel ? "--model with --lib is for formats of blocks" : model_->why_not(k);
    }
    if (slot.reason.empty()) items_.push_back({unit, function, report_.kernels.size()});
    report_.kernels.push_back(std::move(slot));
  }

  // A plug-in's kernel with a contract of tritcheck's own kind gets the probes that those get.
  void own_kernel(const Item& item, Executor& executor, bool guarded, KernelReport& report) {
    const auto make = [&report](const tritcheck::Case& c) {
      tritcheck::Problem p = tritcheck::make_problem(c);
      // bitnet.cpp's product on several weight rows has no stride between results
      if (report.kernel.contract.float_out && p.op == Op::rows && p.out_stride != 1) {
        throw std::invalid_argument("results of weight rows lie next to each other in this library");
      }
      return p;
    };
    std::vector<CaseSet> sets;
    if (own_ != nullptr) {
      sets.push_back({"case", {*own_}});
    } else {
      for (const ProbeFamily& f : probe_families()) {
        if (wanted_family(f.id))
          sets.push_back({std::string(f.id), f.cases(report.kernel.contract, options_.level, options_.seed)});
      }
    }
    run_kernel(
        executor, item.function, report.kernel.contract, sets, make, options_, guarded,
        [&](const tritcheck::Case& c) { return repro(tritcheck::to_string(c), item); }, report);
  }

  std::string repro(const std::string& c, const Item& item) const {
    const Unit& unit = units_[item.unit];
    std::string line = options_.program + " replay '" + c + "' --lib " + shell_quoted(units_.path_of(unit)) +
                       " --kernel " + shell_word(report_.kernels[item.slot].kernel.name) + device_of(unit);
    // with a file every case is on its rows (a replay of any other has forgotten the file)
    if (!options_.model.empty()) line += " --model " + shell_quoted(options_.model);
    return line;
  }

  void one(const Item& item, Cache& cache) {
    KernelReport& report = report_.kernels[item.slot];
    const Unit& unit = units_[item.unit];
    {
      const std::lock_guard lock(mutex_);
      if (progress_.tick)
        progress_.tick(done_, static_cast<int64_t>(items_.size()), report.kernel.name + " of " + report.target);
    }
    const auto start = Clock::now();
    if (cache.unit != item.unit) {
      cache.executor.reset();
      cache.executor = units_.open(unit);
      cache.unit = item.unit;
    }
    const bool guarded = std::find(options_.without_families.begin(), options_.without_families.end(), "F11") ==
                         options_.without_families.end();
    if (report.kernel.role == Role::kernel) {
      own_kernel(item, *cache.executor, guarded, report);
    } else {
      const Suspect suspect{*cache.executor, item.function,       report.kernel,
                            guarded,         options_.timeout_ms, reader_of(unit.info, report.kernel.format)};
      std::vector<Case> rows;
      CaseList only;
      if (only_ != nullptr) {
        only = {"case", std::span(only_, 1)};
      } else if (model_) {
        rows = model_->cases(report.kernel, options_.level, options_.seed);
        only = {"real", rows};
      }
      run_function(
          suspect, only, options_, preparations_, [&](const Case& c) { return repro(to_string(c), item); }, report);
    }
    report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.fail_fast && report.verdict != Verdict::pass && report.verdict != Verdict::skipped) stop_ = true;
    if (progress_.kernel_done) progress_.kernel_done(report);
    if (progress_.tick) progress_.tick(done_, static_cast<int64_t>(items_.size()), "");
  }

  VerifyOptions options_;
  const Progress& progress_;
  const Case* only_ = nullptr;
  const tritcheck::Case* own_ = nullptr;
  Units units_;
  std::vector<KnownDefect> baseline_;
  std::vector<Item> items_;
  std::vector<std::string> names_;  // of all functions
  std::set<std::string> hit_;       // filters that named one
  std::unique_ptr<RealBlocks> model_;
  Preparations preparations_;
  Report report_;
  std::mutex mutex_;
  int64_t done_ = 0;
  std::atomic<bool> stop_{false};
};

}  // namespace

Report verify_libraries(const VerifyOptions& options, const Progress& progress) {
  return LibraryRun(options, progress).run(nullptr, nullptr);
}

Report replay_on_libraries(const std::string& case_text, const VerifyOptions& options, const Progress& progress) {
  std::optional<Case> block_case;
  std::optional<tritcheck::Case> own_case;
  VerifyOptions with = options;
  try {
    if (is_case(case_text)) {
      block_case = parse_case(case_text);
      with.seed = block_case->seed;
    } else {
      own_case = tritcheck::parse_case(case_text);
      tritcheck::make_problem(*own_case);
      with.seed = own_case->seed;
    }
    settle_model(block_case ? block_case->model : "", with);
    LibraryRun run(with, progress);
    if (block_case) run.check_case(*block_case);
    return run.run(block_case ? &*block_case : nullptr, own_case ? &*own_case : nullptr);
  } catch (const std::invalid_argument& e) {
    throw UserError(kExitUsage, e.what());
  }
}

}  // namespace tritcheck::foreign
