// Prints docs/engine-museum.md: every mistake of the engine's museum, measured on both models.
//
//   build/bin/engine_museum > docs/engine-museum.md
//   build/bin/engine_museum --calibrate >> docs/engine-museum.md     the bands, from one model, tried on the other
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
  fmt::print(
      "\n## Where the bands come from\n\nThe bands of HEALTHY lie between what harmless mistakes reach on paris-b and "
      "where the others begin there:\n\n| number | harmless up to | the band | others from |\n| --- | --- | --- | --- "
      "|\n");
  bool good = true;
  for (const Limit& l : limits) {
    fmt::print("| {} | {:.2g} | {:.2g} | {:.2g} |\n", l.name, l.harmless, l.band, l.harmful);
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
  fmt::print(
      "\nJudged with these bands: paris-a, on prompts that neither calibration nor the tables above used. A mistake "
      "may be one step\nbeside what the table above says of it, as mild ones are near a limit; a harmless one must not "
      "be.\n\n| mistake | text | beside |\n| --- | --- | --- |\n");
  for (const EngineMistake& m : engine_mistakes()) {
    const ParisReport r = run_mistake("paris-a", m, fresh);
    const std::string got = word(r.health.health);
    // which kind of degeneration it is depends on the texts
    const auto step = [](std::string_view w) { return w == "healthy" ? 0 : w == "suspect" ? 1 : 2; };
    const std::string_view first = std::string_view(m.health_a).substr(0, m.health_a.find(' '));
    const int beside = std::abs(step(got) - step(first));
    good = good && beside <= (first == "healthy" ? 0 : 1);
    fmt::print("| {} | {} | {} |\n", m.name, got, beside == 0 ? "" : fmt::format("{} expected", first));
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
