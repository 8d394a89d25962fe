// The contract of an unknown I2_S product, ggml_vec_dot_i2_i8_s of bitnet.cpp and its forks: found by asking it, since
// neither the name nor the version says it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/protocol/executor.h"

namespace tritcheck {

/// What nrc > 1 was seen to mean.
enum class NrcMeaning : uint8_t {
  weight_rows,      ///< s[i] = w_i * y_0
  activation_rows,  ///< s[i * bs] = w_0 * y_i
  ignored,          ///< only s[0] is written
  unwritten,        ///< nothing is
  other,            ///< none of these reproduces the answers
};
std::string_view words(NrcMeaning meaning);

struct I2sContract {
  std::optional<Layout> layout;  ///< nothing: no known layout reproduces the answers, or nothing is written
  Result result = Result::raw;   ///< raw or centred
  bool written = true;           ///< false: the output was left as it was
  std::vector<std::pair<int, NrcMeaning>> nrc;  ///< for nrc 2, 3, 4, 8
  /// "layout x86_128, raw; nrc = 2, 3: weight rows, 4, 8: activation rows"
  std::string text() const;

  struct Part {
    std::string suffix;  ///< "", " (nrc: weight rows)"
    Contract contract;
  };
  /// What can be verified of it: always the single product; the forms with several results if their meaning is plain.
  std::vector<Part> parts() const;
};

/// Asks in roomy memory: a wrong guess may touch eight rows of either side.
I2sContract infer_i2_s(Executor& executor, uint32_t kernel);

}  // namespace tritcheck
