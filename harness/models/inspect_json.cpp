#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/mapped_file.h"
#include "harness/models/inspect.h"
#include "harness/models/inspect_facts.h"

namespace tritcheck {
namespace {

// keeps the order of insertion: the report reads from the general to the particular
using Json = nlohmann::ordered_json;

constexpr uint64_t kShortArray = 4;

Json value_json(const gguf::Value& v, bool verbose) {
  switch (v.type) {
    case gguf::ValueType::boolean:
      return v.bits != 0;
    case gguf::ValueType::string:
      return std::string(v.text);
    case gguf::ValueType::f32:
      return *gguf::as<float>(v);
    case gguf::ValueType::f64:
      return *gguf::as<double>(v);
    case gguf::ValueType::u64:
      return v.bits;
    case gguf::ValueType::array:
      break;
    default:
      return *gguf::as_int64(v);
  }
  Json out = Json::array();
  gguf::Elements elements(v);
  for (uint64_t i = 0; i < v.count && (verbose || i < kShortArray); ++i)
    out.push_back(value_json(*elements.next(), verbose));
  return out;
}

Json entry_json(const gguf::Entry& e, bool verbose) {
  Json out = {{"key", std::string(e.key)}, {"type", gguf::name(e.value.type)}};
  if (e.value.type == gguf::ValueType::array) {
    out["element_type"] = gguf::name(e.value.element_type);
    out["count"] = e.value.count;
  }
  out["value"] = value_json(e.value, verbose);
  return out;
}

Json tensor_json(const gguf::Tensor& t) {
  Json out = {{"name", std::string(t.name)}, {"type", t.type_name}, {"type_id", t.type_id}};
  out["dims"] = std::vector<int64_t>(t.ne.begin(), t.ne.begin() + t.n_dims);
  out["offset"] = t.offset;
  out["data_offset"] = t.data_offset;
  out["nbytes"] = t.nbytes ? Json(*t.nbytes) : Json(nullptr);
  return out;
}

Json i2_s_json(const I2sFacts& f) {
  Json out = {{"tensor", std::string(f.slice.tensor->name)}, {"slice", f.slice.index}};
  out["k"] = f.slice.shape.k;
  out["rows"] = f.slice.shape.rows;
  out["codes"] = f.codes;
  out["scale"] = f.slice.scale;
  out["scale_problem"] = f.problem ? Json(*f.problem) : Json(nullptr);
  out["possible_layouts"] = f.layouts;
  return out;
}

}  // namespace

std::string inspect_json(const std::string& path, std::span<const uint8_t> bytes, const InspectOptions& options) {
  const gguf::File file = parse_model(path, bytes);
  const std::vector<I2sFacts> i2_s = i2_s_facts(file);
  Json out = {{"schema", 1}, {"path", path}, {"bytes", bytes.size()}, {"sha256", file_hash(file)}};
  out["container"] = {{"version", file.version}, {"alignment", file.alignment}, {"data_start", file.data_start}};
  out["metadata"] = Json::array();
  for (const gguf::Entry& e : file.metadata) out["metadata"].push_back(entry_json(e, options.verbose));
  out["tensors"] = Json::array();
  for (const gguf::Tensor& t : file.tensors) out["tensors"].push_back(tensor_json(t));
  Json dialects = Json::array();
  for (gguf::Dialect d : file.reading.dialects) dialects.push_back(gguf::name(d));
  out["dialect"] = {{"candidates", dialects},
                    {"ambiguous", file.reading.ambiguous},
                    {"summary", file.reading.summary},
                    {"reasons", file.reading.reasons}};
  out["i2_s"] = {{"layout", nullptr}, {"layout_note", kLayoutNote}, {"tensors", Json::array()}};
  for (const I2sFacts& f : i2_s) out["i2_s"]["tensors"].push_back(i2_s_json(f));
  out["findings"] = Json::array();
  for (const gguf::Finding& f : all_findings(file, i2_s)) {
    out["findings"].push_back({{"field", f.field}, {"byte", f.offset}, {"text", f.text}});
  }
  out["findings_dropped"] = file.findings_dropped;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string inspect_json(const std::string& path, const InspectOptions& options) {
  const MappedFile file(path);
  return inspect_json(path, file.bytes(), options);
}

}  // namespace tritcheck
