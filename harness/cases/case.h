// A case is one problem as a string. The string alone makes the same inputs on every machine; it is filter, repro line,
// corpus entry and bug report:
//
//   i2_s.rows:layout=x86_128:k=4096:n=3:probe=extreme:seed=7:code=2:q=127
//   q4_K.vec_dot:k=512:n=1:probe=onehot:seed=1:pos=17
//   q8_0.from_float:k=256:probe=tie:seed=1
//
// A case that spells out its bytes is found in somebody's model and needs no file:
//
//   i2_s.dot:layout=x86_128:k=128:n=1:probe=literal:seed=1:wbytes=0055AA...:qbytes=7F80...
//
// A case on real weights names the file by its hash, the tensor and the first row, and needs the file at hand:
//
//   tq2_0.vec_dot:k=256:n=1:probe=real:seed=1:act=0:model=0123456789abcdef:tensor=blk.0.attn_q.weight:row=3
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"

namespace tritcheck {

struct Case {
  std::string format = "i2_s";  ///< of the weights: "i2_s", or a format of blocks by ggml's name
  Op op = Op::dot;
  int64_t k = 0;
  int32_t n = 1;      ///< rows (rows, gemv: nrows), activation rows (acts), rows of both (vec_dot: nrc), else 1
  std::string probe;  ///< which generator makes the data: "onehot", "extreme", "label", ...
  uint64_t seed = 0;  ///< global seed; the generator mixes in a hash of the rest of the string

  /// Numbers a probe needs, in alphabetical order in the string: code, q, pos, value, ...
  /// cmax and qmin clamp codes and activations to what a narrower contract allows.
  /// Every probe understands woff, qoff, ooff (start offsets in run B), wpad, qpad (bytes between rows) and ostride.
  std::map<std::string, int64_t> params = {};
  Layout layout = Layout::x86_128;  ///< i2_s only

  // real weights only
  std::string model = {};  ///< first 16 hex digits of the file's SHA-256
  std::string tensor = {};
  int64_t row = 0;

  // literal cases only, at most kMostLiteral of them
  std::vector<uint8_t> wbytes = {};  ///< the weight rows as the format packs them; of a quantiser the floats
  std::vector<uint8_t> qbytes = {};  ///< the activation rows
  static constexpr size_t kMostLiteral = 1 << 16;

  bool of_i2_s() const { return format == "i2_s"; }
  int64_t param(std::string_view key, int64_t otherwise = 0) const;
  /// "i2_s.dot", "q4_K.vec_dot".
  std::string question() const;
  bool operator==(const Case&) const = default;
};

/// The canonical text. parse_case(to_string(c)) == c.
std::string to_string(const Case& c);
/// Throws std::invalid_argument with a sentence that names the wrong part and what is expected there. Formats are known
/// in lower and upper case, and xoff, yoff, xpad, ypad, as texts of the past have them, are woff, qoff, wpad, qpad.
Case parse_case(std::string_view text);

}  // namespace tritcheck
