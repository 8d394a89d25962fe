#include "harness/cases/model_rows.h"

#include <stdexcept>

#include "harness/base/error.h"

namespace tritcheck {

ModelRows::ModelRows(const std::string& path, std::optional<Layout> layout)
    : file_(std::make_shared<GgufFile>(path)), blocks_(file_) {
  if (blocks_.has_i2_s() || !blocks_.any()) {
    i2_s_ = std::make_unique<RealModel>(file_, layout);  // says what is wrong with a file that holds neither
  } else if (layout) {
    throw UserError(kExitUsage, "--layout is for I2_S tensors, and " + path + " has none");
  }
}

std::string ModelRows::why_not(const KernelInfo& k) const {
  if (!k.of_i2_s()) return blocks_.why_not(k);
  return i2_s_ ? "" : "the file has no I2_S tensor";
}

std::optional<Layout> ModelRows::layout() const {
  return i2_s_ ? std::optional(i2_s_->layout()) : std::nullopt;
}

std::vector<Case> ModelRows::cases(const KernelInfo& kernel, Level level, uint64_t seed) const {
  if (!kernel.of_i2_s()) return blocks_.cases(kernel, level, seed);
  return i2_s_ ? i2_s_->cases(kernel.contract, level, seed) : std::vector<Case>();
}

Problem ModelRows::problem(const Case& c) const {
  if (!c.of_i2_s()) return blocks_.problem(c);
  if (!i2_s_) throw std::invalid_argument("this case is for I2_S weights, and the file has none");
  return i2_s_->problem(c);
}

void settle_model(const std::string& hash, VerifyOptions& options) {
  if (hash.empty()) {
    options.model.clear();
  } else if (options.model.empty()) {
    throw UserError(kExitUsage, "this case is on real weights: add --model FILE (SHA-256 begins with " + hash + ")");
  }
}

ModelReport ModelRows::report(const Report& run) const {
  ModelReport out = blocks_.report();
  if (i2_s_) {
    const ModelReport blocks = out;
    out = i2_s_->report();
    out.formats = blocks.formats;
    out.tensors += blocks.tensors;
    out.rows += blocks.rows;
  }
  for (const KernelReport& k : run.kernels) out.cases += k.cases;
  return out;
}

}  // namespace tritcheck
