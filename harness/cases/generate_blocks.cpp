// From a case to the data of its problem: rows of blocks.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "harness/cases/formats.h"
#include "harness/cases/generate.h"
#include "harness/cases/grids.h"
#include "harness/cases/plain.h"
#include "harness/cases/rows.h"
#include "reference/ggml_quantize.h"
#include "reference/prng.h"
#include "reference/q8_k.h"

namespace tritcheck {
namespace {

constexpr Range kParams[] = {{"act", 0, 2},       {"code", 0, 256},  {"high", 0, 1},     {"i", 0, 4095},
                             {"kind", 0, 15},     {"ooff", 0, 4092}, {"ostride", 2, 64}, {"period", 0, 4096},
                             {"pos", 0, 1 << 20}, {"q", -128, 127},  {"sub", 0, 1},      {"value", 0, 255},
                             {"way", 0, 3},       {"threads", 1, 8}, {"woff", 0, 4092},  {"wpad", 0, 4096},
                             {"qoff", 0, 4092},   {"qpad", 0, 4096}};

// The number of steps between zero and the largest magnitude.
int largest_code(const std::string& format) {
  if (format == "q4_0") return 8;
  if (format == "q4_1") return 15;
  if (format == "q5_0") return 16;
  if (format == "q5_1") return 31;
  return format.starts_with("q8_") ? 127 : 1;
}

// Floats for a quantiser, block by block.
std::vector<float> floats(const Case& c, size_t block) {
  const int most = largest_code(c.format);
  const Probe probe = probe_of(c);
  Prng r(data_seed(c));
  std::vector<float> x(static_cast<size_t>(c.k));
  const int64_t kind = c.param("kind");
  for (size_t b = 0; b * block < x.size(); ++b) {
    const auto n = static_cast<int>(b);
    for (size_t e = 0; e < block && b * block + e < x.size(); ++e) {
      float& v = x[b * block + e];
      const auto j = static_cast<int>(e);
      switch (probe) {
        case Probe::tie:
          // the largest is a power of two times the largest code, so that x / d is exact, and all others lie halfway
          v = std::ldexp(static_cast<float>(j % most) + 0.5F, n % 7 - 3 + static_cast<int>(kind)) *
              (j % 2 != 0 ? -1.0F : 1.0F);
          if (j % most == most - 1 && most > 1) v = std::ldexp(0.5F, n % 7 - 3 + static_cast<int>(kind));
          if (e == block / 2)
            v = std::ldexp(static_cast<float>(kind % 2 == 0 ? most : -most), n % 7 - 3 + static_cast<int>(kind));
          break;
        case Probe::special:
          switch (kind) {
            case 0:
              v = 0;
              break;
            case 1:
              v = -0.0F;
              break;
            case 2:  // a single value, elsewhere in every block
              v = e == (5 * b + 3) % block ? (n % 2 == 0 ? 3.0F : -3.0F) : 0;
              break;
            case 3:
              v = 2.5F;
              break;
            case 4:
              v = static_cast<float>(std::ldexp(r.unit() - 0.5, -90));
              break;
            case 5:
              v = static_cast<float>((r.unit() - 0.5) * 60000);
              break;
            default:
              v = n % 2 == 0 ? 0 : static_cast<float>(r.unit() - 0.5);
          }
          break;
        case Probe::smooth:
          v = std::sin(0.37F * static_cast<float>(j + n));
          break;
        default:
          v = static_cast<float>(std::ldexp(2 * r.unit() - 1, n % 16 - 8));
      }
    }
  }
  return x;
}

void require(bool right, const std::string& what) {
  if (!right) throw std::invalid_argument("case: " + what);
}

// The bytes that the case itself holds.
void literal(const Case& c, Problem& p) {
  const auto bytes_of = [&](const std::string& format) {
    return static_cast<size_t>(c.n * blocks::row_bytes(*format_named(format), c.k));
  };
  take_literal(c, c.op == Op::from_float ? static_cast<size_t>(c.k) * sizeof(float) : bytes_of(c.format),
               p.acts.empty() ? 0 : bytes_of(p.acts), p);
  try {
    expected(p);
  } catch (const std::logic_error& e) {
    // sums of activations that are not those of their codes: what is right depends on who adds
    require(dynamic_cast<const std::invalid_argument*>(&e) != nullptr, "these bytes are no legal blocks");
    throw;
  }
}

}  // namespace

std::string probe_names() {
  std::string out;
  for (const std::string_view p : probe_list()) out += (out.empty() ? "" : ", ") + std::string(p);
  return out;
}

void generate_blocks(const Case& c, Problem& p) {
  check_params(c, kParams);
  const blocks::Format* f = format_named(c.format);
  require(f != nullptr, "no oracle for the format '" + c.format + "'");
  const auto type = weights_named(c.format);
  const auto plain = plain_named(c.format);
  auto multiple = static_cast<int64_t>(f->elements);
  if (c.op == Op::vec_dot) p.acts = acts_beside(c.format);
  if (const auto* acts = format_named(p.acts)) multiple = std::max(multiple, static_cast<int64_t>(acts->elements));
  require(c.k % multiple == 0, "K = " + std::to_string(c.k) + " is not a multiple of " + std::to_string(multiple));
  require(c.n == 1 || c.op == Op::vec_dot, "n = 2 is for vec_dot");
  const auto aligned = [](const char* key, int64_t value, int align) {
    require(value % align == 0, std::string(key) + " is not a multiple of " + std::to_string(align));
  };
  const int x_align = c.op == Op::from_float ? 4 : alignment(c.format);
  aligned("woff", c.param("woff"), x_align);
  aligned("wpad", c.param("wpad"), x_align);
  aligned("ooff", c.param("ooff"), 4);
  if (c.op == Op::from_float) {
    require(plain || acts_named(c.format).has_value() || (type && ggml::has_formula(*type)),
            "no oracle for " + c.format + " as a quantiser");
    if (c.probe == "literal") return literal(c, p);
    const std::vector<float> x = floats(c, std::max<size_t>(f->elements, plain ? 32 : 1));
    p.x.resize(x.size() * sizeof(float));
    std::memcpy(p.x.data(), x.data(), p.x.size());
    return;
  }
  if (c.op == Op::vec_dot) {
    aligned("qoff", c.param("qoff"), alignment(p.acts));
    aligned("qpad", c.param("qpad"), alignment(p.acts));
  }
  if (c.probe == "literal") return literal(c, p);
  // the rows one by one, whatever knows how to make them
  const auto fill = [&](auto weights, auto activations) {
    const auto append = [&](std::vector<uint8_t>& to, auto row) {
      for (int32_t i = 0; i < c.n; ++i) {
        const std::vector<uint8_t> bytes = row(i);
        to.insert(to.end(), bytes.begin(), bytes.end());
      }
    };
    append(p.x, weights);
    if (c.op == Op::vec_dot) append(p.y, activations);
  };
  if (plain) {
    fill([&](int32_t i) { return c.op == Op::to_float ? plain_values(c, *plain) : plain_row(c, *plain, 0, i); },
         [&](int32_t i) { return plain_row(c, *plain, 1, i); });
  } else if (grid_named(c.format) != nullptr) {
    const GridRows rows(c);
    fill([&](int32_t i) { return rows.weights(i); }, [&](int32_t i) { return rows.activations(i); });
  } else {
    require(type.has_value(), "no oracle for weights in the format '" + c.format + "'");
    const Rows rows(c);
    fill([&](int32_t i) { return rows.weights(*type, i); },
         [&](int32_t i) { return rows.activations(ggml::acts_of(*type), i); });
  }
}

Problem smoke_problem(const KernelInfo& function) {
  Case c;
  c.format = function.format;
  c.op = Op::vec_dot;
  c.k = function.contract.k_multiple;
  c.probe = "onehot";
  return make_problem(c);
}

}  // namespace tritcheck
