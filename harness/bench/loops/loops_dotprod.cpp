#include "harness/bench/loops/neon_loops.h"
#include "kernels/i2_s/dotprod.h"

namespace tritcheck::bench {
const Loops& loops_dotprod() {
  static constexpr Loops loops = neon_loops<i2_s::DotSum>("dot");
  return loops;
}
}  // namespace tritcheck::bench
