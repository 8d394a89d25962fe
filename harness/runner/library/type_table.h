// The table of types of a ggml library, of whatever era: found by its getters, its era by the distance of its entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace tritcheck {

/// What an entry says of one type, in today's words. Pointers may be null.
struct TypeTraits {
  int id = 0;
  std::string name;
  int64_t block_elements = 0;
  size_t block_bytes = 0;
  tritcheck_to_float_fn* to_float = nullptr;
  tritcheck_from_float_fn* from_float = nullptr;
  tritcheck_from_float_fn* from_float_ref = nullptr;
  tritcheck_vec_dot_fn* vec_dot = nullptr;
  int vec_dot_type = 0;
  int64_t nrows = 1;
};

struct TypeTable {
  std::string abi;  ///< for people
  std::vector<TypeTraits> types;
};

/// Looks for the getters in an open library. Nothing if it has none, or none of a known era; `note` then says what was
/// found.
std::optional<TypeTable> read_type_table(void* library, std::string& note);

}  // namespace tritcheck
