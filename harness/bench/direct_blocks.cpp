#include "harness/bench/direct_blocks.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "reference/half.h"
#include "reference/q8_k.h"

namespace tritcheck::direct {
namespace {

constexpr float kCanary = -12345.678F;

// An array of exactly that size whose start is aligned to `align` and to nothing more.
class Exact {
 public:
  Exact(const std::vector<uint8_t>& bytes, size_t align) : owner_(new uint8_t[bytes.size() + align]), align_(align) {
    std::memcpy(data(), bytes.data(), bytes.size());
  }
  uint8_t* data() const { return owner_.get() + align_; }

 private:
  std::unique_ptr<uint8_t[]> owner_;
  size_t align_;
};

std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

int64_t Rows::k() const {
  return static_cast<int64_t>(y.size() / q8_k::kBytes * q8_k::kBlock);
}

ggml::Type ternary_type(std::string_view format) {
  for (const ggml::Type type : {ggml::Type::tq1_0, ggml::Type::tq2_0}) {
    if (ggml::format(type).name == format) return type;
  }
  throw std::invalid_argument(std::string(format) + " is neither tq1_0 nor tq2_0");
}

Rows random_rows(ggml::Type type, int64_t blocks, int q_min, Prng& rng) {
  Rows rows{type, {}, {}};
  const size_t bytes = ggml::format(type).bytes;
  for (int64_t b = 0; b < blocks; ++b) {
    for (size_t i = 0; i < bytes - 2; ++i) rows.x.push_back(static_cast<uint8_t>(rng.below(256)));
    const uint16_t d =
        f16::from_float(std::ldexp(static_cast<float>(2 * rng.unit() - 1), -static_cast<int>(rng.below(12))));
    rows.x.push_back(static_cast<uint8_t>(d & 0xFF));
    rows.x.push_back(static_cast<uint8_t>(d >> 8));
    q8_k::Block act;
    act.d = static_cast<float>(2 * rng.unit() - 1);
    for (int8_t& q : act.q) q = static_cast<int8_t>(rng.between(q_min, 127));
    act.bsums = q8_k::sums_of(act.q);
    rows.y.resize(rows.y.size() + q8_k::kBytes);
    q8_k::pack(act, std::span(rows.y).last(q8_k::kBytes));
  }
  return rows;
}

ggml::Dot expected(const Rows& rows) {
  ggml::Dot one = ggml::dot(rows.type, rows.x, rows.y);
  const ggml::Dot other = ggml::dot_in_order(rows.type, rows.x, rows.y);
  if (!same(one.total, other.total) || !same(one.magnitude, other.magnitude)) {
    throw std::logic_error("the two oracles disagree");
  }
  return one;
}

std::optional<std::string> check(std::string_view name, tritcheck_vec_dot_fn* function, const Rows& rows) {
  return check(name, function, rows, expected(rows));
}

std::optional<std::string> check(std::string_view name, tritcheck_vec_dot_fn* function, const Rows& rows,
                                 const ggml::Dot& right) {
  // new gives addresses that are multiples of 16
  const Exact x(rows.x, 2);
  const Exact y(rows.y, 4);
  float out[3] = {kCanary, kCanary, kCanary};
  function(static_cast<int>(rows.k()), out + 1, 77, x.data(), 77, y.data(), 77, 1);
  const std::string where = std::string(name) + ": K = " + std::to_string(rows.k()) + ", ";
  if (out[0] != kCanary || out[2] != kCanary) return where + "writes beside its result";
  const double bound = ggml::bound(right);
  const double got = out[1];
  const bool fits = std::isfinite(right.total) ? std::fabs(got - right.total) <= bound : !std::isfinite(got);
  if (fits || (std::isinf(bound) && std::isfinite(right.total))) return std::nullopt;
  return where + "is " + number(got) + ", should be " + number(right.total) + " within " + number(bound);
}

}  // namespace tritcheck::direct
