#include "harness/models/inspect_facts.h"

#include <algorithm>

#include "harness/base/error.h"
#include "kernels/kernel.h"
#include "reference/sha256.h"

namespace tritcheck {

std::vector<I2sFacts> i2_s_facts(const gguf::File& file) {
  std::vector<I2sFacts> out;
  for (const gguf::I2sSlice& slice : gguf::i2_s_slices(file)) {
    I2sFacts facts;
    facts.slice = slice;
    facts.label = gguf::printable(slice.tensor->name);
    const gguf::Tensor& t = *slice.tensor;
    if (t.ne[2] * t.ne[3] > 1 && t.type->sizing == gguf::Sizing::per_slice) {
      facts.label += "[" + std::to_string(slice.index) + "]";
    }
    facts.codes = gguf::code_histogram(slice);
    facts.problem = gguf::scale_problem(slice.scale);
    for (Layout layout : i2_s::kLayouts) {
      if (!i2_s::why_illegal(layout, slice.shape)) facts.layouts.push_back(i2_s::name(layout));
    }
    out.push_back(std::move(facts));
  }
  return out;
}

std::vector<gguf::Finding> all_findings(const gguf::File& file, const std::vector<I2sFacts>& i2_s) {
  std::vector<gguf::Finding> out = file.findings;
  for (const I2sFacts& facts : i2_s) {
    if (facts.codes[3] > 0) {
      out.push_back({"tensor \"" + facts.label + "\" codes", facts.slice.offset,
                     std::to_string(facts.codes[3]) +
                         " weights have code 3, which no packer writes: dot kernels read +2, " + "one dequantiser 0"});
    }
    if (facts.layouts.empty()) {
      out.push_back({"tensor \"" + facts.label + "\" dims", facts.slice.tensor->info_offset,
                     "no known i2_s layout allows K = " + std::to_string(facts.slice.shape.k) + " with " +
                         std::to_string(facts.slice.shape.rows) + " rows"});
    }
  }
  return out;
}

gguf::File parse_model(const std::string& path, std::span<const uint8_t> bytes) {
  try {
    return gguf::parse(bytes);
  } catch (const gguf::Error& error) {
    throw UserError(kExitBadFile, path + ": " + error.what());
  }
}

uint64_t trailing_bytes(const gguf::File& file) {
  uint64_t end = file.data_start;
  for (const gguf::Tensor& t : file.tensors) end = std::max(end, t.data_offset + t.nbytes.value_or(t.room));
  return file.bytes.size() > end ? file.bytes.size() - end : 0;
}

std::string file_hash(const gguf::File& file) {
  constexpr uint64_t kMostTrailing = 1 << 20;
  return trailing_bytes(file) <= kMostTrailing ? sha256_hex(file.bytes) : "";
}

}  // namespace tritcheck
