// A weight matrix as it lies in the file, and its rows as exact numbers.
//
//   engine::RowReader reader(matrix);
//   reader.read(row);                       // decodes one row
//   for (const auto& b : reader.blocks()) ...
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/i2_s.h"

namespace tritcheck::engine {

/// Encodings a linear layer or an embedding may have.
enum class Encoding : uint8_t { f32, f16, bf16, i2_s, tq1_0, tq2_0, q8_0, q6_k };
std::string_view name(Encoding encoding);
/// True if a row is small integers with a scale for each block.
constexpr bool is_ternary(Encoding e) {
  return e == Encoding::i2_s || e == Encoding::tq1_0 || e == Encoding::tq2_0;
}

/// rows x k weights; row r is output r. The bytes belong to the mapped file.
struct Matrix {
  std::string name;  ///< the tensor's: "blk.0.attn_q.weight"
  Encoding encoding = Encoding::f32;
  int64_t k = 0;
  int64_t rows = 0;
  std::span<const uint8_t> bytes;
  i2_s::Layout layout = i2_s::Layout::x86_128;  ///< i2_s only: the file does not say
  float scale = 1;                              ///< i2_s only: one for the whole tensor
  float factor = 1;                             ///< a separate `.scale` tensor: multiplies every output

  i2_s::Shape shape() const { return {k, rows}; }
  /// Bytes of one row; rows_1x4 shares bytes between rows, there it is the average.
  int64_t row_bytes() const { return static_cast<int64_t>(bytes.size()) / rows; }
};

/// One row as exact numbers, for the golden engine and the oracles: obvious before it is fast.
class RowReader {
 public:
  explicit RowReader(const Matrix& matrix);

  /// Decodes row r.
  void read(int64_t r);

  /// Ternary encodings: the weights -1, 0, 1 (2 for code 3), and the scale of each block of block() of them.
  std::span<const int8_t> weights() const { return weights_; }
  std::span<const float> scales() const { return scales_; }
  int64_t block() const { return block_; }

  /// Every encoding: the row's values, exact in float64.
  std::span<const double> values();

 private:
  void read_ternary(int64_t r);

  const Matrix& matrix_;
  int64_t row_ = -1;
  int64_t block_ = 0;
  std::vector<int8_t> weights_;
  std::vector<float> scales_;
  std::vector<uint8_t> codes_;  // scratch
  std::vector<double> values_;
  bool have_values_ = false;
};

}  // namespace tritcheck::engine
