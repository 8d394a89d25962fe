// Rows of blocks: the right answers and the bytes of a call.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "harness/cases/formats.h"
#include "harness/cases/generate.h"
#include "harness/cases/grids.h"
#include "harness/cases/plain.h"
#include "reference/ggml_quantize.h"
#include "reference/q8_0.h"
#include "reference/q8_1.h"
#include "reference/q8_k.h"

namespace tritcheck {
namespace {

size_t row_bytes(std::string_view format, int64_t k) {
  return static_cast<size_t>(blocks::row_bytes(*format_named(format), k));
}

// One product: adds it to the answers.
void add_dot(const Problem& p, std::span<const uint8_t> x, std::span<const uint8_t> y, Expectation& out) {
  const ggml::Type type = *weights_named(p.format);
  const ggml::Dot one = ggml::dot(type, x, y);
  const ggml::Dot other = ggml::dot_in_order(type, x, y);
  const auto equal = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  const bool same_terms =
      std::equal(one.terms.begin(), one.terms.end(), other.terms.begin(), other.terms.end(),
                 [&](const ggml::Term& a, const ggml::Term& b) {
                   return a.block == b.block && equal(a.scale, b.scale) && a.sum == b.sum && a.magnitude == b.magnitude;
                 });
  if (!same_terms || !equal(one.magnitude, other.magnitude)) {
    throw std::logic_error("the two oracles of " + p.format + " disagree; this is a bug of tritcheck");
  }
  out.values.push_back(one.total);
  out.bounds.push_back(ggml::bound(one));
  std::vector<double> blocks(x.size() / *block_bytes(p.format));
  for (const ggml::Term& t : one.terms) blocks[t.block] += t.scale * static_cast<double>(t.sum);
  for (const double b : blocks) {
    if (b != 0 && (out.unit == 0 || std::fabs(b) < out.unit)) out.unit = std::fabs(b);
  }
}

// Without minima d * weight is exact in float32, whatever is multiplied first; with them one addition rounds.
void expect_floats(const Problem& p, Expectation& out) {
  const ggml::Type type = *weights_named(p.format);
  const blocks::Format& f = ggml::format(type);
  for (size_t b = 0; b < p.x.size() / f.bytes; ++b) {
    const auto bytes = std::span(p.x).subspan(b * f.bytes, f.bytes);
    const ggml::Block block = ggml::decode(type, bytes);
    const ggml::Block again = ggml::decode_in_order(type, bytes);
    if (block.weight != again.weight || block.minimum != again.minimum) {
      throw std::logic_error("the two readers of " + p.format + " disagree; this is a bug of tritcheck");
    }
    for (size_t e = 0; e < f.elements; ++e) {
      out.words.push_back(out.words.size());
      // beyond what float32 holds is infinite
      const double value = block.value(e);
      const bool fits = std::fabs(value) < 0x1.FFFFFFp127;
      out.values.push_back(fits ? value : std::copysign(std::numeric_limits<double>::infinity(), value));
      const double sum = std::fabs(block.d * block.weight[e]) + std::fabs(block.c * block.minimum[e]);
      out.bounds.push_back(!std::isfinite(sum)     ? std::numeric_limits<double>::infinity()
                           : block.minimum[e] == 0 ? 0.0
                                                   : 0x1p-24 * sum);
    }
  }
}

// Any of the quantisers in circulation, for the whole row.
void expect_quantised(const Problem& p, Expectation& out) {
  std::vector<float> x(static_cast<size_t>(p.k));
  std::memcpy(x.data(), p.x.data(), p.x.size());
  std::vector<uint8_t> row(row_bytes(p.format, p.k));
  out.ignored.assign(row.size(), false);
  const auto acts = acts_named(p.format);
  const auto add = [&] {
    if (std::find(out.rows.begin(), out.rows.end(), row) == out.rows.end()) out.rows.push_back(row);
  };
  if (const auto type = weights_named(p.format); type && ggml::has_formula(*type)) {
    for (const ggml::Rounding r : ggml::kRoundings) {
      ggml::quantize_row(*type, r, x, row);
      add();
    }
  } else if (acts == ggml::Acts::q8_k) {
    q8_k::quantize_row(x, row);
    out.rows.push_back(row);
    // ggml leaves the sums of a block of zeros as they were
    for (size_t at = 0; at < row.size(); at += q8_k::kBytes) {
      if (q8_k::unpack(std::span(row).subspan(at, q8_k::kBytes)).d != 0) continue;
      std::fill(out.ignored.begin() + static_cast<ptrdiff_t>(at + 260),
                out.ignored.begin() + static_cast<ptrdiff_t>(at + q8_k::kBytes), true);
    }
  } else {
    for (const q8_0::Variant v : q8_0::kVariants) {
      if (acts == ggml::Acts::q8_0) q8_0::quantize_row(v, x, row);
      if (acts == ggml::Acts::q8_1) q8_1::quantize_row(v, x, row);
      add();
    }
  }
  for (const uint8_t b : out.rows.front()) out.values.push_back(b);
}

template <class T>
std::vector<T> spread(const std::vector<T>& rows, int32_t n, int64_t pad) {
  if (n == 1 || pad == 0) return rows;
  const size_t one = rows.size() / static_cast<size_t>(n);
  std::vector<T> out;
  for (int32_t i = 0; i < n; ++i) {
    const auto from = rows.begin() + static_cast<ptrdiff_t>(one) * i;
    out.insert(out.end(), from, from + static_cast<ptrdiff_t>(one));
    // what lies between the rows is nobody's
    if (i + 1 < n) out.insert(out.end(), static_cast<size_t>(pad), T{kBetweenRows});
  }
  return out;
}

}  // namespace

void expect_blocks(const Problem& p, Expectation& out) {
  if (grid_named(p.format) != nullptr) throw std::logic_error("no oracle for " + p.format);
  try {
    if (const auto plain = plain_named(p.format)) {
      expect_plain(p, *plain, out);
    } else if (p.op == Op::to_float) {
      expect_floats(p, out);
    } else if (p.op == Op::from_float) {
      expect_quantised(p, out);
    } else {
      const size_t x_row = p.x.size() / static_cast<size_t>(p.n);
      const size_t y_row = p.y.size() / static_cast<size_t>(p.n);
      for (int32_t j = 0; j < p.n; ++j) {
        for (int32_t i = 0; i < p.n; ++i) {
          out.words.push_back(static_cast<size_t>(i + j * p.out_stride));
          add_dot(p, std::span(p.x).subspan(static_cast<size_t>(i) * x_row, x_row),
                  std::span(p.y).subspan(static_cast<size_t>(j) * y_row, y_row), out);
        }
      }
    }
  } catch (const std::domain_error& e) {
    throw std::invalid_argument(e.what());  // nothing is defined for these data: a skip
  }
}

void lay_out_blocks(const Problem& p, CallRequest& r) {
  r.weights = spread(p.x, p.n, p.w_pad);
  const std::vector<uint8_t> y = spread(p.y, p.n, p.q_pad);
  r.activations.resize(y.size());
  if (!y.empty()) std::memcpy(r.activations.data(), y.data(), y.size());
  switch (p.op) {
    case Op::to_float:
      r.out_words = static_cast<uint32_t>(p.k);
      break;
    case Op::from_float:
      r.out_words = static_cast<uint32_t>((row_bytes(p.format, p.k) + 3) / 4);
      break;
    default:
      if (p.n == 1) {
        r.out_words = 1;
        r.w_stride = 0x5A5A5A5A;
        r.q_stride = 0x6B6B6B6B;
        r.out_stride = 0x7C7C7C7C;
      } else {
        r.out_words = static_cast<uint32_t>(p.out_stride + 2);
        r.w_stride = p.x.size() / 2 + static_cast<size_t>(p.w_pad);
        r.q_stride = p.y.size() / 2 + static_cast<size_t>(p.q_pad);
        r.out_stride = static_cast<uint64_t>(p.out_stride);
      }
  }
}

}  // namespace tritcheck
