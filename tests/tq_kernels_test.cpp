// Every TQ1_0 and TQ2_0 kernel that can run in this process, SIMDe ones included, against both oracles of ggml_dot.h.
// What they do to memory, guard pages see: `tritcheck verify`.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "harness/bench/direct_blocks.h"
#include "harness/cases/formats.h"
#include "harness/verify/kernel_run.h"
#include "kernels/features.h"
#include "reference/half.h"
#include "reference/q8_k.h"
#include "tests/in_process.h"
#include "tests/printers.h"

namespace tritcheck {
namespace {

using direct::check;
using direct::Rows;

std::vector<Kernel> runnable() {
  std::vector<Kernel> list;
  for (const Kernel& kernel : kernels()) {
    if (kernel.contract.op == Op::vec_dot && why_not(kernel, detect()).empty()) list.push_back(kernel);
  }
  return list;
}

class EveryTqKernel : public testing::TestWithParam<Kernel> {
 protected:
  const Kernel& kernel() const { return GetParam(); }
  ggml::Type type() const { return direct::ternary_type(kernel().format); }
  size_t bytes() const { return ggml::format(type()).bytes; }
  std::optional<std::string> wrong(const Rows& rows) const { return check(kernel().name, kernel().vec_dot, rows); }

  // Blocks with all bytes of codes `byte`, scales 1, and activations by a function of their number.
  template <class Q>
  Rows rows(int64_t blocks, int byte, Q q) const {
    Rows out{type(), {}, {}};
    for (int64_t b = 0; b < blocks; ++b) {
      out.x.insert(out.x.end(), bytes() - 2, static_cast<uint8_t>(byte));
      out.x.push_back(0x00);
      out.x.push_back(0x3C);
      q8_k::Block act;
      act.d = 1;
      for (size_t i = 0; i < act.q.size(); ++i) {
        act.q[i] = static_cast<int8_t>(q(b * 256 + static_cast<int64_t>(i)));
      }
      act.bsums = q8_k::sums_of(act.q);
      out.y.resize(out.y.size() + q8_k::kBytes);
      q8_k::pack(act, std::span(out.y).last(q8_k::kBytes));
    }
    return out;
  }
};

TEST_P(EveryTqKernel, RandomRowsOfEveryNumberOfBlocks) {
  Prng rng(1);
  for (int64_t blocks = 1; blocks <= 17; ++blocks) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(wrong(direct::random_rows(type(), blocks, kernel().contract.q_min, rng)), std::nullopt);
    }
  }
}

TEST_P(EveryTqKernel, EveryByteAtEveryPlace) {
  Prng rng(2);
  for (int byte = 0; byte < 256; ++byte) {
    ASSERT_EQ(wrong(rows(1, byte, [&](int64_t) { return rng.between(-128, 127); })), std::nullopt) << byte;
  }
}

TEST_P(EveryTqKernel, EveryPositionForItself) {
  Prng rng(3);
  Rows random = direct::random_rows(type(), 3, -128, rng);
  for (int64_t at = 0; at < random.k(); ++at) {
    for (const int q : {1, -128}) {
      random.y = rows(3, 0, [&](int64_t i) { return i == at ? q : 0; }).y;
      ASSERT_EQ(wrong(random), std::nullopt) << "position " << at;
    }
  }
}

// With scales of 1 nothing rounds up to 2^24, so the bound is 0: 63 blocks of 256 * (3 + 1) * 128 stay below it.
TEST_P(EveryTqKernel, ExtremesAreExact) {
  const std::vector<int> extremes =
      type() == ggml::Type::tq1_0 ? std::vector{0x00, 0xFF} : std::vector{0x00, 0xAA, 0xFF};
  for (const int64_t blocks : {1, 2, 3, 5, 8, 17, 63}) {
    for (const int byte : extremes) {
      for (const auto& [even, odd] : {std::pair{-128, -128}, {127, 127}, {-127, -127}, {-128, 127}, {127, -127}}) {
        const Rows r = rows(blocks, byte, [&, e = even, o = odd](int64_t i) { return i % 2 == 0 ? e : o; });
        EXPECT_EQ(ggml::bound(direct::expected(r)), 0);
        ASSERT_EQ(wrong(r), std::nullopt) << "bytes " << byte << " q " << even << " " << odd;
      }
    }
  }
}

TEST_P(EveryTqKernel, LongestRow) {
  Prng rng(4);
  EXPECT_EQ(wrong(direct::random_rows(type(), 4096, -128, rng)), std::nullopt);
}

// Every scale there is, read back through a product with a single 1.
TEST_P(EveryTqKernel, EveryScale) {
  Rows r = rows(1, 0xFF, [](int64_t i) { return i == 0; });
  const double weight = direct::expected(r).total;
  for (uint32_t half = 0; half <= 0xFFFF; ++half) {
    const auto bits = static_cast<uint16_t>(half);
    std::memcpy(r.x.data() + bytes() - 2, &bits, sizeof bits);
    float got = 0;
    kernel().vec_dot(256, &got, 0, r.x.data(), 0, r.y.data(), 0, 1);
    if (f16::is_finite(bits)) {
      ASSERT_EQ(got, f16::to_float(bits) * weight) << "scale " << half;
    } else {
      ASSERT_FALSE(std::isfinite(got)) << "scale " << half;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryTqKernel, testing::ValuesIn(runnable()),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

TEST(TqRegistry, NamesAndContractsSayWhatTheFormatSays) {
  int count = 0;
  for (const Kernel& kernel : kernels()) {
    if (kernel.contract.op != Op::vec_dot) continue;
    ++count;
    EXPECT_EQ(kernel.name,
              std::string(kernel.format) + "_" + std::string(kernel.acts) + "_dot_" + std::string(name(kernel.isa)));
    EXPECT_EQ(kernel.via == Via::absent, kernel.vec_dot == nullptr) << kernel.name;
    EXPECT_TRUE(kernel.dot == nullptr && kernel.gemv == nullptr) << kernel.name;
  }
  EXPECT_EQ(count, 9);
  EXPECT_THROW(vec_dot_contract("iq1_s"), std::logic_error);
}

// The harness promises the same of other people's functions, but for -128, which ggml's quantisers never write.
TEST(TqRegistry, TheContractOfAFormatIsTheOneOfForeignFunctions) {
  for (const VecDotPair& pair : vec_dot_pairs()) {
    KernelInfo info;
    info.contract.op = Op::vec_dot;
    info.format = pair.weights;
    info.acts = pair.acts;
    const Contract theirs = contract_of(info);
    const Contract ours = vec_dot_contract(pair.weights);
    EXPECT_EQ(ours.k_multiple, theirs.k_multiple) << pair.weights;
    EXPECT_EQ(ours.align_w, theirs.align_w) << pair.weights;
    EXPECT_EQ(ours.align_q, theirs.align_q) << pair.weights;
    EXPECT_EQ(ours.result, theirs.result) << pair.weights;
    EXPECT_EQ(ours.q_min, -128);
  }
}

tritcheck_vec_dot_fn* right_one() {
  for (const Kernel& kernel : kernels()) {
    if (kernel.name == "tq2_0_q8_K_dot_scalar") return kernel.vec_dot;
  }
  return nullptr;
}

// Right but for the last of an odd number of blocks.
void drops_the_odd_block(int n, float* s, size_t bs, const void* vx, size_t bx, const void* vy, size_t by, int nrc) {
  right_one()(n / 512 * 512, s, bs, vx, bx, vy, by, nrc);
}

// The check itself must notice.
TEST(TqCheck, SeesWrongValuesAndStrayWrites) {
  Prng rng(5);
  const Rows rows = direct::random_rows(ggml::Type::tq2_0, 3, -127, rng);
  EXPECT_EQ(check("right", right_one(), rows), std::nullopt);
  const auto said = check("odd", drops_the_odd_block, rows);
  ASSERT_TRUE(said);
  EXPECT_NE(said->find("odd: K = 768, is "), std::string::npos) << *said;
  EXPECT_TRUE(check(
      "nan", [](int, float* s, size_t, const void*, size_t, const void*, size_t, int) { *s = NAN; }, rows));
  EXPECT_EQ(check(
                "stray",
                [](int n, float* s, size_t bs, const void* x, size_t bx, const void* y, size_t by, int nrc) {
                  right_one()(n, s, bs, x, bx, y, by, nrc);
                  s[1] = 0;
                },
                rows),
            "stray: K = 768, writes beside its result");
}

// And so must the harness, which names it.
TEST(TqCheck, TheHarnessNamesADeliberatelyWrongOne) {
  InProcess executor([](const CallRequest& r, std::vector<uint32_t>& words) {
    float result = 0;
    drops_the_odd_block(static_cast<int>(r.k), &result, 0, r.weights.data(), 0, r.activations.data(), 0, r.nrc);
    std::memcpy(words.data(), &result, sizeof result);
  });
  KernelInfo info;
  info.name = "broken";
  info.contract.op = Op::vec_dot;
  info.format = "tq2_0";
  info.acts = "q8_K";
  info.contract = vec_dot_contract("tq2_0");
  const Suspect suspect{executor, 0, info};
  std::vector<CaseSet> sets;
  for (const ProbeFamily& f : probe_families()) sets.push_back({std::string(f.id), f.cases(info, Level::quick, 1)});
  Preparations preparations;
  KernelReport report;
  run_kernel(
      suspect, sets, VerifyOptions{}, preparations, [](const Case& c) { return to_string(c); }, report);
  EXPECT_EQ(report.verdict, Verdict::mismatch);
  EXPECT_EQ(report.failure.value().diagnosis, "tail-dropped") << report.failure->sentence;
  EXPECT_EQ(report.failure->case_text, "tq2_0.vec_dot:k=256:n=1:probe=shape:seed=1");
}

}  // namespace
}  // namespace tritcheck
