#include "harness/cases/real.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/base/error.h"
#include "harness/cases/problem.h"
#include "reference/gguf.h"
#include "reference/prng.h"

namespace tritcheck {
namespace {

// Rows of one call of an operation on many rows: enough to be quick, few enough to keep a call small.
constexpr int64_t kRowsPerCall = 256;
constexpr int32_t kActsPerCall = 4;

}  // namespace

struct RealModel::Impl {
  std::shared_ptr<const GgufFile> file;
  std::vector<gguf::I2sSlice> slices;
  ModelReport report;

  const gguf::I2sSlice& find(const Case& c) const {
    for (const gguf::I2sSlice& s : slices) {
      if (s.tensor->name == c.tensor && s.index == c.param("slice")) return s;
    }
    throw std::invalid_argument("the file has no I2_S tensor '" + c.tensor + "'");
  }
};

RealModel::RealModel(std::shared_ptr<const GgufFile> file, std::optional<Layout> layout)
    : impl_(std::make_unique<Impl>()) {
  impl_->file = std::move(file);
  const std::string& path = impl_->file->path();
  try {
    impl_->slices = gguf::i2_s_slices(impl_->file->view());
  } catch (const gguf::Error& e) {
    throw UserError(kExitBadFile, path + ": " + e.what());
  }
  if (impl_->slices.empty()) {
    throw UserError(
        kExitBadFile,
        path +
            ": no tensor that a kernel here takes, neither I2_S nor blocks; `tritcheck inspect` shows what it holds");
  }
  ModelReport& r = impl_->report;
  r.path = path;
  r.hash = impl_->file->hash();
  r.layout = layout.value_or(Layout::x86_128);
  r.layout_given = layout.has_value();
  r.i2_s = true;
  r.tensors = static_cast<int64_t>(impl_->slices.size());
  for (const gguf::I2sSlice& s : impl_->slices) r.rows += s.shape.rows;
}

RealModel::~RealModel() = default;

Layout RealModel::layout() const {
  return impl_->report.layout;
}
ModelReport RealModel::report() const {
  return impl_->report;
}

std::vector<Case> RealModel::cases(const Contract& contract, Level level, uint64_t seed) const {
  std::vector<Case> out;
  for (const gguf::I2sSlice& s : impl_->slices) {
    Case c;
    c.op = contract.op;
    c.layout = contract.layout;
    c.k = s.shape.k;
    c.probe = "real";
    c.seed = seed;
    c.model = impl_->report.hash;
    c.tensor = s.tensor->name;
    if (s.index != 0) c.params["slice"] = s.index;
    const bool many = contract.op == Op::rows || contract.op == Op::gemv;
    const int64_t step = many ? kRowsPerCall : contract.row_multiple;
    for (int64_t row = 0, turn = 0; row < s.shape.rows; row += step, ++turn) {
      c.row = row;
      c.n = contract.op == Op::acts  ? kActsPerCall
            : contract.op == Op::dot ? 1
                                     : static_cast<int32_t>(std::min(step, s.shape.rows - row));
      // one row meets one kind of activations, a call of many rows (and every row, if thorough) meets all three
      for (int64_t act = 0; act < 3; ++act) {
        if (!many && level != Level::thorough && act != turn % 3) continue;
        c.params["act"] = act;
        out.push_back(c);
      }
    }
  }
  return out;
}

Problem RealModel::problem(const Case& c) const {
  if (c.model != impl_->report.hash) {
    throw std::invalid_argument("the case names the file " + c.model + ", this one is " + impl_->report.hash);
  }
  const gguf::I2sSlice& s = impl_->find(c);
  if (auto why = i2_s::why_illegal(c.layout, s.shape)) throw std::invalid_argument(*why);
  I2sProblem p;
  p.op = c.op;
  p.layout = c.layout;
  p.k = s.shape.k;
  p.n = c.n;
  const bool whole = c.op == Op::gemv;
  const int64_t first = whole ? 0 : c.row;
  const int64_t count = whole ? s.shape.rows : c.op == Op::rows ? c.n : 1;
  if (c.k != p.k || c.row + (whole || c.op == Op::rows ? c.n : 1) > s.shape.rows) {
    throw std::invalid_argument(fmt::format("tensor '{}' has {} rows of K = {}", c.tensor, s.shape.rows, s.shape.k));
  }
  if (c.n % i2_s::row_multiple(c.layout) != 0 && (whole || c.op == Op::rows)) {
    throw std::invalid_argument(fmt::format("n = {} is not a multiple of {}", c.n, i2_s::row_multiple(c.layout)));
  }
  if (whole) {
    p.m = s.shape.rows;
    p.row0 = c.row;
    p.w_scale = s.scale;
    p.act_scale = 63.5F;
  }
  p.codes.resize(static_cast<size_t>(count * p.k));
  for (int64_t r = 0; r < count; ++r) {
    i2_s::unpack_row(c.layout, s.shape, s.bytes, first + r, std::span(p.codes).subspan(static_cast<size_t>(r * p.k)));
  }
  p.q.resize(static_cast<size_t>(p.act_rows() * p.k));
  Prng rng(data_seed(c));
  for (int8_t& q : p.q) {
    switch (c.param("act")) {
      case 0:
        q = static_cast<int8_t>(rng.between(-128, 127));
        break;
      case 1:
        q = static_cast<int8_t>(std::max<int64_t>(0, rng.between(-127, 127)));
        break;  // after ReLU squared
      default:
        q = 127;
    }
  }
  p.pack();
  return p;
}

}  // namespace tritcheck
