#include "reference/epilogue.h"

#include <cmath>
#include <cstdlib>

namespace tritcheck::i2_s {

double scaled_golden(int64_t raw, int64_t act_sum, float act_scale, float w_scale) {
  return static_cast<double>(raw - act_sum) * double{w_scale} / double{act_scale};
}

float scaled(Epilogue epilogue, int64_t raw, int64_t act_sum, float act_scale, float w_scale) {
  // volatile: no fused or wider intermediate, whatever the compiler and its flags
  volatile float step = 0;
  switch (epilogue) {
    case Epilogue::integer_div_mul:
      step = static_cast<float>(raw - act_sum);
      step = step / act_scale;
      step = step * w_scale;
      return step;
    case Epilogue::float_div_mul:
      step = static_cast<float>(raw);
      step = step - static_cast<float>(act_sum);
      step = step / act_scale;
      step = step * w_scale;
      return step;
    case Epilogue::float_mul_ratio: {
      volatile float ratio = w_scale / act_scale;
      step = static_cast<float>(raw);
      step = step - static_cast<float>(act_sum);
      step = step * ratio;
      return step;
    }
  }
  return NAN;
}

double scaled_bound(Epilogue epilogue, int64_t raw, int64_t act_sum, float act_scale, float w_scale) {
  constexpr double u = 0x1p-24;
  constexpr double denormal_steps = 3 * 0x1p-150;
  constexpr int64_t exact = int64_t{1} << 24;
  const double unit = smallest_unit(act_scale, w_scale);
  const double y = std::fabs(scaled_golden(raw, act_sum, act_scale, w_scale));
  double converted = 0;
  if (epilogue != Epilogue::integer_div_mul) {
    if (std::abs(raw) > exact) converted += std::fabs(static_cast<double>(raw)) * u;
    if (std::abs(act_sum) > exact) converted += std::fabs(static_cast<double>(act_sum)) * u;
  }
  const double grow = (1 + u) * (1 + u) * (1 + u);
  return (converted * unit + y) * grow - y + y * 0x1p-51 + denormal_steps * (1 + std::fabs(double{w_scale}));
}

double smallest_unit(float act_scale, float w_scale) {
  return std::fabs(double{w_scale} / double{act_scale});
}

}  // namespace tritcheck::i2_s
