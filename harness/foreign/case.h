// A case for a function of a library: one problem as a string, which alone makes the same data on every machine.
//
//   q4_K.vec_dot:k=512:n=1:probe=onehot:seed=1:pos=17
//   q8_0.from_float:k=256:probe=tie:seed=1
//   tq2_0.vec_dot:k=256:n=1:probe=real:seed=1:act=0:model=0123456789abcdef:tensor=blk.0.attn_q.weight:row=3
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "harness/executor.h"

namespace tritcheck::foreign {

struct Case {
  std::string format;  ///< ggml's name
  Role role = Role::vec_dot;
  int64_t k = 0;
  int32_t n = 1;  ///< nrc
  std::string probe;
  uint64_t seed = 0;
  std::map<std::string, int64_t> params;
  std::string model = {};   ///< probe `real`: first 16 hex digits of the file's SHA-256
  std::string tensor = {};  ///< and where in it: n rows from `row` on
  int64_t row = 0;

  int64_t param(std::string_view key, int64_t otherwise = 0) const;
  bool operator==(const Case&) const = default;
};

/// The canonical text. parse_case(to_string(c)) == c.
std::string to_string(const Case& c);
/// Whether a text means a case of this kind rather than one of tritcheck's own kernels (harness/case.h).
bool is_case(std::string_view text);
/// Throws std::invalid_argument with a sentence that names the wrong part and what is expected there.
Case parse_case(std::string_view text);

}  // namespace tritcheck::foreign
