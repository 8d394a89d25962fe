// The libraries of tests/fakes, and a quick run over them.
#pragma once

#include <string>
#include <vector>

#include "harness/verify/verify.h"

namespace tritcheck::testing {

inline std::string fake(const std::string& name) {
  return std::string(TRITCHECK_BINARY_DIR) + "/fakes/" + name + ".so";
}
inline VerifyOptions options_for(const std::vector<std::string>& libs) {
  VerifyOptions o;
  o.libs = libs;
  o.level = Level::quick;
  return o;
}
inline Report run(const std::vector<std::string>& libs) {
  return verify(options_for(libs));
}
inline Report run_fake(const std::string& name) {
  return run({fake(name)});
}

}  // namespace tritcheck::testing
