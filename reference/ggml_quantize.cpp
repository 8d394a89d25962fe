#include "reference/ggml_quantize.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "reference/half.h"

namespace tritcheck::ggml {
namespace {

float inverse(float d) {
  const float id = d == 0 ? 0.0F : 1.0F / d;
  if (!std::isfinite(id)) throw std::domain_error("quantize_row: so small a scale has no inverse in float32");
  return id;
}

// The result is kept in a volatile so that no compiler fuses what is to be rounded twice.
float product_and_sum(float a, float b, float c, Rounding rounding) {
  if (rounding == Rounding::fused) return std::fma(a, b, c);
  const volatile float product = a * b;
  return product + c;
}

uint8_t at_most(int code, int most) {
  return static_cast<uint8_t>(std::clamp(code, 0, most));
}

// d from the signed extreme; codes around an offset.
void centred(std::span<const float> x, int offset, Rounding rounding, Fields& f) {
  float extreme = 0;
  for (const float v : x) {
    if (std::fabs(v) > std::fabs(extreme)) extreme = v;
  }
  const float d = extreme / static_cast<float>(-offset);
  const float id = inverse(d);
  f.d = f16::from_float(d);
  const float half = static_cast<float>(offset) + 0.5F;
  for (const float v : x) {
    f.codes.push_back(at_most(static_cast<int>(product_and_sum(v, id, half, rounding)), 2 * offset - 1));
  }
}

// d and m from the range.
void shifted(std::span<const float> x, int most, Rounding rounding, Fields& f) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const float d = (*high - *low) / static_cast<float>(most);
  const float id = inverse(d);
  f.d = f16::from_float(d);
  f.c = f16::from_float(*low);
  for (const float v : x) {
    const volatile float above = v - *low;
    f.codes.push_back(at_most(static_cast<int>(product_and_sum(above, id, 0.5F, rounding)), most));
  }
}

void signs(std::span<const float> x, Fields& f) {
  float sum = 0;
  for (const float v : x) sum += std::fabs(v);
  f.d = f16::from_float(sum / static_cast<float>(x.size()));
  for (const float v : x) f.codes.push_back(v >= 0 ? 1 : 0);
}

void ternary(std::span<const float> x, int most, Fields& f) {
  float amax = 0;
  for (const float v : x) amax = std::max(amax, std::fabs(v));
  const float id = inverse(amax);
  f.d = f16::from_float(amax);
  for (const float v : x) f.codes.push_back(at_most(static_cast<int>(std::round(v * id)) + 1, most));
}

}  // namespace

bool has_formula(Type type) {
  switch (type) {
    case Type::q4_0:
    case Type::q4_1:
    case Type::q5_0:
    case Type::q5_1:
    case Type::q1_0:
    case Type::q2_0:
    case Type::tq1_0:
    case Type::tq2_0:
      return true;
    default:
      return false;
  }
}

void quantize_row(Type type, Rounding rounding, std::span<const float> x, std::span<uint8_t> row) {
  const blocks::Format& format = ggml::format(type);
  blocks::require_row(format, "quantize_row", x.size(), row.size());
  if (!has_formula(type)) throw std::invalid_argument(std::string(format.name) + ": quantize_row: no formula");
  for (const float v : x) {
    if (!std::isfinite(v)) throw std::domain_error(std::string(format.name) + ": quantize_row: NaN or infinite input");
  }
  for (size_t b = 0; b < x.size() / format.elements; ++b) {
    const auto in = x.subspan(b * format.elements, format.elements);
    Fields f;
    switch (type) {
      case Type::q4_0:
        centred(in, 8, rounding, f);
        break;
      case Type::q5_0:
        centred(in, 16, rounding, f);
        break;
      case Type::q4_1:
        shifted(in, 15, rounding, f);
        break;
      case Type::q5_1:
        shifted(in, 31, rounding, f);
        break;
      case Type::q1_0:
        signs(in, f);
        break;
      default:
        ternary(in, type == Type::q2_0 ? 3 : 2, f);
    }
    pack(type, f, row.subspan(b * format.bytes, format.bytes));
  }
}

}  // namespace tritcheck::ggml
