#include "harness/bench/loops/loops.h"

namespace tritcheck::bench {

const Loops* best_loops([[maybe_unused]] const Features& features) {
#if defined(__x86_64__)
  if (features.avx2) return &loops_avx2();
  if (features.ssse3) return &loops_ssse3();
#elif defined(__aarch64__)
  if (features.dotprod) return &loops_dotprod();
  if (features.neon) return &loops_neon();
#endif
  return nullptr;
}

}  // namespace tritcheck::bench
