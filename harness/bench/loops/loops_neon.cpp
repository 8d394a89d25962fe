#include "harness/bench/loops/neon_loops.h"
#include "kernels/i2_s/neon.h"

namespace tritcheck::bench {
const Loops& loops_neon() {
  static constexpr Loops loops = neon_loops<i2_s::MullSum>("mlal");
  return loops;
}
}  // namespace tritcheck::bench
