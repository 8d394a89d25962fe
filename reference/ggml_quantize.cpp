#include "reference/ggml_quantize.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace tritcheck::ggml {

void quantize_row(Type type, Rounding rounding, std::span<const float> x, std::span<uint8_t> row) {
  const blocks::Format& format = ggml::format(type);
  blocks::require_row(format, "quantize_row", x.size(), row.size());
  if (!has_formula(type)) throw std::invalid_argument(std::string(format.name) + ": quantize_row: no formula");
  for (const float v : x) {
    if (!std::isfinite(v)) throw std::domain_error(std::string(format.name) + ": quantize_row: NaN or infinite input");
  }
  for (size_t b = 0; b < x.size() / format.elements; ++b) {
    Fields f;
    traits(type).quantize(x.subspan(b * format.elements, format.elements), rounding, f);
    pack(type, f, row.subspan(b * format.bytes, format.bytes));
  }
}

}  // namespace tritcheck::ggml
