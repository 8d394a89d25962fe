#include "kernels/features.h"

#include <cstdio>

namespace tritcheck {

Features detect() {
  static const Features features = features_of(read_cpu());  // under a hypervisor each CPUID is a way out of the guest
  return features;
}

std::string to_string(const Features& features) {
  std::string text;
  for (const Isa isa : kIsas) {
    if (isa_line(isa).features.empty() || !supports(features, isa)) continue;
    if (!text.empty()) text += ' ';
    text += name(isa);
  }
  if (text.empty()) text = "none";
  if (features.hwcap != 0) {
    char hex[32];
    std::snprintf(hex, sizeof hex, " hwcap=0x%llx", static_cast<unsigned long long>(features.hwcap));
    text += hex;
  }
  return text;
}

bool supports(const Features& features, Isa isa) {
  return why_not(isa_line(isa).features, features).empty();
}

std::string why_not(const Kernel& kernel, const Features& features) {
  if (kernel.via == Via::absent) return "not compiled for this architecture";
  if (kernel.via == Via::native && !supports(features, kernel.isa)) return "cpu lacks " + std::string(name(kernel.isa));
  return {};
}

}  // namespace tritcheck
