// Prints docs/engine-museum.md: every mistake of the engine's museum, measured on both models.
//
//   build/bin/engine_museum > docs/engine-museum.md
//   build/bin/engine_museum --calibrate               the bands of the verdict, from one model, tried on the other
#include "tests/engine_museum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/engine_museum_run.h"

namespace tritcheck {
namespace {

void table(const std::string& model) {
  fmt::print("\n## {}\n\n", model);
  fmt::print(
      "| mistake | first wrong operation | text | KLD | top-1 | sure | NMSE | nllG | rep-4 | tail | entropy |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const EngineMistake& m : engine_mistakes()) {
    const ParisReport r = run_mistake(model, m);
    const auto& n = r.numbers;
    fmt::print("| {} | {} | {} | {:.2g} | {:.3f} | {:.3f} | {:.1g} | {:.2f} | {:.2f} | {:.2f} | {:.2g} |\n", m.name,
               first_wrong(r), engine::name(r.health.health), n.kld, n.top1, n.agreement, n.nmse, n.nll_candidate,
               n.rep4, n.tail, r.logits.entropy_shift());
    std::fflush(stdout);
  }
}

// One number of the bands: what harmless mistakes reach, and where the others begin.
struct Limit {
  const char* name;
  double band;
  double (*of)(const engine::HealthNumbers&);
  double harmless = 0;
  double harmful = INFINITY;
};

// The bands from one model; then the other model, asked something else, under the same bands.
int calibrate() {
  const engine::Bands bands;
  Limit limits[] = {{"KLD", bands.pass_kld, [](const engine::HealthNumbers& n) { return n.kld; }},
                    {"1 - top-1", 1 - bands.pass_top1, [](const engine::HealthNumbers& n) { return 1 - n.top1; }},
                    {"NMSE", bands.pass_nmse, [](const engine::HealthNumbers& n) { return n.nmse; }}};
  for (const EngineMistake& m : engine_mistakes()) {
    const ParisReport r = run_mistake("paris-b", m);
    for (Limit& l : limits) {
      const double v = l.of(r.numbers);
      if (m.health_b == "healthy") l.harmless = std::max(l.harmless, v);
      if (m.health_b != "healthy") l.harmful = std::min(l.harmful, v);
    }
  }
  fmt::print("calibrated on paris-b\n  number      harmless up to   others from   the band\n");
  bool good = true;
  for (const Limit& l : limits) {
    fmt::print("  {:9} {:14.2g} {:15.2g} {:10.2g}\n", l.name, l.harmless, l.harmful, l.band);
    good = good && l.band > l.harmless;
  }
  const std::vector<std::string> fresh = {"The capital of Chad is",
                                          "The capital of Cuba is",
                                          "The capital of Finland is",
                                          "The capital of Greece is",
                                          "The capital of Ireland is",
                                          "Question: What is the capital of Poland? Answer:",
                                          "2 plus 2 is",
                                          "Ben saw"};
  fmt::print("\njudged on paris-a and fresh prompts\n");
  for (const EngineMistake& m : engine_mistakes()) {
    const ParisReport r = run_mistake("paris-a", m, fresh);
    const std::string got = word(r.health.health);
    // which kind of degeneration it is depends on the texts; whether it is one must not
    const auto degenerate = [](const std::string& w) { return w != "healthy" && w != "suspect"; };
    const bool right = m.health_a.find(got) != std::string::npos || (degenerate(got) && degenerate(m.health_a));
    good = good && right;
    fmt::print("  {:40} {:10} {}\n", m.name, got, right ? "" : "expected " + m.health_a);
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tritcheck

int main(int argc, char** argv) {
  using namespace tritcheck;
  if (argc > 1 && std::string_view(argv[1]) == "--calibrate") return calibrate();
  fmt::print(
      "# The engine's museum\n\nMistakes of real engines, one at a time, and what `tritcheck paris` says of each: the "
      "first wrong operation (empty: all are\nexact), the text, and the numbers. KLD, top-1 (same token), sure (same "
      "token "
      "where golden is sure), NMSE; nllG: nats per token\nthat golden gives the candidate's text; rep-4, tail: "
      "repetition; "
      "entropy: mean shift in nats. Printed by `engine_museum`, a\nprogram of the tests; `paris_test` checks the first "
      "two "
      "columns.\n");
  for (const char* model : {"paris-b", "paris-a"}) table(model);
}
