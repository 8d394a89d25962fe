// The museum of broken functions on ggml's blocks, as a plug-in that anybody can give to `tritcheck verify --lib`.
#include "include/tritcheck/kernel.h"

#define BLOCK(name, format, op, diagnosis, summary) extern "C" tritcheck_##op##_fn name;
#define BLOCK_THAT_NEEDS(name, format, op, needs, diagnosis, summary) extern "C" tritcheck_##op##_fn name;
#define BLOCK_OF_TWO_ROWS(name, format, op, diagnosis, summary) extern "C" tritcheck_##op##_fn name;
#define I2_S(name, result, diagnosis, summary) extern "C" tritcheck_dot_fn name;
#include "corpora/block_bugs/block_bugs.inc"
#undef BLOCK
#undef BLOCK_THAT_NEEDS
#undef BLOCK_OF_TWO_ROWS
#undef I2_S

namespace {

template <class F>
tritcheck_function* any(F* f) {
  return reinterpret_cast<tritcheck_function*>(f);
}

tritcheck_kernel block(const char* name, const char* format, const char* op, tritcheck_function* function, int nrows,
                       const char* needs, const char* diagnosis, const char* summary) {
  tritcheck_kernel k{};
  k.name = name;
  k.format = format;
  k.op = op;
  k.function = function;
  k.nrows = nrows;
  k.needs = needs;
  k.diagnosis = diagnosis;
  k.summary = summary;
  return k;
}

tritcheck_kernel i2_s(const char* name, const char* result, tritcheck_function* function, const char* diagnosis,
                      const char* summary) {
  tritcheck_kernel k = block(name, "i2_s", "dot", function, 0, nullptr, diagnosis, summary);
  k.layout = "x86_128";
  k.result = result;
  return k;
}

#define BLOCK(name, format, op, diagnosis, summary) \
  block(#name, format, #op, any(name), 1, nullptr, diagnosis, summary),
#define BLOCK_THAT_NEEDS(name, format, op, needs, diagnosis, summary) \
  block(#name, format, #op, any(name), 1, needs, diagnosis, summary),
#define BLOCK_OF_TWO_ROWS(name, format, op, diagnosis, summary) \
  block(#name, format, #op, any(name), 2, nullptr, diagnosis, summary),
#define I2_S(name, result, diagnosis, summary) i2_s(#name, result, any(name), diagnosis, summary),
const tritcheck_kernel kKernels[] = {
#include "corpora/block_bugs/block_bugs.inc"
};

}  // namespace

extern "C" const tritcheck_plugin_info* tritcheck_plugin() {
  static const tritcheck_plugin_info info = TRITCHECK_PLUGIN_INFO("museum of broken functions on blocks", kKernels);
  return &info;
}
