#include "harness/models/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "harness/base/mapped_file.h"
#include "harness/models/inspect_facts.h"

namespace tritcheck {
namespace {

constexpr size_t kShortText = 60;
constexpr uint64_t kShortArray = 4;

std::string number_text(const gguf::Value& v) {
  if (const auto i = gguf::as_int64(v)) return std::to_string(*i);
  if (const auto f = gguf::as<float>(v)) return fmt::format("{}", *f);
  if (const auto d = gguf::as<double>(v)) return fmt::format("{}", *d);
  return std::to_string(v.bits);
}

std::string value_text(const gguf::Value& v, bool verbose) {
  switch (v.type) {
    case gguf::ValueType::boolean:
      return v.bits != 0 ? "true" : "false";
    case gguf::ValueType::string:
      return '"' + gguf::printable(v.text, verbose ? SIZE_MAX : kShortText) + '"';
    case gguf::ValueType::array:
      break;
    default:
      return number_text(v);
  }
  const uint64_t shown = verbose ? v.count : std::min(v.count, kShortArray);
  std::string out = "[";
  gguf::Elements elements(v);
  for (uint64_t i = 0; i < shown; ++i) {
    if (i > 0) out += ", ";
    out += value_text(*elements.next(), verbose);
  }
  if (shown < v.count) out += fmt::format(", ... {} in all", v.count);
  return out + "]";
}

std::string type_text(const gguf::Value& v) {
  if (v.type != gguf::ValueType::array) return std::string(gguf::name(v.type));
  return fmt::format("{}[{}]", gguf::name(v.element_type), v.count);
}

std::string shape_text(const gguf::Tensor& t) {
  std::vector<int64_t> dims(t.ne.begin(), t.ne.begin() + t.n_dims);
  return dims.empty() ? "scalar" : fmt::format("{}", fmt::join(dims, " x "));
}

using Row = std::vector<std::string>;

// Columns as wide as their widest cell; `right` says which are numbers.
std::string table(const std::vector<Row>& rows, const std::vector<bool>& right) {
  std::vector<size_t> width(right.size());
  for (const Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line = " ";
    for (size_t c = 0; c < row.size(); ++c) {
      line += right[c] ? fmt::format(" {:>{}} ", row[c], width[c]) : fmt::format(" {:<{}} ", row[c], width[c]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string metadata_part(const gguf::File& file, const InspectOptions& options) {
  std::vector<Row> rows;
  for (const gguf::Entry& e : file.metadata) {
    std::string note;
    if (e.key == "general.file_type") note = "   (not used: the forks number file types differently)";
    rows.push_back({gguf::printable(e.key), type_text(e.value), value_text(e.value, options.verbose) + note});
  }
  return "\nmetadata\n" + table(rows, {false, false, false});
}

std::string tensor_part(const gguf::File& file) {
  std::vector<Row> rows = {{"name", "type", "shape", "byte", "size"}};
  for (const gguf::Tensor& t : file.tensors) {
    const std::string type = t.type != nullptr ? t.type_name : fmt::format("{} (id {})", t.type_name, t.type_id);
    rows.push_back({gguf::printable(t.name), type, shape_text(t), std::to_string(t.data_offset),
                    t.nbytes ? std::to_string(*t.nbytes) : fmt::format("<= {}", t.room)});
  }
  return "\ntensors\n" + table(rows, {false, false, false, true, true});
}

std::string dialect_part(const gguf::File& file) {
  std::string out = "\ndialect: " + file.reading.summary + "\n";
  for (const std::string& reason : file.reading.reasons) out += "  " + reason + "\n";
  return out;
}

std::string i2_s_part(const std::vector<I2sFacts>& all) {
  if (all.empty()) return "";
  std::vector<Row> rows = {
      {"i2_s tensor", "K", "rows", "code 0 (-1)", "1 (0)", "2 (+1)", "3", "scale", "possible layouts"}};
  for (const I2sFacts& f : all) {
    std::string scale = fmt::format("{}", f.slice.scale);
    if (f.problem) scale += fmt::format(" ({}!)", *f.problem);
    const std::string code3 = f.codes[3] == 0 ? "0" : fmt::format("{}!", f.codes[3]);
    rows.push_back({f.label, std::to_string(f.slice.shape.k), std::to_string(f.slice.shape.rows),
                    std::to_string(f.codes[0]), std::to_string(f.codes[1]), std::to_string(f.codes[2]), code3, scale,
                    fmt::format("{}", fmt::join(f.layouts, " "))});
  }
  return "\n" + table(rows, {false, true, true, true, true, true, true, true, false}) + "\n" +
         std::string(kLayoutNote) + "\n";
}

}  // namespace

std::string inspect_text(const std::string& path, std::span<const uint8_t> bytes, const InspectOptions& options) {
  const gguf::File file = parse_model(path, bytes);
  const std::vector<I2sFacts> i2_s = i2_s_facts(file);
  std::string out = fmt::format("{}: GGUF version {}, {} bytes, {} metadata entries, {} tensors\n", path, file.version,
                                bytes.size(), file.metadata.size(), file.tensors.size());
  const std::string hash = file_hash(file);
  out += fmt::format("  alignment {}, data from byte {}, sha256 {}\n", file.alignment, file.data_start,
                     hash.empty() ? "not computed: too many bytes follow the last tensor" : hash);
  out += metadata_part(file, options);
  out += tensor_part(file);
  out += dialect_part(file);
  out += i2_s_part(i2_s);
  const std::vector<gguf::Finding> findings = all_findings(file, i2_s);
  out += findings.empty() ? "\nfindings: none\n"
                          : fmt::format("\nfindings: {}\n", findings.size() + file.findings_dropped);
  for (const gguf::Finding& f : findings) out += fmt::format("  {} at byte {}: {}\n", f.field, f.offset, f.text);
  if (file.findings_dropped > 0) out += fmt::format("  ... and {} more\n", file.findings_dropped);
  return out;
}

std::string inspect_text(const std::string& path, const InspectOptions& options) {
  const MappedFile file(path);
  return inspect_text(path, file.bytes(), options);
}

}  // namespace tritcheck
