// How this process asks for memory.
#pragma once

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace tritcheck {

/// Freed memory stays with the process, for work that makes cases of megabytes by the thousand: given back, it would
/// come again as one page fault per 4 KiB. Does nothing where the C library has no such setting; may be called again.
inline void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2047 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

}  // namespace tritcheck
