#include "harness/cases/real_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/cases/data.h"
#include "reference/prng.h"
#include "reference/q8_0.h"
#include "reference/q8_1.h"
#include "reference/q8_k.h"

namespace tritcheck {
namespace {

struct Matrix {
  const gguf::Tensor* tensor = nullptr;
  ggml::Type type{};
  int64_t k = 0;
  int64_t rows = 0;
};

// GGUF's tables write q4_k where ggml says q4_K.
std::optional<ggml::Type> type_of(const gguf::Tensor& t) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  for (const ggml::Type type : ggml::kTypes) {
    if (lower(std::string(ggml::format(type).name)) == lower(t.type_name)) return type;
  }
  return std::nullopt;
}

// A row of activations as a quantiser writes it, from numbers as they leave a norm (0), a squared ReLU (1); or the
// largest codes there are (2).
std::vector<uint8_t> activations(ggml::Acts acts, int64_t k, int64_t kind, uint64_t seed) {
  Prng rng(seed);
  std::vector<uint8_t> row;
  const blocks::Format& f = ggml::format(acts);
  if (kind == 2) {
    for (int64_t b = 0; b < k / static_cast<int64_t>(f.elements); ++b)
      append(acts, {1, std::vector<int8_t>(f.elements, 127)}, row);
    return row;
  }
  std::vector<float> x(static_cast<size_t>(k));
  for (float& v : x) {
    double sum = -6;  // of twelve uniform numbers: nearly normal
    for (int i = 0; i < 12; ++i) sum += rng.unit();
    v = static_cast<float>(kind == 0 ? sum : sum > 0 ? sum * sum : 0);
  }
  row.resize(static_cast<size_t>(blocks::row_bytes(f, k)));
  if (acts == ggml::Acts::q8_k) q8_k::quantize_row(x, row);
  if (acts == ggml::Acts::q8_0) q8_0::quantize_row(q8_0::kVariants[0], x, row);
  if (acts == ggml::Acts::q8_1) q8_1::quantize_row(q8_0::kVariants[0], x, row);
  return row;
}

}  // namespace

struct RealBlocks::Impl {
  std::shared_ptr<const GgufFile> file;
  std::vector<Matrix> matrices;
  ModelReport report;
};

RealBlocks::RealBlocks(std::shared_ptr<const GgufFile> file) : impl_(std::make_unique<Impl>()) {
  impl_->file = std::move(file);
  ModelReport& r = impl_->report;
  for (const gguf::Tensor& t : impl_->file->view().tensors) {
    const auto type = type_of(t);
    if (!type || t.ne[0] <= 0 || t.ne[0] % static_cast<int64_t>(ggml::format(*type).elements) != 0) continue;
    impl_->matrices.push_back({&t, *type, t.ne[0], t.elements / t.ne[0]});
    ++r.tensors;
    r.rows += t.elements / t.ne[0];
    const std::string name(ggml::format(*type).name);
    if (std::ranges::find(r.formats, name) == r.formats.end()) r.formats.push_back(name);
  }
  r.path = impl_->file->path();
  if (any()) r.hash = impl_->file->hash();
}

RealBlocks::~RealBlocks() = default;

bool RealBlocks::any() const {
  return !impl_->matrices.empty();
}

bool RealBlocks::has_i2_s() const {
  return std::ranges::any_of(impl_->file->view().tensors, [](const gguf::Tensor& t) { return t.type_name == "i2_s"; });
}

ModelReport RealBlocks::report() const {
  return impl_->report;
}

std::string RealBlocks::why_not(const KernelInfo& f) const {
  if (f.contract.op == Op::from_float) return "a quantiser: the file holds no floats for it";
  const auto same = [&](const std::string& name) { return name == f.format; };
  return std::ranges::any_of(impl_->report.formats, same) ? "" : "the file has no " + f.format + " tensor";
}

std::vector<Case> RealBlocks::cases(const KernelInfo& f, Level level, uint64_t seed) const {
  std::vector<Case> out;
  for (const Matrix& m : impl_->matrices) {
    if (ggml::format(m.type).name != f.format || m.k % f.contract.k_multiple != 0) continue;
    Case c{f.format, f.contract.op, m.k, 1, "real", seed};
    c.model = impl_->report.hash;
    c.tensor = m.tensor->name;
    for (c.row = 0; c.row < m.rows; ++c.row) {
      for (int64_t act = 0; act < (f.contract.op == Op::vec_dot ? 3 : 1); ++act) {
        if (f.contract.op == Op::vec_dot && level != Level::thorough && act != c.row % 3) continue;
        if (f.contract.op == Op::vec_dot) c.params["act"] = act;
        c.n = f.contract.op == Op::vec_dot && f.nrows > 1 && c.row + 1 < m.rows && c.row % 4 == 0 ? 2 : 1;
        out.push_back(c);
      }
    }
  }
  return out;
}

Problem RealBlocks::problem(const Case& c) const {
  if (c.model != impl_->report.hash) {
    throw std::invalid_argument("the case names the file " + c.model + ", this one is " + impl_->report.hash);
  }
  const auto found = std::ranges::find_if(impl_->matrices, [&](const Matrix& m) { return m.tensor->name == c.tensor; });
  if (found == impl_->matrices.end() || ggml::format(found->type).name != c.format) {
    throw std::invalid_argument("the file has no " + c.format + " tensor '" + c.tensor + "'");
  }
  const Matrix& m = *found;
  if (c.k != m.k || c.row + c.n > m.rows) {
    throw std::invalid_argument(fmt::format("tensor '{}' has {} rows of K = {}", c.tensor, m.rows, m.k));
  }
  if (c.op == Op::from_float || (c.op != Op::vec_dot && c.n != 1)) {
    throw std::invalid_argument("a case on real blocks is for vec_dot, or for to_float on one row");
  }
  Problem p;
  p.op = c.op;
  p.format = c.format;
  p.k = c.k;
  p.n = c.n;
  p.out_stride = 2;
  const auto bytes = static_cast<size_t>(blocks::row_bytes(ggml::format(m.type), m.k));
  const auto rows =
      impl_->file->view().data(*m.tensor).subspan(static_cast<size_t>(c.row) * bytes, static_cast<size_t>(c.n) * bytes);
  p.x.assign(rows.begin(), rows.end());
  if (c.op != Op::vec_dot) return p;
  const ggml::Acts acts = ggml::acts_of(m.type);
  p.acts = ggml::format(acts).name;
  for (int32_t i = 0; i < c.n; ++i) {
    const std::vector<uint8_t> y =
        activations(acts, m.k, c.param("act"), hash_text(c.tensor, data_seed(c)) + static_cast<uint64_t>(c.row + i));
    p.y.insert(p.y.end(), y.begin(), y.end());
  }
  return p;
}

}  // namespace tritcheck
