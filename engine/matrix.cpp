#include "engine/matrix.h"

#include <cstring>

#include "reference/half.h"
#include "reference/q6_k.h"
#include "reference/q8_0.h"
#include "reference/tq1_0.h"
#include "reference/tq2_0.h"

namespace tritcheck::engine {
namespace {

template <class T>
T load(std::span<const uint8_t> bytes, size_t index) {
  T v;
  std::memcpy(&v, bytes.data() + index * sizeof(T), sizeof(T));
  return v;
}

}  // namespace

std::string_view name(Encoding encoding) {
  constexpr std::string_view names[] = {"f32", "f16", "bf16", "i2_s", "tq1_0", "tq2_0", "q8_0", "q6_k"};
  return names[static_cast<size_t>(encoding)];
}

RowReader::RowReader(const Matrix& matrix) : matrix_(matrix) {
  const auto k = static_cast<size_t>(matrix.k);
  if (is_ternary(matrix.encoding)) {
    block_ = matrix.encoding == Encoding::i2_s ? matrix.k : static_cast<int64_t>(tq2_0::kBlock);
    weights_.resize(k);
    codes_.resize(k);
    scales_.assign(static_cast<size_t>(matrix.k / block_), matrix.scale);
  }
  values_.resize(k);
}

void RowReader::read(int64_t r) {
  row_ = r;
  have_values_ = false;
  if (is_ternary(matrix_.encoding)) read_ternary(r);
}

void RowReader::read_ternary(int64_t r) {
  const auto row = matrix_.encoding == Encoding::i2_s
                       ? std::span<const uint8_t>()
                       : matrix_.bytes.subspan(static_cast<size_t>(r * matrix_.row_bytes()),
                                               static_cast<size_t>(matrix_.row_bytes()));
  switch (matrix_.encoding) {
    case Encoding::i2_s:
      i2_s::unpack_row(matrix_.layout, matrix_.shape(), matrix_.bytes, r, codes_);
      break;
    case Encoding::tq1_0:
      for (size_t b = 0; b < scales_.size(); ++b) {
        const tq1_0::Block block = tq1_0::unpack(row.subspan(b * tq1_0::kBytes, tq1_0::kBytes));
        std::memcpy(codes_.data() + b * tq1_0::kBlock, block.codes.data(), tq1_0::kBlock);
        scales_[b] = f16::to_float(block.d);
      }
      break;
    case Encoding::tq2_0:
      for (size_t b = 0; b < scales_.size(); ++b) {
        const tq2_0::Block block = tq2_0::unpack(row.subspan(b * tq2_0::kBytes, tq2_0::kBytes));
        std::memcpy(codes_.data() + b * tq2_0::kBlock, block.codes.data(), tq2_0::kBlock);
        scales_[b] = f16::to_float(block.d);
      }
      break;
    default:
      break;
  }
  for (size_t j = 0; j < codes_.size(); ++j) weights_[j] = static_cast<int8_t>(codes_[j] - 1);
}

std::span<const double> RowReader::values() {
  if (have_values_) return values_;
  have_values_ = true;
  if (is_ternary(matrix_.encoding)) {
    for (size_t j = 0; j < values_.size(); ++j)
      values_[j] = static_cast<double>(scales_[j / static_cast<size_t>(block_)]) * weights_[j];
    return values_;
  }
  const auto bytes = static_cast<size_t>(matrix_.row_bytes());
  const std::span<const uint8_t> row = matrix_.bytes.subspan(static_cast<size_t>(row_) * bytes, bytes);
  switch (matrix_.encoding) {
    case Encoding::f32:
      for (size_t j = 0; j < values_.size(); ++j) values_[j] = load<float>(row, j);
      break;
    case Encoding::f16:
      for (size_t j = 0; j < values_.size(); ++j) values_[j] = f16::to_float(load<uint16_t>(row, j));
      break;
    case Encoding::bf16:
      for (size_t j = 0; j < values_.size(); ++j) values_[j] = bf16::to_float(load<uint16_t>(row, j));
      break;
    case Encoding::q8_0:
      q8_0::dequantize_row(row, values_);
      break;
    case Encoding::q6_k:
      q6_k::dequantize_row(row, values_);
      break;
    default:
      break;
  }
  return values_;
}

}  // namespace tritcheck::engine
