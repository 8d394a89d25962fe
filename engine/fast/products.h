// The fast engine's matrix products: activations are quantised once for all products that read them, and each product
// runs the kernel that fits the encoding. Results depend on nothing but the row and the token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/fast/fault.h"
#include "engine/fast/plan.h"
#include "engine/matrix.h"
#include "engine/threads.h"

namespace tritcheck::engine {

/// How the activations of linear layers are quantised.
enum class Act : uint8_t {
  automatic,  ///< as the weights' kernels take them: block for TQ1_0 and TQ2_0, row for all others
  row,        ///< int8, one scale for each token's row (I8_S): how these models were trained
  block,      ///< int8, a scale for each 256 columns (Q8_K); where K is no multiple of 256 it is row
  none,       ///< not at all
};

/// The activations of a batch, tokens x k, in the forms that its products need.
struct Acts {
  int64_t tokens = 0;
  int64_t k = 0;
  std::span<const float> x;     ///< not quantised; belongs to the caller
  std::vector<int8_t> q;        ///< by rows
  std::vector<float> scale;     ///< of each row; x is about q / scale. NaN if the row held NaN or infinity: so are then
                                ///< all its products
  std::vector<int32_t> sum;     ///< of each row's q
  std::vector<uint8_t> blocks;  ///< Q8_K rows, if asked for
  std::vector<float> q_float;   ///< q as floats, if asked for: what float weights are multiplied by
};

class Products {
 public:
  Products(Threads& threads, const Plan& plan, Act act, Fault fault = Fault::none)
      : threads_(threads), plan_(plan), act_(act), fault_(fault) {}

  /// Quantises as the matrices that will be multiplied need it; all have the same k. `acts` keeps its memory from call
  /// to call.
  void prepare(std::span<const float> x, int64_t tokens, std::initializer_list<const Matrix*> matrices,
               Acts& acts) const;

  /// y[t][r], tokens x rows; y gets that size.
  void multiply(const Matrix& w, const Acts& acts, std::vector<float>& y) const;
  /// The kernel that multiplies I2_S weights by so many tokens.
  std::string kernel(const Matrix& w, int64_t tokens) const { return std::string(plan_.kernel(w.name, tokens).name); }
  /// The same without quantisation, for output matrices.
  void multiply_plain(const Matrix& w, std::span<const float> x, int64_t tokens, std::vector<float>& y) const;

 private:
  bool in_blocks(const Matrix& w) const;
  void i2_s(const Matrix& w, const Acts& acts, std::vector<float>& y) const;
  void ternary_blocks(const Matrix& w, const Acts& acts, std::vector<float>& y) const;
  void floats(const Matrix& w, const float* x, int64_t tokens, const float* scales, std::vector<float>& y) const;

  Threads& threads_;
  Plan plan_;
  Act act_;
  Fault fault_;
};

}  // namespace tritcheck::engine
