// Plug-ins that something is wrong with: BAD says what.
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "include/tritcheck/kernel.h"

namespace {

[[maybe_unused]] void right(int, float* s, size_t, const void*, size_t, const void*, size_t, int) {
  *s = 0;
}

// Its answer depends on how often it was asked.
[[maybe_unused]] void counts(int, float* s, size_t, const void*, size_t, const void*, size_t, int) {
  static int calls = 0;
  *s = ++calls % 3 == 0 ? 1 : 0;
}

[[maybe_unused]] void sleeps(int, float*, size_t, const void*, size_t, const void*, size_t, int) {
  while (true) pause();
}

[[maybe_unused]] void terminates(int, float*, size_t, const void*, size_t, const void*, size_t, int) {
  raise(SIGTERM);
}

#if defined(BAD_LOAD_CRASH)
__attribute__((constructor)) void at_load() {
  raise(SIGSEGV);
}
#elif defined(BAD_LOAD_EXIT)
__attribute__((constructor)) void at_load() {
  std::exit(0);
}
#elif defined(BAD_LOAD_HANG)
__attribute__((constructor)) void at_load() {
  while (true) pause();
}
#endif

tritcheck_kernel make() {
  tritcheck_kernel k;
  std::memset(&k, 0, sizeof k);
  k.name = "some_dot";
  k.format = "tq2_0";
  k.op = "vec_dot";
  k.function = reinterpret_cast<tritcheck_function*>(&right);
#if defined(BAD_NAME_POINTER)
  k.name = reinterpret_cast<const char*>(16);
#elif defined(BAD_NO_NAME)
  k.name = nullptr;
#elif defined(BAD_OP)
  k.op = "matmul";
#elif defined(BAD_NO_FUNCTION)
  k.function = nullptr;
#elif defined(BAD_ALIGN)
  k.align_w = 3;
#elif defined(BAD_NEEDS_UNKNOWN)
  k.needs = "warp9";
#elif defined(BAD_COUNTS)
  k.function = reinterpret_cast<tritcheck_function*>(&counts);
#elif defined(BAD_SLEEPS)
  k.function = reinterpret_cast<tritcheck_function*>(&sleeps);
#elif defined(BAD_TERMINATES)
  k.function = reinterpret_cast<tritcheck_function*>(&terminates);
#elif defined(BAD_DIAGNOSIS)
  k.diagnosis = "word-salad";
#elif defined(BAD_UNKNOWN_FORMAT)
  k.format = "iq9_xxs";
#endif
  return k;
}

}  // namespace

extern "C" const tritcheck_plugin_info* tritcheck_plugin(void) {
#if defined(BAD_NULL)
  return nullptr;
#elif defined(BAD_POINTER)
  return reinterpret_cast<const tritcheck_plugin_info*>(8);
#elif defined(BAD_CRASH)
  raise(SIGSEGV);
#elif defined(BAD_HANG)
  while (true) pause();
#endif
  static const tritcheck_kernel kernels[] = {make()};
  static tritcheck_plugin_info info = TRITCHECK_PLUGIN_INFO("1", kernels);
#if defined(BAD_VERSION)
  info.abi_version = 99;
#elif defined(BAD_COUNT)
  info.count = UINT64_MAX / 2;
#elif defined(BAD_LIST)
  info.kernels = reinterpret_cast<const tritcheck_kernel*>(4096);
#elif defined(BAD_OLD_HEADER)
  // built when the structure ended behind the function
  info.kernel_size = offsetof(tritcheck_kernel, k_multiple);
#endif
  return &info;
}
