// direct.h for dot products of ternary blocks: one call in this process, compared with both oracles.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"
#include "reference/ggml_dot.h"
#include "reference/prng.h"

namespace tritcheck::direct {

/// A row of weights, tq1_0 or tq2_0, and the q8_K row it meets: whole blocks, as many of each.
struct Rows {
  ggml::Type type = ggml::Type::tq2_0;
  std::vector<uint8_t> x;
  std::vector<uint8_t> y;
  int64_t k() const;
};

/// The type of that name; throws std::invalid_argument if it is not one of the two.
ggml::Type ternary_type(std::string_view format);

/// Any bytes as weights, finite scales of either sign, q from q_min to 127, bsums that fit.
Rows random_rows(ggml::Type type, int64_t blocks, int q_min, Prng& rng);

/// What is right: both oracles' answer. Throws std::logic_error if they disagree.
ggml::Dot expected(const Rows& rows);

/// Calls the function on buffers of exactly the legal size, aligned as their blocks demand and no more. Returns a line
/// that says what is wrong, or nothing.
std::optional<std::string> check(std::string_view name, tritcheck_vec_dot_fn* function, const Rows& rows);
std::optional<std::string> check(std::string_view name, tritcheck_vec_dot_fn* function, const Rows& rows,
                                 const ggml::Dot& right);

}  // namespace tritcheck::direct
