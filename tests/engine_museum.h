// The engine's museum: mistakes of real engines, and what the comparison must say about each: which operation is the
// first wrong one, and what became of the text. docs/engine-museum.md is printed from it (bin/engine_museum).
#pragma once

#include <string>
#include <vector>

#include "harness/paris/paris.h"

namespace tritcheck {

/// The text on paris-b and on paris-a; more than one word where either is right.
struct EngineMistake {
  std::string name;
  std::string kernels = "auto";               ///< a museum kernel through the normal dispatch ...
  engine::Fault fault = engine::Fault::none;  ///< ... or a mistake in the graph
  double damaged = 0;                         ///< ... or this share of the candidate's weight bytes is random
  std::string first_wrong;                    ///< "Qcur-0 MUL_MAT"; empty: every operation is exact
  std::string health_b, health_a;             ///< "healthy", "suspect", "collapse", "salad", "silent"
};

inline std::vector<EngineMistake> engine_mistakes() {
  using engine::Fault;
  return {
      {"none", "auto", Fault::none, 0, "", "healthy", "healthy"},
      {"activations not quantised", "auto", Fault::act_none, 0, "edges QUANTIZE", "healthy", "healthy"},
      {"activations truncated", "auto", Fault::act_truncate, 0, "edges QUANTIZE", "healthy", "healthy"},
      {"one activation scale for the batch", "auto", Fault::act_per_tensor, 0, "edges QUANTIZE", "healthy", "healthy"},
      {"a row of zeros divides by zero", "auto", Fault::zero_row_nan, 0, "edges QUANTIZE", "healthy", "healthy"},
      {"0.1 % of the weights random", "auto", Fault::none, 0.001, "Qcur-0 MUL_MAT", "healthy", "healthy"},
      {"1 % of the weights random", "auto", Fault::none, 0.01, "Qcur-0 MUL_MAT", "suspect", "suspect"},
      {"5 % of the weights random", "auto", Fault::none, 0.05, "Qcur-0 MUL_MAT", "silent", "silent"},
      {"20 % of the weights random", "auto", Fault::none, 0.2, "Qcur-0 MUL_MAT", "salad", "silent"},
      {"last 32 of K dropped, layer 3 v", "blk.3.attn_v=bug_tail_last_32", Fault::none, 0, "Vcur-3 MUL_MAT", "suspect",
       "suspect"},
      {"64/16 layout, layer 2 down", "blk.2.ffn_down=bug_layout_64_on_128", Fault::none, 0, "ffn_down-2 MUL_MAT",
       "silent", "silent"},
      {"64/16 layout, layer 0 q", "blk.0.attn_q=bug_layout_64_on_128", Fault::none, 0, "Qcur-0 MUL_MAT", "salad",
       "salad"},
      {"four rows interleaved, layer 1 up", "blk.1.ffn_up=bug_layout_rows_1x4_on_128", Fault::none, 0,
       "ffn_up-1 MUL_MAT", "silent", "salad"},
      {"relu for relu^2", "auto", Fault::relu, 0, "ffn_out-0 MUL", "silent", "silent"},
      {"silu for relu^2", "auto", Fault::silu, 0, "ffn_out-0 MUL", "salad", "salad"},
      {"weight scale inverted", "bug_scale_weight_inverted", Fault::none, 0, "Qcur-0 MUL_MAT", "silent", "silent"},
      {"no attention sub-norm", "auto", Fault::no_attn_sub_norm, 0, "attn_sub_norm-0 RMS_NORM", "silent", "silent"},
      {"no feed-forward sub-norm", "auto", Fault::no_ffn_sub_norm, 0, "ffn_sub_norm-0 RMS_NORM", "silent", "silent"},
      {"last 32 of K dropped everywhere", "bug_tail_last_32", Fault::none, 0, "Qcur-0 MUL_MAT", "collapse", "salad"},
      {"interleaved rotation", "auto", Fault::rope_interleaved, 0, "Qcur-0 ROPE", "salad", "silent"},
      {"no rotation", "auto", Fault::no_rope, 0, "Qcur-0 ROPE", "salad", "salad"},
      {"kv heads tiled", "auto", Fault::kv_tiled, 0, "kqv_out-0 FLASH_ATTN_EXT", "salad", "salad"},
      {"kv position off by one", "auto", Fault::kv_off_by_one, 0, "kqv_out-0 FLASH_ATTN_EXT", "salad", "salad"},
      {"64/16 layout everywhere", "bug_layout_64_on_128", Fault::none, 0, "Qcur-0 MUL_MAT", "salad collapse",
       "salad collapse"},
      {"linear, top bits first", "bug_layout_linear_msb", Fault::none, 0, "Qcur-0 MUL_MAT", "salad collapse",
       "salad collapse"},
      {"linear, bottom bits first", "bug_layout_linear_lsb", Fault::none, 0, "Qcur-0 MUL_MAT", "salad collapse",
       "salad collapse"},
      {"four rows interleaved everywhere", "bug_layout_rows_1x4_on_128", Fault::none, 0, "Qcur-0 MUL_MAT",
       "salad collapse", "salad collapse"},
      {"sum(q) never subtracted", "bug_offset_never_gemv", Fault::none, 0, "Qcur-0 MUL_MAT", "collapse", "collapse"},
      {"sum(q) subtracted twice", "bug_offset_centred_dot", Fault::none, 0, "Qcur-0 MUL_MAT", "collapse", "collapse"},
      {"weight 0 read as -1", "bug_code_zero_as_minus", Fault::none, 0, "Qcur-0 MUL_MAT", "collapse", "collapse"},
      {"empty kernel body", "bug_empty_body", Fault::none, 0, "Qcur-0 MUL_MAT", "collapse", "collapse"},
      {"all products zero", "auto", Fault::all_zero, 0, "Qcur-0 MUL_MAT", "collapse", "collapse"},
      {"nrc inverted in the prompt's kernel", "acts=bug_nrc_acts_as_rows", Fault::none, 0, "Qcur-0 MUL_MAT", "salad",
       "salad"},
      {"prompt dequantised without its scale", "auto", Fault::prompt_scale, 0, "Qcur-0 MUL_MAT", "salad", "salad"},
      {"row stride times four in decoding", "rows=bug_row_stride_times_4", Fault::none, 0, "Qcur-0 MUL_MAT",
       "salad collapse", "salad collapse"},
      {"decoding one position late", "auto", Fault::position_late, 0, "result_output SPLIT", "suspect", "suspect"},
  };
}

}  // namespace tritcheck
