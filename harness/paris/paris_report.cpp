#include "harness/paris/paris_report.h"

#include <fmt/format.h>

#include "harness/base/console.h"

namespace tritcheck {
namespace {

using engine::Health;

Style style_of(Health health) {
  return health == Health::healthy ? Style::good : health == Health::suspect ? Style::warn : Style::bad;
}

std::string one_line(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '\n' ? ' ' : c;
  return printable(out);
}

class Text {
 public:
  Text(const ParisReport& report, bool colour, int width)
      : r_(report), colour_(colour), width_(static_cast<size_t>(width)) {}

  std::string make() {
    head();
    if (!r_.prompts.empty()) {
      prompts();
      numbers();
      exactness();
    }
    verdict();
    return out_;
  }

 private:
  void line(const std::string& text = "") { out_ += text + "\n"; }
  std::string in(std::string_view text, Style style) const { return styled(text, style, colour_); }

  void head() {
    line(fmt::format("{}: {} on {}", printable(r_.model), r_.arch, r_.device));
    if (r_.has_i2_s) {
      line(fmt::format("  layout {}{}", i2_s::name(r_.layout),
                       r_.layout_given   ? ""
                       : r_.layout_found ? ", found: the only reading under which the weights are a model"
                                         : ", assumed: neither file nor weights tell"));
      if (!r_.layout_advice.empty()) line(in("  " + r_.layout_advice, Style::warn));
    }
    line("  kernels: " + r_.kernels);
    for (const std::string& n : r_.notices) line("  note: " + printable(n));
    line();
  }

  void prompts() {
    for (const PromptReport& p : r_.prompts) {
      line(in(one_line(p.prompt), Style::bold));
      const bool same = p.golden_ids == p.candidate_ids;
      line("  golden    " + fitted(one_line(p.golden_text), width_ - 12));
      line("  candidate " + (same ? in("the same", Style::dim) : fitted(one_line(p.candidate_text), width_ - 12)));
      for (const Flip& f : p.flips) {
        line(in(fmt::format("  near tie at token {}: '{}' or '{}', {:.3f} apart; no evidence", f.position,
                            one_line(f.golden), one_line(f.candidate), f.margin),
                Style::dim));
      }
    }
    line();
  }

  void numbers() {
    const auto& n = r_.numbers;
    line(fmt::format("logits      {} positions: KLD {:.3g} (largest {:.3g}), NMSE {:.3g}, |entropy shift| {:.3g} nats",
                     r_.logits.positions(), n.kld, r_.logits.kld_max(), n.nmse, r_.logits.entropy_shift()));
    line(fmt::format("tokens      {:.2f} % the same; {:.2f} % where golden is sure (margin {} or more, {} positions)",
                     100 * n.top1, 100 * n.agreement, engine::kSureMargin, r_.logits.sure()));
    line(fmt::format("text        golden gives its own {:.3f} nats per token, the candidate's {:.3f}",
                     n.nll_golden_text, n.nll_candidate));
    line(fmt::format(
        "repetition  rep-4 {:.2f} (golden {:.2f}), cycling tail {:.2f} ({:.2f}), compression {:.2f} ({:.2f})", n.rep4,
        n.rep4_golden, n.tail, n.tail_golden, r_.compression, r_.compression_golden));
    if (n.not_finite > 0) line(fmt::format("not finite  {} positions with NaN or infinite logits", n.not_finite));
    line();
  }

  void exactness() {
    const Exactness& e = r_.exactness;
    if (!e.ran) return;
    line(fmt::format("operations  {} replayed on golden's inputs: {} numbers compared for equality, {} within a bound",
                     e.steps, e.integer_results, e.float_results));
    if (e.wrong.empty()) return;
    const WrongStep& w = e.wrong.front();
    line(in(fmt::format("  first wrong: {} ({}){}{}", w.name, w.op, w.tensor.empty() ? "" : ", weights " + w.tensor,
                        w.kernel.empty() ? "" : ", kernel " + w.kernel),
            Style::bad));
    line(fmt::format("    {} of {} numbers wrong; first at row {} of token {}: expected {:.9g}, got {:.9g}", w.wrong,
                     w.total, w.row, w.token, w.expected, w.got));
    if (!w.where.empty()) out_ += wrapped(w.where, width_, "    ");
    if (!w.diagnosis.empty())
      line(fmt::format("    {} (`tritcheck explain {}`)", in(w.diagnosis, Style::bold), w.diagnosis));
    if (!w.detail.empty()) out_ += wrapped(w.detail, width_, "    ");
    if (!w.case_text.empty()) line("    case: " + w.case_text);
    if (!w.repro.empty()) line("    repro: " + w.repro);
    if (e.wrong.size() > 1) line(fmt::format("  and {} more after it", e.wrong.size() - 1));
  }

  void verdict() {
    line();
    if (!r_.died.empty()) {
      line(in(r_.hung ? "HUNG" : "CRASHED", Style::bad) + ": the candidate did not survive: " + printable(r_.died));
      if (r_.prompts.empty()) return;
    }
    if (r_.interrupted) line(in("INTERRUPTED", Style::warn) + fmt::format(" after {} prompts", r_.prompts.size()));
    line(fmt::format("text health  {}: {}", in(engine::name(r_.health.health), style_of(r_.health.health)),
                     r_.health.why));
    line(fmt::format("             {}", engine::sentence(r_.health.health)));
    if (r_.exactness.ran) {
      line(fmt::format("exactness    {}",
                       r_.exactness.exact()
                           ? in("EXACT", Style::good)
                           : in("FAILED", Style::bad) + ": an operation gives other numbers than it must"));
    } else if (r_.died.empty() && !r_.interrupted) {
      line("exactness    not checked");
    }
  }

  const ParisReport& r_;
  bool colour_;
  size_t width_;
  std::string out_;
};

}  // namespace

std::string paris_text(const ParisReport& report, bool colour, int width) {
  return Text(report, colour, width).make();
}

}  // namespace tritcheck
