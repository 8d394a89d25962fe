// Kernels that return without an answer.
#include "corpora/bugs/bugs.h"
#include "corpora/bugs/parts.h"

using namespace tritcheck::museum;

// microsoft/BitNet #547: built for x86 without AVX2, every branch of the preprocessor is skipped.
extern "C" void bug_empty_body(int64_t, int32_t*, size_t, const uint8_t*, size_t, const int8_t*, size_t, int) {}

// microsoft/BitNet PR #550, #324: code is generated for the shapes of known models, and there is no else.
extern "C" void bug_shape_not_listed(int64_t k, int32_t* out, size_t, const uint8_t* w, size_t, const int8_t* q, size_t,
                                     int) {
  if (k % 256 == 0) out[0] = dot<32>(k, w, q);
}
