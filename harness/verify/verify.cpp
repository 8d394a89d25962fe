#include "harness/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "engine/threads.h"
#include "harness/base/allocator.h"
#include "harness/base/match.h"
#include "harness/base/shell.h"
#include "harness/cases/formats.h"
#include "harness/cases/model_rows.h"
#include "harness/probes/probes.h"
#include "harness/suppliers/units.h"
#include "harness/targets/worker.h"
#include "harness/verify/baseline.h"
#include "harness/verify/compare.h"
#include "harness/verify/kernel_run.h"
#include "harness/verify/vector_lengths.h"

namespace tritcheck {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool named(const std::vector<std::string>& list, std::string_view id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

// The families by their own spelling. Throws UserError for one that does not exist.
VerifyOptions settled(VerifyOptions options) {
  for (auto* list : {&options.families, &options.without_families}) {
    for (std::string& id : *list) {
      const ProbeFamily* family = find_family(id);
      if (family == nullptr)
        throw UserError(kExitUsage, "unknown probe family '" + id + "'; `tritcheck list probes` names them");
      id = family->id;
    }
  }
  return options;
}

// One kernel of one unit, to be run by whichever thread is free.
struct Item {
  size_t unit = 0;
  uint32_t kernel = 0;
  size_t slot = 0;  // in Report::kernels
};

class Verification {
 public:
  Verification(const VerifyOptions& options, const Progress& progress)
      : options_(settled(options)), progress_(progress), units_(options_) {
    if (!options_.baseline.empty()) baseline_ = read_baseline(options_.baseline);
    if (options_.compare && units_.libraries().size() != 2)
      throw UserError(kExitUsage, "--compare is for two libraries, not for folders of them");
    if (options_.model.empty()) return;
    model_ = std::make_unique<ModelRows>(options_.model, options_.layout);
    preparations_.use(model_.get());
  }

  // Throws std::invalid_argument for a case that has no problem here.
  void check_case(const Case& only) const { only.model.empty() ? make_problem(only) : model_->problem(only); }

  // `only`: a single case to replay instead of the probe families.
  Report run(const Case* only) {
    const auto start = Clock::now();
    const double cpu_before = cpu_now();
    only_ = only;
    report_.seed = options_.seed;
    report_.level = options_.level;
    report_.libraries = of_libraries();
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
    if (model_) {
      report_.model = model_->report(report_);
      model_->check_unchanged();
    }
    report_.interrupted = g_interrupted;
    report_.seconds = since(start);
    report_.cpu_seconds = cpu_now() - cpu_before;
    return std::move(report_);
  }

 private:
  // The workers that a thread has open, by unit.
  using Cache = std::map<size_t, std::unique_ptr<Executor>>;

  static double cpu_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC + workers_cpu_seconds(); }
  bool of_libraries() const { return !options_.libs.empty(); }
  bool guarded() const { return !named(options_.without_families, "F11"); }

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

  const std::vector<std::string>& patterns() const {
    return !options_.kernels.empty() ? options_.kernels : !options_.bugs.empty() ? options_.bugs : options_.filters;
  }

  // A library's broken kernels are part of what it is asked for; the museum of the registry has to be asked for.
  bool wanted(const KernelInfo& k) const {
    const auto matched = [&k](const std::string& pattern) { return pattern == "all" || matches(pattern, k.name); };
    if (only_ != nullptr && options_.kernels.empty() && ((k.is_bug && !of_libraries()) || !meant(k))) return false;
    if (!options_.kernels.empty()) return named(options_.kernels, k.name);
    if (!options_.bugs.empty()) return k.is_bug && std::any_of(options_.bugs.begin(), options_.bugs.end(), matched);
    if (k.is_bug && !of_libraries()) return false;
    return options_.filters.empty() || std::any_of(options_.filters.begin(), options_.filters.end(), matched);
  }

  static std::string question(const KernelInfo& k) { return k.format + "." + std::string(name(k.contract.op)); }

  // Whether that kernel computes what the case asks for, on data that it reads.
  bool meant(const KernelInfo& k) const {
    return k.role == Role::function && question(k) == only_->question() &&
           (!only_->of_i2_s() || k.contract.layout == only_->layout);
  }

  // A case put to a kernel it was not made for would accuse a right one.
  void require_fit(const KernelInfo& k) const {
    if (question(k) != only_->question()) {
      throw UserError(kExitUsage,
                      fmt::format("{} computes {}, the case is for {}", k.name, question(k), only_->question()));
    }
    if (!meant(k) && !options_.force) {
      throw UserError(kExitUsage, fmt::format("{} reads {}, the data of the case are {}; --force runs it all the same",
                                              k.name, i2_s::name(k.contract.layout), i2_s::name(only_->layout)));
    }
  }

  // Why a wanted kernel will not run; empty if it will.
  std::string why_skipped(const KernelInfo& k) const {
    if (k.via == Via::absent) return k.why_not.empty() ? "not compiled" : k.why_not;
    if (!k.runnable && (!options_.force || !why_not_verified(k).empty())) return k.why_not;
    if (!options_.isa.empty() && k.isa != Isa::scalar && !options_.force && !named(options_.isa, name(k.isa)))
      return fmt::format("{} is not in the ISA allow-list", name(k.isa));
    if (only_ != nullptr && only_->k > k.contract.k_max)
      return fmt::format("K = {} is more than its contract allows ({})", only_->k, k.contract.k_max);
    if (only_ != nullptr && k.contract.op == Op::vec_dot && only_->n > k.nrows)
      return fmt::format("it computes {} row at a time, not {}", k.nrows, only_->n);
    if (!model_) return "";
    if (std::string why = model_->why_not(k); !why.empty()) return why;
    if (k.of_i2_s() && k.contract.layout != *model_->layout() && !options_.force) {
      return fmt::format("reads {}, the file is taken as {}", i2_s::name(k.contract.layout),
                         i2_s::name(*model_->layout()));
    }
    return "";
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
          form.role = Role::function;
          form.contract = part.contract;
          place(u, i, form);
        }
      }
    }
    if (only_ != nullptr && report_.kernels.empty() && options_.kernels.empty() && !of_libraries()) {
      throw UserError(kExitUsage, "no kernel of tritcheck's own is for " + only_->question() +
                                      "; if the case is for a function of a library, add --lib PATH");
    }
    if (of_libraries() && names_.empty()) return;
    for (const std::string& pattern : patterns()) {
      if (hit_.contains(pattern)) continue;
      if (of_libraries()) {
        throw UserError(kExitUsage,
                        "no function of these libraries matches '" + pattern + "'" + did_you_mean(pattern, names_));
      }
      throw UserError(kExitUsage, "no " + std::string(options_.bugs.empty() ? "kernel" : "museum kernel") +
                                      " matches '" + pattern + "'" + did_you_mean(pattern, names_) +
                                      " (`tritcheck list " + (options_.bugs.empty() ? "kernels" : "bugs") + "`)");
    }
  }

  // A line of the report for one kernel of a unit, and something to do if it can run.
  void place(size_t unit, uint32_t kernel, const KernelInfo& k) {
    if (of_libraries() || k.is_bug == !options_.bugs.empty()) names_.push_back(k.name);
    if (!wanted(k)) return;
    if (only_ != nullptr) require_fit(k);
    for (const std::string& pattern : patterns()) {
      if (pattern == "all" || matches(pattern, k.name)) hit_.insert(pattern);
    }
    KernelReport slot;
    slot.kernel = k;
    slot.target = units_[unit].label;
    slot.reason = why_skipped(k);
    if (slot.reason.empty()) items_.push_back({unit, kernel, report_.kernels.size()});
    report_.kernels.push_back(std::move(slot));
  }

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

  void one(const Item& item, Cache& cache) {
    KernelReport& report = report_.kernels[item.slot];
    const Unit& unit = units_[item.unit];
    const auto start = Clock::now();
    const auto tick = [&](const std::string& now) {
      if (progress_.tick) progress_.tick(done_, static_cast<int64_t>(items_.size()), now);
    };
    {
      const std::lock_guard lock(mutex_);
      tick(report.kernel.name + (of_libraries() ? " of " : " on ") + report.target);
    }
    if (!cache.contains(item.unit)) {
      // a folder may hold many libraries
      if (of_libraries()) cache.clear();
      cache[item.unit] = units_.open(unit);
    }
    const KernelInfo as_asked = on_these_data(report.kernel);
    const Suspect suspect{*cache[item.unit], item.kernel,         as_asked,
                          guarded(),         options_.timeout_ms, reader_of(unit.info, report.kernel.format),
                          options_.force};
    const auto repro = [&](const Case& c) { return repro_line(c, unit, report, as_asked.contract); };
    run_kernel(suspect, sets(as_asked), options_, preparations_, repro, report);
    report.seconds = since(start);

    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.fail_fast && report.verdict != Verdict::pass && report.verdict != Verdict::skipped) stop_ = true;
    if (progress_.kernel_done) progress_.kernel_done(report);
    tick("");
  }

  // Forced onto other data: the data's layout is what a right answer follows.
  KernelInfo on_these_data(KernelInfo k) const {
    std::optional<Layout> data;
    if (model_) data = model_->layout();
    if (!model_ && options_.force) data = options_.layout;
    const Layout layout = data.value_or(k.contract.layout);
    if (!k.of_i2_s() || layout == k.contract.layout) return k;
    k.contract.layout = layout;
    k.contract.k_multiple = std::max(k.contract.k_multiple, i2_s::k_multiple(layout));
    k.contract.row_multiple = std::max(k.contract.row_multiple, i2_s::row_multiple(layout));
    return k;
  }

  std::vector<CaseSet> sets(const KernelInfo& k) const {
    if (only_ != nullptr) return {{"case", {*only_}}};
    if (model_) return {{"real", model_->cases(k, options_.level, options_.seed)}};
    std::vector<CaseSet> out;
    for (const ProbeFamily& family : probe_families()) {
      if (!options_.families.empty() && !named(options_.families, family.id)) continue;
      if (named(options_.without_families, family.id)) continue;
      out.push_back({std::string(family.id), family.cases(k, options_.level, options_.seed)});
    }
    return out;
  }

  std::string repro_line(const Case& c, const Unit& unit, const KernelReport& report, const Contract& contract) const {
    std::string line = options_.program + " replay '" + to_string(c) + "'";
    if (of_libraries()) line += " --lib " + shell_quoted(units_.path_of(unit));
    line += " --kernel " + shell_word(report.kernel.name) + device_of(unit);
    if (options_.force) line += " --force";
    if (!guarded()) line += " --without F11";
    // with a file every case is on its rows (a replay of any other has forgotten the file)
    if (!options_.model.empty()) line += " --model " + shell_quoted(options_.model);
    if (contract.layout != report.kernel.contract.layout)
      line += fmt::format(" --layout {}", i2_s::name(contract.layout));
    return line;
  }

  VerifyOptions options_;
  const Progress& progress_;
  const Case* only_ = nullptr;
  Units units_;
  std::vector<KnownDefect> baseline_;
  Preparations preparations_;
  std::unique_ptr<ModelRows> model_;
  std::vector<Item> items_;
  std::vector<std::string> names_;  // of all kernels that could be meant
  std::set<std::string> hit_;       // patterns that named one
  Report report_;
  std::mutex mutex_;
  int64_t done_ = 0;
  std::atomic<bool> stop_{false};
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
  return Verification(options, progress).run(nullptr);
}

Report replay(const std::string& case_text, const VerifyOptions& options, const Progress& progress) {
  try {
    const Case only = parse_case(case_text);
    VerifyOptions with = options;
    with.seed = only.seed;
    if (only.probe != "real") make_problem(only);
    settle_model(only.model, with);
    if (only.of_i2_s()) {
      if (!only.model.empty() && !with.layout) with.layout = only.layout;
      // a named kernel of another layout is meant: the case's layout is what the data have
      if (!with.kernels.empty() && !with.layout && with.force) with.layout = only.layout;
    }
    Verification verification(with, progress);
    verification.check_case(only);
    return verification.run(&only);
  } catch (const std::invalid_argument& e) {
    throw UserError(kExitUsage, e.what());
  }
}

}  // namespace tritcheck
