// Prints docs/engine-museum.md: every mistake of the engine's museum, measured on both models.
//
//   TRITCHECK_LIBEXEC=build/libexec-faulty build/bin/engine_museum > docs/engine-museum.md
#include "tests/engine_museum.h"

#include <fmt/format.h>

#include "tests/engine_museum_run.h"

int main() {
  using namespace tritcheck;
  fmt::print(
      "# The engine's museum\n\nMistakes of real engines, one at a time, and what `tritcheck paris` says of each: the "
      "first wrong operation (empty: all are\nexact), the text, and the numbers. KLD, top-1 (same token), sure (same "
      "token "
      "where golden is sure), NMSE; nllG: nats per token\nthat golden gives the candidate's text; rep-4, tail: "
      "repetition; "
      "entropy: mean shift in nats. Printed by `engine_museum`, a\nprogram of the tests; `paris_test` checks the first "
      "two "
      "columns.\n");
  for (const char* model : {"paris-b", "paris-a"}) {
    fmt::print(
        "\n## {}\n\n| mistake | first wrong operation | text | KLD | top-1 | sure | NMSE | nllG | rep-4 | tail | "
        "entropy |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        model);
    for (const EngineMistake& m : engine_mistakes()) {
      const ParisReport r = run_mistake(model, m);
      const auto& n = r.numbers;
      fmt::print("| {} | {} | {} | {:.2g} | {:.3f} | {:.3f} | {:.1g} | {:.2f} | {:.2f} | {:.2f} | {:.2g} |\n", m.name,
                 first_wrong(r), engine::name(r.health.health), n.kld, n.top1, n.agreement, n.nmse, n.nll_candidate,
                 n.rep4, n.tail, r.logits.entropy_shift());
      std::fflush(stdout);
    }
  }
}
