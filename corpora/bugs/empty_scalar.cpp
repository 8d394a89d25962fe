#include "corpora/bugs/bugs.h"

// microsoft/BitNet #547: built for x86 without AVX2, every branch of the preprocessor is skipped.
extern "C" void bug_empty_body(int64_t, int32_t*, size_t, const uint8_t*, size_t, const int8_t*, size_t, int) {}
