// What this machine could do at best: bare loops to which kernels are compared, timed between them in the same run.
// They compute nothing of use.
#pragma once

#include <cstdint>

#include "kernels/features.h"

namespace tritcheck::bench {

struct Loops {
  const char* multiply_name;  ///< the multiply instruction: "maddubs", "mlal", "dot"
  /// As many multiplies as `bytes` packed bytes take with one activation row, back to back in registers.
  int32_t (*multiply)(int64_t bytes);
  /// The bare 2-bit loop: a load, the shifts and masks for four planes, four multiplies by activations that stay in
  /// registers, four adds. Nothing is widened and the sums overflow. `bytes` is a multiple of 32.
  int32_t (*unpack)(const uint8_t* w, int64_t bytes);
  /// Reads every byte. `bytes` is a multiple of 256.
  int32_t (*read)(const uint8_t* w, int64_t bytes);
};

const Loops& loops_ssse3();
const Loops& loops_avx2();
const Loops& loops_neon();
const Loops& loops_dotprod();
/// Those of the widest instruction set of a machine; null if there are none for it.
const Loops* best_loops(const Features& features);

}  // namespace tritcheck::bench
