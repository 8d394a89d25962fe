// The rows of a case: weights and activations, block by block, as its probe wants them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/cases/case.h"
#include "reference/ggml_dot.h"
#include "reference/prng.h"

namespace tritcheck {

enum class Probe : uint8_t { onehot, extreme, shape, bytes, scale, sum, pair, special, memory, random, tie, smooth };
/// Their names in the order of the enum.
std::span<const std::string_view> probe_list();
/// The same for messages.
std::string probe_names();
/// Throws std::invalid_argument for a case whose probe is none of these.
Probe probe_of(const Case& c);

class Rows {
 public:
  /// Keeps a reference to the case.
  explicit Rows(const Case& c);

  /// Row number `row` of weights, and of activations.
  std::vector<uint8_t> weights(ggml::Type type, int64_t row) const;
  std::vector<uint8_t> activations(ggml::Acts acts, int64_t row) const;

 private:
  Prng generator(int64_t stream) const;
  bool negative(int64_t j) const;
  uint8_t code(ggml::Type type, size_t b, size_t e, Prng& r) const;
  uint8_t scale(ggml::Type type, Prng& r) const;
  ggml::Fields block(ggml::Type type, int64_t row, size_t b, Prng& r) const;
  void special(const ggml::Traits& t, ggml::Fields& f, size_t b) const;
  void replace_bytes(ggml::Type type, const ggml::Fields& whole, std::span<uint8_t> bytes, size_t b) const;
  void fill(std::vector<int8_t>& q, int64_t row, Prng& r) const;
  float act_scale(ggml::Acts acts, int64_t row, size_t a, Prng& r) const;

  const Case& c_;
  Probe probe_;
};

}  // namespace tritcheck
