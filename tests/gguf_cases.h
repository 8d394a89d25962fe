// All hand-made GGUF files: every check of a reader of today, every hole of one, every class of malformed file.
#pragma once

#include "tests/gguf_container_cases.h"
#include "tests/gguf_data_cases.h"

namespace tritcheck::testing {

inline std::vector<GgufCase> gguf_cases() {
  GgufCases cases;
  add_header_cases(cases);
  add_metadata_cases(cases);
  add_description_cases(cases);
  add_extent_cases(cases);
  add_dialect_cases(cases);
  add_i2_s_cases(cases);
  cases.accepted("small", small_gguf());
  return cases.all();
}

}  // namespace tritcheck::testing
