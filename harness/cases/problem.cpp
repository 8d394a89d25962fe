#include "harness/cases/problem.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "harness/cases/formats.h"
#include "harness/cases/generate.h"
#include "reference/prng.h"

namespace tritcheck {
namespace {

constexpr std::string_view kMemoryParams[] = {"woff",    "qoff", "ooff", "wpad",   "qpad",
                                              "ostride", "m",    "row0", "threads"};

}  // namespace

void check_params(const Case& c, std::span<const Range> known) {
  for (const auto& param : c.params) {
    const std::string& key = param.first;
    const int64_t value = param.second;
    const auto found = std::ranges::find(known, key, &Range::key);
    if (found == known.end()) throw std::invalid_argument("case: no probe has a parameter '" + key + "'");
    if (value < found->low || value > found->high) {
      throw std::invalid_argument("case: " + key + " = " + std::to_string(value) + " is not from " +
                                  std::to_string(found->low) + " to " + std::to_string(found->high));
    }
  }
  if (c.param("pos") >= c.k) throw std::invalid_argument("case: pos is not a column of K = " + std::to_string(c.k));
}

void take_literal(const Case& c, size_t want_w, size_t want_q, Problem& p) {
  if (c.wbytes.size() != want_w || c.qbytes.size() != want_q) {
    throw std::invalid_argument("case: this shape has " + std::to_string(want_w) + " wbytes and " +
                                std::to_string(want_q) + " qbytes, not " + std::to_string(c.wbytes.size()) + " and " +
                                std::to_string(c.qbytes.size()));
  }
  p.x = c.wbytes;
  p.y = c.qbytes;
}

uint64_t data_seed(const Case& c) {
  std::string text = (c.of_i2_s() ? "" : c.format + ":") + c.probe;
  for (const auto& [key, value] : c.params) {
    if (std::ranges::find(kMemoryParams, key) == std::end(kMemoryParams)) {
      text += ":" + key + "=" + std::to_string(value);
    }
  }
  return hash_text(text, c.seed * 0x9E3779B97F4A7C15U);
}

Problem make_problem(const Case& c) {
  const bool has_bytes = !c.wbytes.empty() || !c.qbytes.empty();
  const bool two_sided = c.op != Op::to_float && c.op != Op::from_float;
  if (c.probe == "literal" ? c.wbytes.empty() || c.qbytes.empty() == two_sided : has_bytes) {
    throw std::invalid_argument(two_sided ? "case: wbytes and qbytes belong to probe=literal, which needs both"
                                          : "case: wbytes belong to probe=literal, which needs them and no qbytes");
  }
  if (c.probe == "real") throw std::invalid_argument("a case on real weights needs its file (--model)");
  Problem p;
  p.op = c.op;
  p.format = c.format;
  p.layout = c.layout;
  p.k = c.k;
  p.n = c.n;
  c.of_i2_s() ? generate_i2_s(c, p) : generate_blocks(c, p);
  p.w_pad = c.param("wpad");
  p.q_pad = c.param("qpad");
  p.out_stride = c.param("ostride", c.of_i2_s() ? 1 : 2);
  p.w_offset = static_cast<uint32_t>(c.param("woff"));
  p.q_offset = static_cast<uint32_t>(c.param("qoff"));
  p.out_offset = static_cast<uint32_t>(c.param("ooff"));
  p.threads = static_cast<int32_t>(c.param("threads", 1));
  return p;
}

void require_allowed(const Contract& contract, const Problem& p) {
  const auto aligned = [](const char* what, uint32_t offset, int align) {
    if (offset % static_cast<uint32_t>(align) == 0) return;
    throw std::invalid_argument(std::string(what) + " = " + std::to_string(offset) +
                                " is not a multiple of the contract's alignment, " + std::to_string(align));
  };
  // a case may be replayed on a kernel that was not made for its offsets
  aligned("woff", p.w_offset, contract.align_w);
  aligned("qoff", p.q_offset, contract.align_q);
  aligned("ooff", p.out_offset, contract.align_out);
  // bitnet.cpp's product on several weight rows has no stride between results
  if (contract.float_out && p.op == Op::rows && p.out_stride != 1)
    throw std::invalid_argument("results of weight rows lie next to each other in this library");
}

void bind(const Contract& contract, Problem& p) {
  require_allowed(contract, p);
  p.result = contract.result;
  p.float_out = contract.float_out;
}

Expectation expected(const Problem& p) {
  Expectation out;
  p.of_i2_s() ? expect_i2_s(p, out) : expect_blocks(p, out);
  return out;
}

CallRequest make_request(const Problem& p, uint32_t kernel, bool guarded) {
  CallRequest r;
  r.kernel = kernel;
  r.guarded = guarded;
  r.k = p.k;
  r.nrc = p.n;
  r.w_offset = p.w_offset;
  r.q_offset = p.q_offset;
  r.out_offset = p.out_offset;
  r.threads = p.threads;
  p.of_i2_s() ? lay_out_i2_s(p, r) : lay_out_blocks(p, r);
  return r;
}

std::vector<double> answers(const Problem& p, const std::vector<uint32_t>& words) {
  std::vector<double> out;
  const auto number = [](uint32_t word) { return double{std::bit_cast<float>(word)}; };
  if (p.op == Op::from_float) {
    const auto bytes = static_cast<size_t>(blocks::row_bytes(*format_named(p.format), p.k));
    const auto* from = reinterpret_cast<const uint8_t*>(words.data());
    out.assign(from, from + bytes);
  } else if (p.op == Op::to_float) {
    for (const uint32_t w : words) out.push_back(number(w));
  } else if (p.op == Op::vec_dot) {
    for (int32_t j = 0; j < p.n; ++j) {
      for (int32_t i = 0; i < p.n; ++i) out.push_back(number(words.at(static_cast<size_t>(i + j * p.out_stride))));
    }
  } else {
    for (int32_t i = 0; i < p.n; ++i) {
      const uint32_t word = words.at(static_cast<size_t>(i * p.out_stride));
      out.push_back(p.op == Op::gemv || p.float_out ? number(word) : static_cast<double>(std::bit_cast<int32_t>(word)));
    }
  }
  return out;
}

}  // namespace tritcheck
