#include "reference/i2_s.h"

#include <cstring>
#include <stdexcept>

namespace tritcheck::i2_s {
namespace {

constexpr std::string_view kNames[] = {"x86_128", "arm_64", "rows_1x4", "linear"};

void require(Layout layout, Shape shape, size_t codes, size_t bytes) {
  if (auto why = why_illegal(layout, shape))
    throw std::invalid_argument("i2_s " + std::string(name(layout)) + ": " + *why);
  if (codes < static_cast<size_t>(shape.k * shape.rows)) throw std::invalid_argument("i2_s: too few codes");
  if (bytes < static_cast<size_t>(code_bytes(shape))) throw std::invalid_argument("i2_s: too few bytes");
}

}  // namespace

std::string_view name(Layout layout) {
  return kNames[static_cast<int>(layout)];
}

std::optional<Layout> layout_of(std::string_view wanted) {
  for (Layout layout : kLayouts) {
    if (name(layout) == wanted) return layout;
  }
  return std::nullopt;
}

int64_t k_multiple(Layout layout) {
  switch (layout) {
    case Layout::x86_128:
      return 128;
    case Layout::arm_64:
      return 64;
    case Layout::rows_1x4:
      return 1;
    case Layout::linear:
      return 4;
  }
  return 1;
}

int64_t row_multiple(Layout layout) {
  return layout == Layout::rows_1x4 ? 4 : 1;
}

std::optional<std::string> why_illegal(Layout layout, Shape shape) {
  if (shape.k < 1) return "K = " + std::to_string(shape.k) + " is not positive";
  if (shape.rows < 1) return "rows = " + std::to_string(shape.rows) + " is not positive";
  int64_t elements = 0;
  if (__builtin_mul_overflow(shape.k, shape.rows, &elements)) return "K * rows does not fit 64 bits";
  if (shape.k % k_multiple(layout) != 0) {
    return "K = " + std::to_string(shape.k) + " is not a multiple of " + std::to_string(k_multiple(layout));
  }
  if (shape.rows % row_multiple(layout) != 0) {
    return "rows = " + std::to_string(shape.rows) + " is not a multiple of " + std::to_string(row_multiple(layout));
  }
  return std::nullopt;
}

int64_t code_bytes(Shape shape) {
  return shape.k * shape.rows / 4;
}

int64_t tensor_bytes(Shape shape) {
  return code_bytes(shape) + kTailBytes;
}

namespace {

// 2 bits in runs: `run` weights of a group of four runs share a byte each, the first run highest. Unsigned, as no
// weight has a negative number and division by a power of two is then a shift.
constexpr Position in_runs(uint64_t e, uint64_t run) {
  return {static_cast<int64_t>(e / (4 * run) * run + e % run), static_cast<int>(6 - 2 * (e / run % 4))};
}

template <Layout layout>
Position at(int64_t k, int64_t row, int64_t column) {
  const auto e = static_cast<uint64_t>(row * k + column);
  if constexpr (layout == Layout::x86_128) return in_runs(e, 32);
  if constexpr (layout == Layout::arm_64) return in_runs(e, 16);
  if constexpr (layout == Layout::rows_1x4) return {row / 4 * k + column, static_cast<int>(6 - 2 * (row % 4))};
  if constexpr (layout == Layout::linear) return in_runs(e, 1);
}

// Calls visit(column, position) for every weight of a row, with the layout fixed outside the loop.
template <Layout layout, class Visit>
void each(int64_t k, int64_t row, Visit visit) {
  for (int64_t column = 0; column < k; ++column) visit(static_cast<size_t>(column), at<layout>(k, row, column));
}

template <class Visit>
void each(Layout layout, int64_t k, int64_t row, Visit visit) {
  switch (layout) {
    case Layout::x86_128:
      return each<Layout::x86_128>(k, row, visit);
    case Layout::arm_64:
      return each<Layout::arm_64>(k, row, visit);
    case Layout::rows_1x4:
      return each<Layout::rows_1x4>(k, row, visit);
    case Layout::linear:
      return each<Layout::linear>(k, row, visit);
  }
}

}  // namespace

Position position(Layout layout, int64_t k, int64_t row, int64_t column) {
  switch (layout) {
    case Layout::x86_128:
      return at<Layout::x86_128>(k, row, column);
    case Layout::arm_64:
      return at<Layout::arm_64>(k, row, column);
    case Layout::rows_1x4:
      return at<Layout::rows_1x4>(k, row, column);
    case Layout::linear:
      return at<Layout::linear>(k, row, column);
  }
  return {};
}

void pack(Layout layout, Shape shape, std::span<const uint8_t> codes, std::span<uint8_t> bytes) {
  require(layout, shape, codes.size(), bytes.size());
  std::memset(bytes.data(), 0, static_cast<size_t>(code_bytes(shape)));
  for (int64_t row = 0; row < shape.rows; ++row) {
    each(layout, shape.k, row, [of_row = codes.data() + row * shape.k, to = bytes.data()](size_t column, Position p) {
      to[p.byte] |= static_cast<uint8_t>((of_row[column] & 3) << p.shift);
    });
  }
}

void unpack(Layout layout, Shape shape, std::span<const uint8_t> bytes, std::span<uint8_t> codes) {
  require(layout, shape, codes.size(), bytes.size());
  const auto k = static_cast<size_t>(shape.k);
  for (int64_t row = 0; row < shape.rows; ++row) {
    unpack_row(layout, shape, bytes, row, codes.subspan(static_cast<size_t>(row) * k, k));
  }
}

void unpack_row(Layout layout, Shape shape, std::span<const uint8_t> bytes, int64_t row, std::span<uint8_t> codes) {
  require(layout, shape, static_cast<size_t>(shape.k * shape.rows), bytes.size());
  if (row < 0 || row >= shape.rows || codes.size() < static_cast<size_t>(shape.k)) {
    throw std::invalid_argument("i2_s: no such row, or too few codes");
  }
  each(layout, shape.k, row, [from = bytes.data(), to = codes.data()](size_t column, Position p) {
    to[column] = (from[p.byte] >> p.shift) & 3;
  });
}

int weight_of(int code, Code3 code3) {
  return code == 3 && code3 == Code3::zero ? 0 : code - 1;
}

float load_scale(Shape shape, std::span<const uint8_t> tensor) {
  float scale = 0;
  if (tensor.size() < static_cast<size_t>(code_bytes(shape)) + sizeof scale) {
    throw std::invalid_argument("i2_s: the tensor ends before its scale");
  }
  std::memcpy(&scale, tensor.data() + code_bytes(shape), sizeof scale);
  return scale;
}

void store_scale(Shape shape, std::span<uint8_t> tensor, float scale) {
  if (tensor.size() < static_cast<size_t>(code_bytes(shape)) + sizeof scale) {
    throw std::invalid_argument("i2_s: the tensor ends before its scale");
  }
  std::memcpy(tensor.data() + code_bytes(shape), &scale, sizeof scale);
}

}  // namespace tritcheck::i2_s
