// Mistakes that real engines made in the graph, for the tests of the verdict. A normal build has none of them: there
// the switch is a constant.
#pragma once

#include <cstdint>
#include <string_view>

namespace tritcheck::engine {

enum class Fault : uint8_t {
  none,
  relu,              ///< relu in place of relu^2
  silu,              ///< silu in place of relu^2
  no_attn_sub_norm,  ///< attn_sub_norm left out
  no_ffn_sub_norm,   ///< ffn_sub_norm left out
  rope_interleaved,  ///< pairs (2i, 2i+1) rotated, not (i, i + d/2)
  no_rope,           ///< not rotated
  kv_tiled,          ///< query head h uses kv head h % kv_heads
  kv_off_by_one,     ///< a token does not see its own key
  act_truncate,      ///< activations truncated, not rounded, to int8
  act_per_tensor,    ///< one activation scale for the whole batch
  act_none,          ///< activations not quantised
  zero_row_nan,      ///< a row of zeros divides by its largest number
  all_zero,          ///< every product is zero
  prompt_scale,      ///< with several tokens at once, products have another scale
  position_late,     ///< after a prompt, decoding goes on one position too late
};

inline constexpr auto kLastFault = Fault::position_late;
std::string_view name(Fault fault);  ///< as the enumerator is spelled

#if defined(TRITCHECK_GRAPH_FAULTS)
inline constexpr bool kGraphFaults = true;
#else
inline constexpr bool kGraphFaults = false;
#endif

}  // namespace tritcheck::engine
