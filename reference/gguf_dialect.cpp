// Which program's numbering of tensor types a file follows, decided from its sizes.
#include <algorithm>
#include <set>

#include "reference/gguf_detail.h"

namespace tritcheck::gguf {
namespace {

struct Fit {
  Dialect dialect = Dialect::mainline;
  std::set<uint32_t> unknown;  // disputed ids in the file that this dialect does not know
  size_t tensors = 0;          // disputed tensors
  size_t exact = 0;            // whose padded size ends at the next tensor
  std::string problem;         // why the reading is impossible
  const Tensor* culprit = nullptr;

  bool possible() const { return problem.empty(); }
};

Fit fit_of(const File& file, Dialect dialect) {
  Fit fit;
  fit.dialect = dialect;
  for (const Tensor& t : file.tensors) {
    if (!disputed(t.type_id)) continue;
    ++fit.tensors;
    const TypeTraits* type = type_traits(dialect, t.type_id);
    if (type == nullptr) {
      fit.unknown.insert(t.type_id);
      continue;
    }
    if (!fit.possible()) continue;
    const TensorBytes size = tensor_bytes(*type, t.ne);
    if (!size.bytes || *size.bytes > t.room) {
      fit.culprit = &t;
      fit.problem =
          "as " + std::string(type->name) + " " +
          (size.bytes ? "it needs " + std::to_string(*size.bytes) +
                            " bytes, but the next tensor or the end of the file leaves " + std::to_string(t.room)
                      : size.problem);
      continue;
    }
    const auto full = padded(*size.bytes, file.alignment);
    const bool at_end = t.data_offset + t.room == file.bytes.size();
    if (full == t.room || (at_end && *size.bytes == t.room)) ++fit.exact;
  }
  return fit;
}

std::string joined(const std::vector<std::string>& parts, const char* last_separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    out += i == 0 ? "" : i + 1 == parts.size() ? last_separator : ", ";
    out += parts[i];
  }
  return out;
}

std::string reason(const Fit& fit) {
  const std::string who = std::string(name(fit.dialect)) + " (" + std::string(describe(fit.dialect)) + "): ";
  if (!fit.unknown.empty()) {
    std::vector<std::string> ids;
    for (uint32_t id : fit.unknown) {
      if (ids.size() == 8) {
        ids.push_back("...");
        break;
      }
      ids.push_back(std::to_string(id));
    }
    return who + "does not know type id " + joined(ids, " and ");
  }
  if (!fit.possible()) return who + "impossible: tensor \"" + printable(fit.culprit->name) + "\": " + fit.problem;
  return who + std::to_string(fit.exact) + " of " + std::to_string(fit.tensors) +
         " tensors end exactly where the next begins";
}

[[noreturn]] void refuse(const std::vector<Fit>& fits) {
  std::vector<std::string> problems;
  for (const Fit& fit : fits) {
    if (std::find(problems.begin(), problems.end(), fit.problem) == problems.end()) problems.push_back(fit.problem);
  }
  const Tensor& t = *fits[0].culprit;
  throw Error(tensor_field(t, "data"), t.data_offset,
              "type id " + std::to_string(t.type_id) + " fits no known reading: " + joined(problems, "; "));
}

// The dialects that explain the file best: they know the most of its ids, and among those the sizes decide.
std::vector<Fit> best_fits(const std::vector<Fit>& all) {
  size_t fewest = SIZE_MAX;
  for (const Fit& fit : all) fewest = std::min(fewest, fit.unknown.size());
  std::vector<Fit> best;
  std::copy_if(all.begin(), all.end(), std::back_inserter(best),
               [&](const Fit& f) { return f.unknown.size() == fewest; });
  if (std::none_of(best.begin(), best.end(), [](const Fit& f) { return f.possible(); })) refuse(best);
  std::erase_if(best, [](const Fit& f) { return !f.possible(); });
  const auto exact = [](const Fit& f) { return f.exact + f.unknown.size() == f.tensors; };
  if (std::any_of(best.begin(), best.end(), exact)) std::erase_if(best, [&](const Fit& f) { return !exact(f); });
  return best;
}

// Type, name and size of one tensor as these dialects read it; false if they disagree.
bool resolve(Tensor& t, const std::vector<Dialect>& dialects) {
  std::set<std::string_view> names;
  std::set<uint64_t> sizes;
  for (Dialect d : dialects) {
    const TypeTraits* type = type_traits(d, t.type_id);
    if (type == nullptr) continue;
    const TensorBytes size = tensor_bytes(*type, t.ne);
    if (!size.bytes) throw Error(tensor_field(t, "dims"), t.info_offset, std::string(type->name) + ": " + size.problem);
    names.insert(type->name);
    sizes.insert(*size.bytes);
    t.type = type;
  }
  t.type_name = names.empty() ? "unknown" : joined({names.begin(), names.end()}, " or ");
  if (sizes.size() == 1) t.nbytes = *sizes.begin();
  if (names.size() <= 1 && sizes.size() <= 1) return true;
  t.type = nullptr;
  return false;
}

}  // namespace

void resolve_types(File& file) {
  Reading& reading = file.reading;
  const bool any =
      std::any_of(file.tensors.begin(), file.tensors.end(), [](const Tensor& t) { return disputed(t.type_id); });
  std::vector<std::string> names;
  if (any) {
    std::vector<Fit> all;
    for (Dialect d : kDialects) all.push_back(fit_of(file, d));
    for (const Fit& fit : all) reading.reasons.push_back(reason(fit));
    for (const Fit& fit : best_fits(all)) {
      reading.dialects.push_back(fit.dialect);
      names.emplace_back(name(fit.dialect));
    }
  } else {
    reading.dialects.assign(std::begin(kDialects), std::end(kDialects));
  }

  for (Tensor& t : file.tensors) {
    if (!resolve(t, reading.dialects)) {
      reading.ambiguous = true;
      add_finding(file, tensor_field(t, "type"), t.info_offset,
                  "ambiguous: type id " + std::to_string(t.type_id) + " may be " + t.type_name + " of different form");
    } else if (t.type == nullptr) {
      add_finding(file, tensor_field(t, "type"), t.info_offset,
                  "unknown type id " + std::to_string(t.type_id) + ": its size is not known, at most " +
                      std::to_string(t.room) + " bytes");
      // no format stores less than a bit per weight
      if (static_cast<uint64_t>(t.elements) / 8 > t.room) {
        throw Error(
            tensor_field(t, "dims"), t.info_offset,
            std::to_string(t.elements) + " elements in " + std::to_string(t.room) + " bytes, less than a bit each");
      }
    }
  }

  const std::string who = joined(names, " or ");
  if (!any) {
    reading.summary = "any: no type id in this file is disputed";
  } else if (reading.ambiguous) {
    reading.summary = "ambiguous: " + who + ", and they read it differently";
  } else if (names.size() > 1) {
    reading.summary = who + ": they read this file alike";
  } else {
    reading.summary = who + ": the only one that explains the type ids and sizes";
  }
}

}  // namespace tritcheck::gguf
