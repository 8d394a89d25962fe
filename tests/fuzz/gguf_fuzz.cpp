// Fuzz target: whatever the bytes, the GGUF reader gives a view that is safe to walk, or one line of error.
#include <cstdlib>
#include <string>

#include "harness/models/inspect.h"
#include "harness/verify/verify.h"
#include "reference/gguf.h"

namespace {

using namespace tritcheck;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_error(const std::string& what) {
  require(!what.empty() && what.size() < 100'000);
  require(what.find('\n') == std::string::npos);
}

// The promises of gguf.h, recomputed from the view itself.
void check(const gguf::File& file) {
  const uint64_t size = file.bytes.size();
  uint64_t sum = 0;
  for (const gguf::Tensor& t : file.tensors) {
    require(file.tensor(t.name) == &t);
    require(t.data_offset >= file.data_start && t.data_offset < size);
    require(t.data_offset % file.alignment == (file.data_start % file.alignment));
    require(t.room <= size - t.data_offset && (!t.nbytes || *t.nbytes <= t.room));
    int64_t elements = 1;
    for (int64_t ne : t.ne) {
      require(ne >= 1);
      require(!__builtin_mul_overflow(elements, ne, &elements));
    }
    require(elements == t.elements);
    for (uint8_t byte : file.data(t)) sum += byte;
  }
  for (const gguf::Entry& e : file.metadata) {
    require(file.value(e.key) == &e.value);
    gguf::array_as<uint32_t>(e.value);
    gguf::array_as<std::string_view>(e.value);
    gguf::array_as<double>(e.value);
  }
  for (const gguf::I2sSlice& s : gguf::i2_s_slices(file)) {
    require(s.bytes.size() == static_cast<size_t>(i2_s::tensor_bytes(s.shape)));
    const auto codes = gguf::code_histogram(s);
    require(codes[0] + codes[1] + codes[2] + codes[3] == 4 * static_cast<uint64_t>(i2_s::code_bytes(s.shape)));
  }
  require(sum != UINT64_MAX);  // keeps the reads of the payload
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  try {
    check(gguf::parse(bytes));
  } catch (const gguf::Error& error) {
    check_error(error.what());
    require(error.offset() <= size);
    return 0;
  }
  require(!inspect_text("input", bytes, {.verbose = true}).empty());
  require(!inspect_json("input", bytes, {.verbose = false}).empty());
  return 0;
}
