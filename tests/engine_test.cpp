// Both engines: the same bits however the work is cut, whatever the kernel.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "engine/fast/fast.h"
#include "engine/fast/floats.h"
#include "engine/golden/golden.h"
#include "kernels/features.h"
#include "reference/half.h"
#include "reference/i8_s.h"
#include "reference/prng.h"
#include "tests/engine_models.h"

namespace tritcheck::engine {
namespace {

TEST(Golden, EncodingsOfOneModelGiveTheSameBits) {
  const ShippedModel first("paris-b-f32");
  const std::vector<int32_t> ids = first.tokenizer.encode("The capital of France is Paris.");
  Golden golden(first.model);
  const auto want = all_logits(golden, ids);
  for (const char* name : {"paris-b-f16", "paris-b-i2_s.x86_128", "paris-b-i2_s.arm_64", "paris-b-i2_s.linear",
                           "paris-b-i2_s.rows_1x4", "paris-b-tq1_0", "paris-b-tq2_0"}) {
    const ShippedModel other(name);
    Golden again(other.model);
    const auto got = all_logits(again, ids);
    // a scale in front of the sum or inside: some last bits of float64 differ
    for (size_t i = 0; i < want.size(); ++i) {
      for (size_t j = 0; j < want[i].size(); ++j) ASSERT_NEAR(got[i][j], want[i][j], 1e-9) << name;
    }
  }
}

TEST(Golden, SplitsAndThreadsChangeNoBit) {
  const ShippedModel shipped("paris-b-i2_s.x86_128");
  const std::vector<int32_t> ids = shipped.tokenizer.encode("Tom and Lily went to the lake near the old tree.");
  Golden golden(shipped.model);
  const auto want = all_logits(golden, ids);
  for (int threads : {1, 2, 5}) {
    for (size_t first : {size_t{1}, size_t{3}, ids.size() - 1}) {
      Golden split(shipped.model, {.threads = threads});
      auto got = all_logits(split, std::span(ids).first(first));
      for (auto& row : all_logits(split, std::span(ids).subspan(first))) got.push_back(std::move(row));
      EXPECT_EQ(got, want) << threads << " threads, split at " << first;
    }
  }
}

TEST(Fast, SplitsThreadsAndKernelsChangeNoBit) {
  for (const char* name : {"paris-b-i2_s.x86_128", "paris-b-i2_s.rows_1x4", "paris-b-f16", "paris-b-tq2_0"}) {
    const ShippedModel shipped(name);
    std::string text;
    for (int i = 0; i < 6; ++i) text += "Tom and Lily went to the lake near the old tree. ";
    const std::vector<int32_t> ids = shipped.tokenizer.encode(text);
    ASSERT_GT(ids.size(), static_cast<size_t>(Fast::kBatch) + 1);
    Fast engine = fast(shipped.model, "auto", 1);
    const auto want = all_logits(engine, ids);
    for (size_t first : {size_t{1}, size_t{7}, size_t{64}, size_t{65}, ids.size() - 1}) {
      Fast split = fast(shipped.model, "auto", first == 7 ? 5 : 2);
      auto got = all_logits(split, std::span(ids).first(first));
      for (auto& row : all_logits(split, std::span(ids).subspan(first))) got.push_back(std::move(row));
      EXPECT_EQ(got, want) << name << " split at " << first;
    }
    // token by token
    Fast single = fast(shipped.model);
    for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(last_logits(single, std::span(ids).subspan(i, 1)), want[i]) << i;
  }
}

TEST(Fast, EveryKernelOfALayoutGivesTheSameBits) {
  for (i2_s::Layout layout : i2_s::kLayouts) {
    const ShippedModel shipped("paris-b-i2_s." + std::string(i2_s::name(layout)));
    const std::vector<int32_t> ids = shipped.tokenizer.encode("The capital of France is Paris.");
    Fast engine = fast(shipped.model);
    const auto want = all_logits(engine, ids);
    int tried = 0;
    for (const Kernel& k : kernels()) {
      if (k.format != "i2_s" || k.contract.layout != layout || !why_not(k, detect()).empty()) continue;
      Fast other = fast(shipped.model, std::string(k.name));
      EXPECT_EQ(all_logits(other, ids), want) << k.name;
      ++tried;
    }
    EXPECT_GE(tried, 2) << i2_s::name(layout);
  }
}

TEST(Fast, FloatSumsHaveTheSameBitsOnEveryInstructionSet) {
  Prng rng(7);
  std::vector<float> a(1000);
  std::vector<float> b(1000);
  std::vector<uint16_t> h(1000);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(rng.between(-1000000, 1000000)) * 1e-5F;
    b[i] = static_cast<float>(rng.between(-1000000, 1000000)) * 1e-3F;
    h[i] = f16::from_float(a[i]);
  }
  const FloatOps& best = float_ops();
  for (int64_t n : {0, 1, 15, 16, 17, 31, 32, 33, 64, 999, 1000}) {
    EXPECT_EQ(std::bit_cast<uint32_t>(best.dot(a.data(), b.data(), n)),
              std::bit_cast<uint32_t>(kFloatScalar.dot(a.data(), b.data(), n)));
    EXPECT_EQ(std::bit_cast<uint32_t>(best.dot_f16(h.data(), b.data(), n)),
              std::bit_cast<uint32_t>(kFloatScalar.dot_f16(h.data(), b.data(), n)));
    EXPECT_EQ(std::bit_cast<uint32_t>(best.dot_bf16(h.data(), b.data(), n)),
              std::bit_cast<uint32_t>(kFloatScalar.dot_bf16(h.data(), b.data(), n)));
    // the order is the documented one
    float lane[32] = {};
    for (int64_t j = 0; j < n; ++j) lane[j % 32] += a[static_cast<size_t>(j)] * b[static_cast<size_t>(j)];
    for (int width : {16, 8, 4, 2, 1}) {
      for (int l = 0; l < width; ++l) lane[l] += lane[l + width];
    }
    EXPECT_EQ(lane[0], best.dot(a.data(), b.data(), n)) << n;
  }
}

TEST(Fast, EveryHalfIsReadExactly) {
  const std::vector<float> one(32, 1.0F);
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float want = f16::to_float(half);
    for (const FloatOps* ops : {&kFloatScalar, &float_ops()}) {
      const float f = ops->dot_f16(&half, one.data(), 1);
      const float bf = ops->dot_bf16(&half, one.data(), 1);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(f)) << bits;
      } else {
        EXPECT_EQ(f, want) << bits;
      }
      if (!std::isnan(bf16::to_float(half))) {
        EXPECT_EQ(bf, bf16::to_float(half)) << bits;
      }
    }
    std::vector<uint16_t> all(32, half);
    if (!std::isnan(want)) {
      EXPECT_EQ(float_ops().dot_f16(all.data(), one.data(), 32), kFloatScalar.dot_f16(all.data(), one.data(), 32));
    }
  }
}

// The engine's own quantiser, for speed, against the reference's; data with ties, of every size of tail.
TEST(Fast, TheRowQuantiserIsTheReferencesToTheBit) {
  Prng rng(11);
  for (const FloatOps* ops : {&kFloatScalar, &float_ops()}) {
    for (int64_t n = 1; n < 200; ++n) {
      std::vector<float> x;
      // quarters up to 127: their scale is 1 if the largest is there, and half of them lie on .5 or next to it
      for (int64_t j = 0; j < n; ++j) x.push_back(static_cast<float>(rng.between(-508, 508)) / 4);
      x[rng.below(x.size())] = rng.below(2) == 0 ? 127 : -127;
      if (n % 3 == 0) {
        for (float& v : x) v *= static_cast<float>(rng.unit());
      }
      const i8_s::Row want = i8_s::quantize(i8_s::Era::half_even, x);
      const double largest = ops->largest(x.data(), n);
      EXPECT_EQ(static_cast<float>(127 / std::max(largest, 1e-5)), want.scale);
      std::vector<int8_t> q(x.size());
      EXPECT_EQ(ops->quantize(x.data(), want.scale, q.data(), n), want.sum) << n;
      EXPECT_EQ(q, want.q) << n;
    }
  }
}

TEST(Fast, TheLargestMagnitudeShowsWhatIsNotFinite) {
  for (const FloatOps* ops : {&kFloatScalar, &float_ops()}) {
    EXPECT_EQ(ops->largest(nullptr, 0), 0);
    for (int64_t n : {1, 7, 8, 9, 31, 40}) {
      for (int64_t at = 0; at < n; ++at) {
        std::vector<float> x(static_cast<size_t>(n), -1.0F);
        const auto put = [&](float v) {
          x[static_cast<size_t>(at)] = v;
          return ops->largest(x.data(), n);
        };
        EXPECT_EQ(put(-2), 2);
        EXPECT_EQ(put(-HUGE_VALF), HUGE_VALF);
        EXPECT_TRUE(std::isnan(put(NAN)));
        EXPECT_TRUE(std::isnan(put(-NAN)));
      }
    }
  }
}

TEST(Plan, WordsNamesAndWhatTheyRefuse) {
  const auto plan = [](const std::string& text) {
    return plan_kernels(text, i2_s::Layout::x86_128, detect(), {}, kernels());
  };
  EXPECT_EQ(plan("scalar").one->name, "i2_s_x86_128_gemv_scalar");
  EXPECT_EQ(plan("scalar").several->name, "i2_s_x86_128_acts_scalar");
  EXPECT_EQ(plan("i2_s_x86_128_dot_scalar").several->name, "i2_s_x86_128_dot_scalar");
  EXPECT_EQ(plan("gemv=i2_s_x86_128_gemv_scalar,acts=i2_s_x86_128_acts_scalar").text(),
            "one token i2_s_x86_128_gemv_scalar, several i2_s_x86_128_acts_scalar");
  EXPECT_EQ(plan("rows=i2_s_x86_128_rows_scalar").one->name, "i2_s_x86_128_rows_scalar");
  for (const char* bad : {"", "no-such-kernel", "avx9", "gemv=i2_s_x86_128_dot_scalar", "dot", "gemv=", "=x", "a=b,c"})
    EXPECT_THROW(plan(bad), std::invalid_argument) << bad;
  // a layer that is not there, or named twice
  const std::vector<std::string_view> tensors = {"blk.1.attn_q.weight", "blk.10.attn_q.weight", "blk.10.ffn_up.weight"};
  const std::string k = "=i2_s_x86_128_dot_scalar";
  const auto stands = [&](const std::string& text) { plan(text).require_layers(tensors); };
  EXPECT_NO_THROW(stands("auto"));
  EXPECT_NO_THROW(stands("blk.10" + k + ",blk.1.attn_q" + k));
  for (const std::string& bad : {"blk.2.attn_q" + k, "attn_v" + k, "blk.1.attn" + k, "ffn_up" + k + ",blk.10" + k})
    EXPECT_THROW(stands(bad), PlanError) << bad;
  EXPECT_EQ(plan("blk.1" + k).kernel(tensors[0], 1).name, "i2_s_x86_128_dot_scalar");
  EXPECT_NE(plan("blk.1" + k).kernel(tensors[1], 1).name, "i2_s_x86_128_dot_scalar");
  EXPECT_THROW(plan("tq2_0_q8_K_dot_scalar"), PlanError);
  // a fallback that nobody asked for is refused
  EXPECT_THROW(plan_kernels("avx2", i2_s::Layout::arm_64, detect(), {}, kernels()), std::invalid_argument);
  EXPECT_THROW(plan_kernels("i2_s_x86_128_dot_ssse3", i2_s::Layout::x86_128, detect(), {Isa::neon}, kernels()),
               std::invalid_argument);
}

}  // namespace
}  // namespace tritcheck::engine
