// Differential fuzzing: bytes become a problem (layout, K, rows, activation rows, strides, offsets, codes, q), and
// every I2_S kernel that can run here, NEON sources through SIMDe included, must agree with both oracles. All buffers
// have exactly the legal size, so that ASan sees an over-read.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "harness/bench/direct.h"
#include "kernels/features.h"

namespace {

using namespace tritcheck;

// Header bytes, each with a default where the input has ended; what is left over becomes data.
class Input {
 public:
  explicit Input(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  int64_t take(int64_t below) {
    if (bytes_.empty()) return 0;
    const uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte % below;
  }

  // Two streams, one from each half, repeated as long as needed: few bytes then make long extreme rows.
  uint8_t weight(size_t i) const { return bytes_.empty() ? 0xFF : bytes_[i % ((bytes_.size() + 1) / 2)]; }
  int8_t activation(size_t i) const {
    return static_cast<int8_t>(bytes_.empty() ? 0x80 : bytes_[bytes_.size() - 1 - i % ((bytes_.size() + 1) / 2)]);
  }

 private:
  std::span<const uint8_t> bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Features features = detect();
  Input input({data, size});
  const Layout layout = i2_s::kLayouts[input.take(4)];
  direct::Problem p;
  // enough to pass every widening interval: 48 blocks of 128 or 64, 1024 fours or 1536 single columns
  const int64_t multiple = i2_s::k_multiple(layout);
  const int64_t pages = layout == Layout::linear ? 4 : 6;
  const int64_t units = multiple >= 64 ? 1 + input.take(48) : 1 + input.take(pages) * 256 + input.take(256);
  const int64_t row_multiple = i2_s::row_multiple(layout);
  const int64_t row_units = 1 + input.take(4);
  p.shape = {multiple * units, row_multiple * row_units};
  const auto acts = static_cast<int>(1 + input.take(10));
  p.w_pad = static_cast<size_t>(input.take(64));
  p.q_pad = static_cast<size_t>(input.take(64));
  p.out_stride = static_cast<size_t>(1 + input.take(3));
  p.w_offset = static_cast<size_t>(input.take(64));
  p.q_offset = static_cast<size_t>(input.take(64));
  const int64_t row0 = input.take(row_units);
  p.row0 = row_multiple * row0;
  p.nrows = row_multiple * input.take(row_units - row0 + 1);
  p.w_scale = static_cast<float>(input.take(256) - 128) / 37.0F;
  p.act_scale = static_cast<float>(input.take(256) + 1) / 11.0F;
  p.codes.resize(static_cast<size_t>(i2_s::code_bytes(p.shape)));
  for (size_t i = 0; i < p.codes.size(); ++i) p.codes[i] = input.weight(i);
  p.q.resize(static_cast<size_t>(acts * p.shape.k));
  for (size_t i = 0; i < p.q.size(); ++i) p.q[i] = input.activation(i);

  for (Op op : {Op::dot, Op::rows, Op::acts, Op::gemv}) {
    p.acts = op == Op::acts ? acts : 1;
    std::optional<std::vector<uint32_t>> right;
    for (const Kernel& kernel : kernels()) {
      if (kernel.contract.op != op || kernel.contract.layout != layout || !why_not(kernel, features).empty()) continue;
      if (!right) right = direct::expected(kernel, p);
      if (const auto wrong = direct::check(kernel, p, *right)) {
        std::fprintf(stderr, "%s\n", wrong->c_str());
        std::abort();
      }
    }
  }
  return 0;
}
