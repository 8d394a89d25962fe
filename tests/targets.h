// The targets a test covers: this machine, and every emulated CPU whose emulator and runner are there.
#pragma once

#include <string>
#include <vector>

#include "harness/targets/target.h"
#include "harness/verify/verify.h"

namespace tritcheck {

inline const std::vector<std::string>& all_targets() {
  static const std::vector<std::string> targets = {
      "local",    "qemu:cortex-a53",    "qemu:cortex-a72",     "qemu:cortex-a76",         "qemu:neoverse-n1",
      "qemu:max", "qemu:x86_64/Conroe", "qemu:x86_64/Nehalem", "qemu:x86_64/SandyBridge", "qemu:x86_64/Haswell"};
  return targets;
}

/// Why a target cannot be used here; empty if it can.
inline std::string why_absent(const std::string& target) {
  if (TRITCHECK_SANITIZED && target.starts_with("qemu:x86_64/"))
    return "a sanitized runner does not run under emulation";
  try {
    resolve_target(target);
    return "";
  } catch (const UserError& e) {
    return e.what();
  }
}

/// A name GoogleTest accepts.
inline std::string test_name(std::string target) {
  for (char& c : target) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return target;
}

}  // namespace tritcheck
