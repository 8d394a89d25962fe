// The names people give CPU features: of compilers' options and macros, /proc/cpuinfo, ggml.
#include <algorithm>

#include "kernels/cpu_features.h"

namespace tritcheck {
namespace {

// Takes the next word off the text; empty at its end.
std::string_view next_word(std::string_view& text, std::string_view separators) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(separators)));
  const std::string_view word = text.substr(0, text.find_first_of(separators));
  text.remove_prefix(word.size());
  return word;
}

// What is left of a word where capitals, '_', '-' and '.' make no difference.
std::string folded(std::string_view word) {
  if (word.starts_with("-m")) word.remove_prefix(2);
  std::string out;
  for (const char c : word) {
    if (c == '_' || c == '-' || c == '.') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const std::string_view prefix : {"armfeature", "feat"}) {
    if (out.starts_with(prefix)) return out.substr(prefix.size());
  }
  return out;
}

bool is_named(const CpuFeature& feature, const std::string& key) {
  if (folded(feature.name) == key) return true;
  std::string_view rest = feature.spellings;
  for (std::string_view word; !(word = next_word(rest, " ")).empty();) {
    if (folded(word) == key) return true;
  }
  return false;
}

}  // namespace

const CpuFeature* cpu_feature_of(std::string_view word) {
  const std::string key = folded(word);
  for (const CpuFeature& feature : kCpuFeatures) {
    if (is_named(feature, key)) return &feature;
  }
  return nullptr;
}

std::string why_not(std::string_view needs, const Features& features) {
  std::string unknown;
  for (std::string_view word; !(word = next_word(needs, " \t\n,+")).empty();) {
    const CpuFeature* feature = cpu_feature_of(word);
    if (feature != nullptr && !(features.*feature->present)) return "cpu lacks " + std::string(word);
    if (feature != nullptr || !unknown.empty()) continue;
    unknown = "it needs '" + std::string(word) + "', a CPU feature that is not known here; known are";
    for (const CpuFeature& f : kCpuFeatures) {
      if (f.arch == kThisArch) unknown.append(" ").append(f.name);
    }
  }
  return unknown;
}

}  // namespace tritcheck
