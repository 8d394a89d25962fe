// Cases about where tensor data lie, which dialect the file speaks, and I2_S.
#pragma once

#include <limits>

#include "tests/gguf_case.h"

namespace tritcheck::testing {

inline void add_extent_cases(GgufCases& out) {
  // two one-dimensional tensors "a", "b": descriptions of 33 bytes at 24 and 57, the offset in their last 8, data from
  // 96
  const auto two = [](uint64_t offset_a, uint64_t offset_b, size_t data, uint64_t ne = 8, uint64_t type = kTensorF32) {
    return GgufWriter().header(2, 0).info("a", {ne}, type, offset_a).info("b", {ne}, type, offset_b).pad().fill(data);
  };
  const std::string a = "tensor \"a\" ";
  const std::string b = "tensor \"b\" ";
  out.accepted("contiguous", two(0, 32, 64));
  out.refused("offset_misaligned", two(0, 33, 96), b + "offset", 82, "33 is not a multiple of the alignment 32");
  out.refused("offset_outside", two(0, 64, 64), b + "offset", 82, "64 lies outside the data section of 64 bytes");
  out.refused("offset_near_2_64", two(0, UINT64_MAX - 31, 64), b + "offset", 82,
              "18446744073709551584 lies outside the data section of 64 bytes");
  out.refused("offset_twice", two(32, 32, 64), b + "offset", 82, "overlap: tensor \"a\" has the same offset");
  out.refused("overlap", two(0, 32, 96, 16), b + "offset", 82,
              "overlap: tensor \"a\" has 64 bytes of f32 from byte 96, this one begins at 128");
  out.refused("overlap_reordered", two(32, 0, 96, 16), a + "offset", 49,
              "overlap: tensor \"b\" has 64 bytes of f32 from byte 96, this one begins at 128");
  out.refused("payload_short", two(0, 32, 63), b + "data", 128,
              "the file ends inside it (32 bytes of f32 from byte 128, 31 left)");
  out.refused("payload_absent", GgufWriter().header(1, 0).info("a", {8}, kTensorF32, 0).pad(), "tensor \"a\" offset",
              49, "0 lies outside the data section of 0 bytes");
  out.refused("data_section_absent", GgufWriter().header(1, 0).info("a", {8}, kTensorF32, 0), "data section", 57,
              "with alignment 32 it would begin behind the end of the file, byte 57");
  out.accepted(
      "gap", two(0, 64, 96),
      {GgufCases::said(a + "data", 96, "not contiguous: 32 unused bytes follow, mainline ggml refuses the file")});
  out.accepted("gap_before", two(32, 64, 96),
               {GgufCases::said(a + "offset", 49, "not contiguous: the first data begin at 32, not at 0")});
  out.accepted(
      "reordered", two(32, 0, 64),
      {GgufCases::said("tensors", 96,
                       "not contiguous: the data lie in another order than the descriptions, mainline ggml refuses "
                       "the file")});
  out.accepted("trailing", two(0, 32, 70), {GgufCases::said("file", 160, "6 trailing bytes behind the last tensor")});
  out.accepted("padding_missing", two(0, 32, 48, 4),
               {GgufCases::said(b + "data", 128,
                                "the padding behind the last tensor is missing: mainline ggml refuses to load it")});
  const auto unknown = [](uint64_t id, size_t room) {
    return "unknown type id " + std::to_string(id) + ": its size is not known, at most " + std::to_string(room) +
           " bytes";
  };
  out.accepted("type_unknown", two(0, 64, 96, 8, 9999),
               {GgufCases::said(a + "type", 24, unknown(9999, 64)), GgufCases::said(b + "type", 57, unknown(9999, 32))},
               "any: no type id in this file is disputed", "unknown");
  out.accepted("type_removed", two(0, 32, 64, 8, 4),
               {GgufCases::said(a + "type", 24, unknown(4, 32)), GgufCases::said(b + "type", 57, unknown(4, 32))});
  out.refused("type_unknown_too_small", two(0, 32, 64, 264, 9999), a + "dims", 24,
              "264 elements in 32 bytes, less than a bit each");
}

inline void add_dialect_cases(GgufCases& out) {
  // two tensors of one type, `step` bytes apart, the second with as much room
  const auto two = [](uint64_t id, const std::vector<uint64_t>& ne, size_t step) {
    return GgufWriter().header(2, 0).info("a", ne, id, 0).info("b", ne, id, step).pad().fill(2 * step);
  };
  const std::string only = ": the only one that explains the type ids and sizes";
  const std::string alike = ": they read this file alike";
  const std::string differently = ", and they read it differently";
  const auto ambiguous = [](const std::string& id, const std::string& names) {
    const std::string text = "ambiguous: type id " + id + " may be " + names + " of different form";
    return std::vector<std::string>{GgufCases::said("tensor \"a\" type", 24, text),
                                    GgufCases::said("tensor \"b\" type", 65, text)};
  };
  out.accepted("id_38_tl1", two(38, {128, 2}, 96), {}, "fork_ab or fork_c" + alike, "tl1");
  out.accepted("id_39_mxfp4", two(39, {256, 1}, 160), {}, "mainline, fork_c or ik" + alike, "mxfp4");
  out.accepted("id_39_tl2", two(39, {256, 1}, 96), {}, "fork_ab" + only, "tl2");
  // 136 bytes as mxfp4 and 96 as tl2: both fit 192, neither fills them
  out.accepted("id_39_ambiguous", two(39, {256, 1}, 192), ambiguous("39", "mxfp4 or tl2"),
               "ambiguous: mainline, fork_ab, fork_c or ik" + differently, "mxfp4 or tl2");
  out.refused(
      "id_39_impossible", two(39, {128, 1}, 32), "tensor \"a\" data", 128,
      "type id 39 fits no known reading: as mxfp4 it needs 68 bytes, but the next tensor or the end of the file "
      "leaves 32; as tl2 ne0 = 128 is below the 256 that tl2 needs");
  out.accepted("id_40_nvfp4", two(40, {64, 1}, 64), {}, "mainline or fork_c" + alike, "nvfp4");
  out.accepted("id_40_prism", two(40, {64, 1}, 32), {}, "prism" + only, "q1_0_32");
  out.accepted("id_41_q1_0", two(41, {128, 1}, 32), {}, "mainline, fork_c, ik or prism" + alike, "q1_0");
  out.accepted("id_41_tq3_0", two(41, {128, 1}, 64), {}, "turboquant" + only, "tq3_0");
  out.accepted("id_42_q2_0", two(42, {2048, 1}, 576), {}, "mainline" + only, "q2_0");
  out.accepted("id_42_prism", two(42, {2048, 1}, 544), {}, "prism" + only, "q2_0_128");
  out.accepted("id_42_tl2", two(42, {2048, 1}, 480), {}, "fork_c" + only, "tl2");
  // 288, 272 (padded to 288) and 288 bytes: nothing in such a file tells
  out.accepted("id_42_ambiguous", two(42, {256, 4}, 288), ambiguous("42", "q2_0, q2_0_128 or tl2"),
               "ambiguous: mainline, fork_c or prism" + differently, "q2_0, q2_0_128 or tl2");
  out.accepted("id_335_iq2_bn_r4", two(335, {128, 4}, 160), {}, "ik" + only, "iq2_bn_r4");
}

inline void add_i2_s_cases(GgufCases& out) {
  // one tensor "w": description at 24
  const auto one = [](const std::vector<uint64_t>& ne) {
    return GgufWriter().header(1, 0).info("w", ne, kTensorI2s, 0).pad();
  };
  const std::string alike = "fork_ab, fork_c or ik: they read this file alike";
  const auto scaled = [&](float scale) { return one({128, 2}).i2_s(256, scale); };
  const size_t scale_at = 96 + 64;
  const auto bad = [&](const std::string& what) {
    return std::vector<std::string>{GgufCases::said("tensor \"w\" scale", scale_at, "the scale is " + what)};
  };
  using Limits = std::numeric_limits<float>;
  out.accepted("i2_s", scaled(0.5F), {}, alike, "i2_s");
  out.accepted("i2_s_scale_nan", scaled(Limits::quiet_NaN()), bad("NaN"));
  out.accepted("i2_s_scale_infinite", scaled(-Limits::infinity()), bad("infinite"));
  out.accepted("i2_s_scale_zero", scaled(-0.0F), bad("zero"));
  out.accepted("i2_s_scale_negative", scaled(-Limits::denorm_min()), bad("negative"));
  out.accepted("i2_s_scale_tiny", scaled(Limits::denorm_min()));
  out.accepted("i2_s_code_3", one({128, 2}).i2_s(256, 1, 3));
  out.accepted("i2_s_odd", one({3, 2}).i2_s(4, 1).fill(31),
               {GgufCases::said("tensor \"w\" data", 96,
                                "the number of weights is not a multiple of 4: the last ones are not stored")});
  out.refused("i2_s_without_tail", one({128, 2}).fill(64), "tensor \"w\" data", 96,
              "type id 36 fits no known reading: as i2_s it needs 96 bytes, but the next tensor or the end of the file "
              "leaves 64");

  // 132 weights: 33 + 32 bytes, which is no multiple of the alignment
  const auto then = [](uint64_t next) {
    return GgufWriter().header(2, 0).info("w", {132}, kTensorI2s, 0).info("n", {8}, kTensorF32, next).pad();
  };
  out.accepted("i2_s_next_padded", then(96).i2_s(132, 1).fill(31).fill(32), {}, alike, "i2_s");
  out.refused("i2_s_next_unpadded", then(65).i2_s(132, 1).fill(32), "tensor \"n\" offset", 82,
              "65 is not a multiple of the alignment 32");
  out.refused("i2_s_next_on_tail", then(64).i2_s(132, 1).fill(63), "tensor \"w\" data", 96,
              "type id 36 fits no known reading: as i2_s it needs 65 bytes, but the next tensor or the end of the file "
              "leaves 64");
  // a writer that counts a byte per weight
  out.accepted("i2_s_next_by_elements", then(160).i2_s(132, 1).fill(95).fill(32),
               {GgufCases::said("tensor \"w\" data", 96,
                                "not contiguous: 64 unused bytes follow, mainline ggml refuses the file")},
               alike, "i2_s");

  const auto cube = [](const GgufWriter& data, uint64_t alignment = 32) {
    GgufWriter w = GgufWriter().header(1, 1).key("general.alignment", kU32).u32(alignment);
    w.info("w", {128, 2, 3}, kTensorI2s, 0).pad(alignment);
    return w.append(data);
  };
  // description at 57, data from 128
  const GgufWriter slices = GgufWriter().i2_s(256, 1).i2_s(256, 2).i2_s(256, -3);
  out.accepted("i2_s_3d_slices", cube(slices),
               {GgufCases::said("tensor \"w\" data", 128,
                                "3D i2_s with a scale at the end of each slice (the newer bitnet.cpp form)"),
                GgufCases::said("tensor \"w\" scale of slice 2", 128 + 2 * 96 + 64, "the scale is negative")},
               "fork_c: the only one that explains the type ids and sizes", "i2_s");
  out.accepted(
      "i2_s_3d_one_scale", cube(GgufWriter().i2_s(768, 1)),
      {GgufCases::said("tensor \"w\" data", 128, "3D i2_s with one scale for all slices (the older bitnet.cpp form)")},
      "fork_ab or ik: they read this file alike", "i2_s");
  // 224 and 288 bytes both fit 512
  out.accepted("i2_s_3d_ambiguous", cube(GgufWriter(slices).fill(224), 512),
               {GgufCases::said("tensor \"w\" type", 57, "ambiguous: type id 36 may be i2_s of different form")},
               "ambiguous: fork_ab, fork_c or ik, and they read it differently", "i2_s");
}

}  // namespace tritcheck::testing
