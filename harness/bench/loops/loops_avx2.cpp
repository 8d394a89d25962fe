#include "harness/bench/loops/maddubs_loops.h"
#include "kernels/simd/avx2.h"

namespace tritcheck::bench {
const Loops& loops_avx2() {
  static constexpr Loops loops = maddubs_loops<Avx2>();
  return loops;
}
}  // namespace tritcheck::bench
