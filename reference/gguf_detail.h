// Internal to the GGUF reader: its later stages.
#pragma once

#include <string>
#include <vector>

#include "reference/gguf.h"

namespace tritcheck::gguf {

/// x rounded up to a multiple of the alignment (a power of two); nothing if that does not fit.
std::optional<uint64_t> padded(uint64_t x, uint64_t alignment);

/// `tensor "NAME" FIELD`
std::string tensor_field(const Tensor& tensor, std::string_view field);

void add_finding(File& file, std::string field, uint64_t offset, std::string text);

/// Finds each tensor's data_offset and room. Throws for misaligned offsets and data outside the file.
/// Returns indices of the tensors in the order of their data.
std::vector<size_t> place_tensors(File& file);

/// Decides the dialect and with it type, type_name and nbytes of every tensor. Needs places. Throws for a tensor that
/// is impossible under every reading.
void resolve_types(File& file);

/// Refuses overlap; reports gaps, missing padding, trailing bytes. Needs types.
void check_extents(File& file, const std::vector<size_t>& order);

/// Reports what is odd about I2_S tensors: scales, forms, sizes that lose weights.
void check_i2_s(File& file);

}  // namespace tritcheck::gguf
