// SHA-256 (FIPS 180-4), which names model files in cases and reports. Its own code, because reference/ depends on no
// library: the runner for a target is built without any.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace tritcheck {

std::array<uint8_t, 32> sha256(std::span<const uint8_t> bytes);

/// 64 lower-case hexadecimal digits; cases use the first 16.
std::string sha256_hex(std::span<const uint8_t> bytes);

}  // namespace tritcheck
