#include "harness/cases/plain.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "harness/cases/problem.h"
#include "reference/half.h"
#include "reference/prng.h"

namespace tritcheck {
namespace {

constexpr double kLargestSum = 2048;  // of magnitudes: fp16 holds all whole numbers up to it

void append(Plain plain, float v, std::vector<uint8_t>& row) {
  const auto put = [&row](auto bits) {
    const auto* from = reinterpret_cast<const uint8_t*>(&bits);
    row.insert(row.end(), from, from + sizeof bits);
  };
  if (plain == Plain::f32) {
    put(std::bit_cast<uint32_t>(v));
  } else {
    put(plain == Plain::f16 ? f16::from_float(v) : bf16::from_float(v));
  }
}

float load(Plain plain, const uint8_t* at) {
  if (plain == Plain::f32) {
    float v = 0;
    std::memcpy(&v, at, sizeof v);
    return v;
  }
  uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return plain == Plain::f16 ? f16::to_float(bits) : bf16::to_float(bits);
}

}  // namespace

std::optional<Plain> plain_named(std::string_view name) {
  if (name == "f32") return Plain::f32;
  if (name == "f16") return Plain::f16;
  if (name == "bf16") return Plain::bf16;
  return std::nullopt;
}

size_t bytes_of(Plain plain) {
  return plain == Plain::f32 ? 4 : 2;
}

std::vector<uint8_t> plain_row(const Case& c, Plain plain, int which, int64_t row) {
  Prng r(data_seed(c) + static_cast<uint64_t>(2 * row + which) * 0xD1342543DE82EF95U);
  // x up to 3, y up to `most`, and only so many of y that the bound holds for any K
  const auto k = static_cast<double>(c.k);
  const double share = std::min(1.0, kLargestSum / 6 / k);
  std::vector<uint8_t> out;
  double left = kLargestSum;
  for (int64_t j = 0; j < c.k; ++j) {
    auto v = static_cast<double>(r.between(1, which == 0 ? 3 : 2)) * (r.below(2) != 0 ? 1 : -1);
    if (which == 1) {
      if (c.probe == "onehot" ? j != (c.param("pos") + 41 * row) % c.k : r.unit() > share || 3 * std::fabs(v) > left)
        v = 0;
      if (c.probe == "onehot" && v != 0) v = 1;
      left -= 3 * std::fabs(v);
    }
    append(plain, static_cast<float>(v), out);
  }
  return out;
}

std::vector<uint8_t> plain_values(const Case& c, Plain plain) {
  std::vector<uint8_t> out;
  for (int64_t j = 0; j < c.k; ++j) {
    const auto bits = static_cast<uint32_t>((c.param("value") << 8) + j) & 0xFFFFU;
    if (plain == Plain::f32) {
      append(plain, std::bit_cast<float>(bits << 16 | bits), out);
    } else {
      out.push_back(static_cast<uint8_t>(bits));
      out.push_back(static_cast<uint8_t>(bits >> 8));
    }
  }
  return out;
}

void expect_plain(const Problem& p, Plain plain, Expectation& out) {
  const size_t width = bytes_of(plain);
  const auto k = static_cast<size_t>(p.k);
  if (p.op == Op::to_float) {
    for (size_t j = 0; j < k; ++j) {
      out.words.push_back(j);
      out.values.push_back(load(plain, p.x.data() + j * width));
      out.bounds.push_back(0);
    }
  } else if (p.op == Op::from_float) {
    std::vector<uint8_t> row;
    for (size_t j = 0; j < k; ++j) {
      float v = 0;
      std::memcpy(&v, p.x.data() + j * sizeof v, sizeof v);
      append(plain, v, row);
    }
    out.ignored.assign(row.size(), false);
    for (const uint8_t b : row) out.values.push_back(b);
    out.rows.push_back(std::move(row));
  } else {
    for (int32_t j = 0; j < p.n; ++j) {
      for (int32_t i = 0; i < p.n; ++i) {
        double sum = 0;
        for (size_t e = 0; e < k; ++e) {
          const double product = double{load(plain, p.x.data() + (static_cast<size_t>(i) * k + e) * width)} *
                                 double{load(plain, p.y.data() + (static_cast<size_t>(j) * k + e) * width)};
          sum += product;
          if (product != 0 && (out.unit == 0 || std::fabs(product) < out.unit)) out.unit = std::fabs(product);
        }
        out.words.push_back(static_cast<size_t>(i + j * p.out_stride));
        out.values.push_back(sum);
        out.bounds.push_back(0);
      }
    }
  }
}

}  // namespace tritcheck
