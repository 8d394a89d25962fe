#include "harness/bench/loops/maddubs_loops.h"
#include "kernels/simd/ssse3.h"

namespace tritcheck::bench {
const Loops& loops_ssse3() {
  static constexpr Loops loops = maddubs_loops<Ssse3>();
  return loops;
}
}  // namespace tritcheck::bench
