// Instruction sets, from the table isa.inc. A new one is a line there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tritcheck {

/// An instruction set that kernels are compiled for, weakest first within an architecture.
enum class Isa : uint8_t {
#define TRITCHECK_ISA(name, native, flags, features, elsewhere) name,
#include "kernels/isa.inc"
#undef TRITCHECK_ISA
};

/// Where an instruction set is native; `other` is a machine that this tree knows nothing of, and has scalar code only.
enum class Arch : uint8_t { any, x86_64, aarch64, other };
#if defined(__x86_64__)
inline constexpr Arch kThisArch = Arch::x86_64;
#elif defined(__aarch64__)
inline constexpr Arch kThisArch = Arch::aarch64;
#else
inline constexpr Arch kThisArch = Arch::other;
#endif

/// How the function got into this program.
enum class Via : uint8_t {
  absent,  ///< not compiled here (another architecture's instruction set)
  native,  ///< compiled for this architecture
  simde,   ///< a NEON source compiled through SIMDe on another architecture
};

/// One line of isa.inc.
struct IsaLine {
  std::string_view name;
  Arch native;
  std::string_view flags;     ///< compiler options, blanks between them
  std::string_view features;  ///< of the CPU, all of which code for it may use: "avx2 fma"
  Via elsewhere;              ///< on another architecture: absent, or simde where that is installed
};

inline constexpr IsaLine kIsaLines[] = {
#define TRITCHECK_ISA(name, native, flags, features, elsewhere) {#name, Arch::native, flags, features, Via::elsewhere},
#include "kernels/isa.inc"
#undef TRITCHECK_ISA
};

/// Every instruction set, in the order of the table.
inline constexpr auto kIsas = [] {
  std::array<Isa, std::size(kIsaLines)> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Isa>(i);
  return all;
}();

constexpr const IsaLine& isa_line(Isa isa) {
  return kIsaLines[static_cast<size_t>(isa)];
}

constexpr std::string_view name(Isa isa) {
  return isa_line(isa).name;
}

constexpr std::string_view name(Arch arch) {
  constexpr std::string_view names[] = {"any", "x86_64", "aarch64", "other"};
  return names[static_cast<size_t>(arch)];
}

}  // namespace tritcheck
