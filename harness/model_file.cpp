#include "harness/model_file.h"

#include "harness/base/error.h"

namespace tritcheck {

ModelFile::ModelFile(const std::string& path, std::optional<Layout> layout)
    : file_(std::make_shared<GgufFile>(path)), blocks_(file_) {
  if (blocks_.has_i2_s() || !blocks_.any()) {
    i2_s_ = std::make_unique<RealModel>(file_, layout);  // says what is wrong with a file that holds neither
  } else if (layout) {
    throw UserError(kExitUsage, "--layout is for I2_S tensors, and " + path + " has none");
  }
}

std::string ModelFile::why_not(const KernelInfo& k) const {
  if (k.role != Role::kernel) return blocks_.why_not(k);
  return i2_s_ ? "" : "the file has no I2_S tensor";
}

ModelReport ModelFile::report(const Report& run) const {
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
