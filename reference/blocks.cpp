#include "reference/blocks.h"

#include <stdexcept>
#include <string>

namespace tritcheck::blocks {
namespace {

std::string at(const Format& format, std::string_view where) {
  return std::string(format.name) + " " + std::string(where) + ": ";
}

std::string block_of(const Format& format) {
  return std::to_string(format.elements) + " elements in " + std::to_string(format.bytes) + " bytes";
}

[[noreturn]] void refuse(std::string message) {
  throw std::invalid_argument(message);
}

}  // namespace

int64_t row_bytes(const Format& format, int64_t k) {
  const std::string name(format.name);
  const auto block = static_cast<int64_t>(format.elements);
  if (k < 1) refuse(name + ": K = " + std::to_string(k) + " is not positive; a row has at least one block");
  if (k % block != 0) {
    refuse(name + ": K = " + std::to_string(k) + " is not a multiple of " + std::to_string(block) +
           "; fill the row up with zeros, or keep it in f16");
  }
  return k / block * static_cast<int64_t>(format.bytes);
}

void require_block(const Format& format, std::string_view where, size_t bytes) {
  if (bytes == format.bytes) return;
  refuse(at(format, where) + std::to_string(bytes) + " bytes given; pass exactly one block, " + block_of(format));
}

void require_row(const Format& format, std::string_view where, size_t elements, size_t bytes) {
  const auto needed = static_cast<size_t>(row_bytes(format, static_cast<int64_t>(elements)));
  if (bytes == needed) return;
  refuse(at(format, where) + std::to_string(bytes) + " bytes for K = " + std::to_string(elements) + "; pass exactly " +
         std::to_string(needed) + ", a block is " + block_of(format));
}

size_t count(const Format& format, std::string_view where, size_t bytes) {
  if (bytes == 0 || bytes % format.bytes != 0) {
    refuse(at(format, where) + std::to_string(bytes) + " bytes are no row; pass whole blocks, each " +
           block_of(format));
  }
  return bytes / format.bytes;
}

void require_code(const Format& format, size_t element, int code, int largest) {
  if (code >= 0 && code <= largest) return;
  refuse(at(format, "pack") + "code " + std::to_string(code) + " at element " + std::to_string(element) +
         "; codes go from 0 to " + std::to_string(largest));
}

}  // namespace tritcheck::blocks
