// Cases about header, metadata and tensor descriptions.
#pragma once

#include "tests/gguf_case.h"

namespace tritcheck::testing {

inline void add_header_cases(GgufCases& out) {
  constexpr uint64_t kMinusOne = UINT64_MAX;
  const auto version = [](uint64_t v) { return GgufWriter().header(0, 0, v); };
  out.refused("empty", GgufWriter(), "magic", 0, "the file ends inside it (4 bytes needed, 0 left)");
  out.refused("magic", GgufWriter().text("GGML").u32(3).fill(16), "magic", 0,
              "this is no GGUF file (it does not begin with the letters GGUF)");
  out.refused("version_0", version(0), "version", 4, "version 0 is not known; this reader knows 2 and 3");
  out.refused("version_1", version(1), "version", 4,
              "version 1 (of August 2023) is not supported; convert the model again with a current converter");
  out.refused("version_4", version(4), "version", 4, "version 4 is not known; this reader knows 2 and 3");
  out.refused("version_swapped", GgufWriter().text("GGUF").u32(0x03000000).fill(8).u64(uint64_t{1} << 56), "version", 4,
              "this is a big-endian (byte-swapped) file, not supported; convert the model again for little-endian");
  out.accepted("version_2", version(2));
  out.accepted("version_3", version(3));
  out.refused("n_tensors_negative", GgufWriter().header(kMinusOne, 0), "n_tensors", 8,
              "18446744073709551615 is beyond the limit of 1000000");
  out.refused("n_tensors_many", GgufWriter().header(3, 0).fill(71), "n_tensors", 8,
              "3 tensors of at least 24 bytes each do not fit the 71 bytes left");
  out.refused("n_kv_negative", GgufWriter().header(0, kMinusOne), "n_kv", 16,
              "18446744073709551615 is beyond the limit of 1000000");
  out.refused("n_kv_2_42_plus_1", GgufWriter().header(0, (uint64_t{1} << 42) + 1), "n_kv", 16,
              "4398046511105 is beyond the limit of 1000000");
  out.refused("n_kv_many", GgufWriter().header(0, 2).fill(25), "n_kv", 16,
              "2 of at least 13 bytes each do not fit the 25 bytes left");
  out.accepted("trailing_without_tensors", GgufWriter().header(0, 0).fill(5),
               {GgufCases::said("file", 24, "5 trailing bytes, but there are no tensors")});
}

inline void add_metadata_cases(GgufCases& out) {
  const auto one = [] { return GgufWriter().header(0, 1); };
  out.refused("key_empty", one().key("", kU32).u32(1), "metadata[0] key", 24, "the key is empty");
  out.refused("key_long", one().u64(65536).fill(8), "metadata[0] key", 24, "65536 is beyond the limit of 65535");
  out.refused("key_beyond_file", one().u64(100).fill(50), "metadata[0] key", 24,
              "100 of at least 1 byte each do not fit the 50 bytes left");
  GgufWriter twice = GgufWriter().header(0, 2).key("a", kU8).u8(1);
  const size_t second = twice.size();
  out.refused("key_twice", twice.key("a", kU8).u8(2), "metadata[1] key", second, "\"a\" is there already, as number 0");
  out.accepted(
      "key_with_nul", one().key(std::string_view("a\0b", 3), kU8).u8(1),
      {GgufCases::said("metadata \"a\\x00b\" key", 24, "contains a NUL byte: mainline ggml silently cuts it there")});

  // the key "k" takes bytes 24..32, the value type 33..36, the value begins at 37
  const auto value = [&](uint64_t type) { return one().key("k", type); };
  out.refused("value_type", value(13).fill(8), "metadata \"k\" value type", 33, "13 is no value type (0 to 12)");
  out.refused("value_cut", value(kU64).u32(0), "metadata \"k\" value", 37,
              "the file ends inside it (8 bytes needed, 4 left)");
  out.refused("string_above_1_gib", value(kString).u64((1U << 30) + 1), "metadata \"k\" string", 37,
              "1073741825 is beyond the limit of 1073741824");
  out.refused("string_beyond_file", value(kString).u64(9).fill(8), "metadata \"k\" string", 37,
              "9 of at least 1 byte each do not fit the 8 bytes left");
  out.refused("array_above_2_30", value(kArray).u32(kU8).u64((1U << 30) + 1), "metadata \"k\" array count", 41,
              "1073741825 is beyond the limit of 1073741824");
  out.refused("array_beyond_file", value(kArray).u32(kF64).u64(3).fill(23), "metadata \"k\" array count", 41,
              "3 of at least 8 bytes each do not fit the 23 bytes left");
  out.refused("array_of_strings_cut", value(kArray).u32(kString).u64(2).string("ab").u64(3).text("xy"),
              "metadata \"k\" string", 59, "3 of at least 1 byte each do not fit the 2 bytes left");
  out.refused("array_element_type", value(kArray).u32(99).u64(0), "metadata \"k\" element type", 37,
              "99 is no value type (0 to 12)");
  const std::string nested = "array of arrays: mainline ggml refuses the file";
  GgufWriter four = value(kArray);
  for (int i = 0; i < 3; ++i) four.u32(kArray).u64(1);
  out.accepted("arrays_4_deep", GgufWriter(four).u32(kU8).u64(2).u8(1).u8(2),
               {GgufCases::said("metadata \"k\" value", 37, nested)});
  out.refused("arrays_5_deep", GgufWriter(four).u32(kArray).u64(1).u32(kU8).u64(0), "metadata \"k\" array", 85,
              "arrays are nested more than 4 deep");
  out.accepted("bool_2", value(kBool).u8(2),
               {GgufCases::said("metadata \"k\" value", 37, "bool stored as 2, read as true")});
  out.accepted("bools_odd", value(kArray).u32(kBool).u64(4).u8(0).u8(1).u8(2).u8(255),
               {GgufCases::said("metadata \"k\" value", 37, "2 bools are neither 0 nor 1, read as true")});

  // the key "general.alignment" is 17 bytes: the value begins at 53
  const auto alignment = [&](uint64_t n_tensors, uint64_t type) {
    return GgufWriter().header(n_tensors, 1).key("general.alignment", type);
  };
  const std::string field = "metadata \"general.alignment\" value";
  out.refused("alignment_0", alignment(0, kU32).u32(0), field, 53, "0 is not a power of two");
  out.refused("alignment_48", alignment(0, kU32).u32(48), field, 53, "48 is not a power of two");
  out.refused("alignment_u64", alignment(0, kU64).u64(32), field, 53, "it must be a u32, but is a u64");
  const auto scalar = [](GgufWriter w, size_t a) { return w.info("t", {}, kTensorF32, 0).pad(a).fill(a < 4 ? 4 : a); };
  for (size_t a : {1, 2, 4}) {
    out.accepted("alignment_" + std::to_string(a), scalar(alignment(1, kU32).u32(a), a),
                 {GgufCases::said(field, 53, "the format asks for a multiple of 8, not " + std::to_string(a))});
  }
  out.accepted("alignment_8", scalar(alignment(1, kU32).u32(8), 8));
  out.refused("alignment_2_31", scalar(alignment(1, kU32).u32(0x80000000), 32), "data section", 82,
              "with alignment 2147483648 it would begin behind the end of the file, byte 128");
}

inline void add_description_cases(GgufCases& out) {
  const auto one = [] { return GgufWriter().header(1, 0); };
  const auto dims = [&](const std::vector<uint64_t>& ne, uint64_t type = kTensorF32) {
    return one().info("t", ne, type, 0).pad().fill(32);
  };
  // name "t" takes bytes 24..32, n_dims 33..36, dims[0] 37..44, dims[1] 45..52
  out.refused("dims_5", dims({1, 1, 1, 1, 1}), "tensor \"t\" n_dims", 33, "5 dims, at most 4 are allowed");
  out.refused("dims_2_32", one().string("t").u32(UINT32_MAX).fill(64), "tensor \"t\" n_dims", 33,
              "4294967295 dims, at most 4 are allowed");
  out.accepted("dims_0", dims({}));
  out.refused("dim_zero", dims({4, 0}), "tensor \"t\" dims[1]", 45, "the dim is 0");
  out.refused("dim_negative", dims({UINT64_MAX}), "tensor \"t\" dims[0]", 37,
              "18446744073709551615 is negative as a signed number");
  const std::string wraps = "the product of the dims does not fit 63 bits";
  const auto two_to = [](int n) { return uint64_t{1} << n; };
  out.refused("dims_wrap_to_0", dims({two_to(32), two_to(32)}), "tensor \"t\" dims[1]", 45, wraps);
  out.refused("dims_wrap_to_0_uneven", dims({two_to(31), two_to(33)}), "tensor \"t\" dims[1]", 45, wraps);
  out.refused("dims_2_63", dims({two_to(32), two_to(31)}), "tensor \"t\" dims[1]", 45, wraps);
  out.refused("dims_wrap_late", dims({two_to(30), two_to(30), 16, 3}), "tensor \"t\" dims[2]", 53, wraps);
  out.refused("dim_2_42_plus_1", dims({two_to(42) + 1}), "tensor \"t\" data", 64,
              "the file ends inside it (17592186044420 bytes of f32 from byte 64, 32 left)");
  out.refused("bytes_wrap", dims({two_to(62)}), "tensor \"t\" dims", 24, "f32: its size in bytes does not fit 64 bits");
  out.refused("block_of_32", dims({48}, kTensorQ4_0), "tensor \"t\" dims", 24,
              "q4_0: ne0 = 48 is not a multiple of the block size 32");
  out.refused("block_of_256", dims({288}, kTensorQ4_K), "tensor \"t\" dims", 24,
              "q4_k: ne0 = 288 is not a multiple of the block size 256");
  out.refused("block_of_256_tq2_0", dims({128, 2}, kTensorTq2_0), "tensor \"t\" dims", 24,
              "tq2_0: ne0 = 128 is not a multiple of the block size 256");
  out.refused("description_cut", one().string("ten").u32(1).u64(4).u32(0).u32(0), "tensor \"ten\" offset", 51,
              "the file ends inside it (8 bytes needed, 4 left)");

  const auto named = [](std::string_view name) {
    return GgufWriter().header(1, 0).info(name, {8}, kTensorF32, 0).pad().fill(32);
  };
  const std::string long_name(64, 'n');
  out.accepted("name_63", named(long_name.substr(1)));
  out.accepted(
      "name_64", named(long_name),
      {GgufCases::said("tensor \"" + long_name + "\" name", 24, "the name has 64 bytes: ggml refuses 64 and more")});
  out.refused("name_beyond_file", one().u64(17).fill(16), "tensor[0] name", 24,
              "17 of at least 1 byte each do not fit the 16 bytes left");
  out.accepted("name_empty", named(""), {GgufCases::said("tensor \"\" name", 24, "the name is empty")});
  out.accepted(
      "name_with_nul", named(std::string_view("a\0b", 3)),
      {GgufCases::said("tensor \"a\\x00b\" name", 24, "contains a NUL byte: mainline ggml silently cuts it there")});
  out.accepted("name_with_escape", named("\x1B[31m\"\n\x80"));
  GgufWriter twice = GgufWriter().header(2, 0).info("a", {8}, kTensorF32, 0);
  const size_t second = twice.size();
  out.refused("name_twice", twice.info("a", {8}, kTensorF32, 32).pad().fill(64), "tensor[1] name", second,
              "\"a\" is there already, as number 0");
}

}  // namespace tritcheck::testing
