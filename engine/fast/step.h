// One step of the fast engine's graph by itself, on inputs that somebody else computed: how the first wrong step is
// found. Runs the very code the graph runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tritcheck::engine {

enum class Step : uint8_t {
  rms_norm,   ///< a: x; tensor: the weight
  quantize,   ///< a: x; tensor: a matrix it is quantised for. Gives q, scale, sum
  product,    ///< q, scale, sum (i2_s), or a: the unquantised input (other encodings); tensor: the matrix
  rope,       ///< a: x, heads x head_dim
  attention,  ///< a: queries, b: keys, c: values of all positions
  gated,      ///< a: gate, b: up
  add,        ///< a, b
  output,     ///< a: x; the output matrix
};
inline constexpr Step kLastStep = Step::output;

struct StepCall {
  Step step = Step::rms_norm;
  std::string tensor;
  int64_t tokens = 1;
  int64_t position = 0;  ///< of the first token
  int64_t heads = 0;     ///< rope
  std::vector<float> a, b, c;
  std::vector<int8_t> q;
  std::vector<float> scale;
  std::vector<int32_t> sum;
};

struct StepResult {
  std::vector<float> y;
  std::vector<int8_t> q;
  std::vector<float> scale;
  std::vector<int32_t> sum;
  std::string kernel;  ///< product of I2_S weights: the one that ran
};

}  // namespace tritcheck::engine
