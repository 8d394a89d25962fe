// Another library's ggml_cpu_init, which fills nobody's tables but its own.
extern "C" __attribute__((visibility("default"))) void ggml_cpu_init() {}
