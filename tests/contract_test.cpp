// Each statement of a contract is tested: a kernel that keeps a narrower promise passes under the contract that says
// so, and fails under the one that promises more.
#include <gtest/gtest.h>

#include <bit>

#include "reference/dot.h"
#include "tests/in_process.h"
#include "tests/targets.h"

namespace tritcheck {
namespace {

// The right answers of a dot, with codes and activations changed on the way.
template <class Code, class Act>
Mutant dot_with(Code code, Act act) {
  return [=](const CallRequest& r, std::vector<uint32_t>& words) {
    std::vector<uint8_t> codes(static_cast<size_t>(r.k));
    i2_s::unpack_row(Layout::x86_128, {r.k, 1}, r.weights, 0, codes);
    int64_t sum = 0;
    for (size_t j = 0; j < codes.size(); ++j) sum += int64_t{code(codes[j])} * act(r.activations[j], r.k);
    words[0] = std::bit_cast<uint32_t>(static_cast<int32_t>(sum));
  };
}

int same(int v) {
  return v;
}
int same_act(int v, int64_t) {
  return v;
}

Contract dot() {
  return i2_s_contract(Op::dot, Layout::x86_128);
}

TEST(Contract, LargestCode) {
  const Mutant m = dot_with([](int c) { return c == 3 ? 0 : c; }, same_act);
  Contract c = dot();
  EXPECT_EQ(examine(c, m).failure.value().diagnosis, "code-map");
  c.max_code = 2;
  EXPECT_EQ(examine(c, m).verdict, Verdict::pass);
}

TEST(Contract, SmallestActivation) {
  const Mutant m = dot_with(same, [](int q, int64_t) { return q == -128 ? 128 : q; });
  Contract c = dot();
  EXPECT_EQ(examine(c, m).failure.value().diagnosis, "int8-min");
  c.q_min = -127;
  EXPECT_EQ(examine(c, m).verdict, Verdict::pass);
}

TEST(Contract, MultipleOfK) {
  // drops what is beyond a multiple of 256
  const Mutant m = [](const CallRequest& r, std::vector<uint32_t>& words) {
    CallRequest shorter = r;
    shorter.k = r.k / 256 * 256;
    words[0] = 0;
    if (shorter.k > 0) dot_with(same, same_act)(shorter, words);
  };
  Contract c = dot();
  EXPECT_EQ(examine(c, m).failure.value().diagnosis, "tail-dropped");
  c.k_multiple = 256;
  EXPECT_EQ(examine(c, m).verdict, Verdict::pass);
}

TEST(Contract, LargestK) {
  // an int24 somewhere: right for K <= 2^15, whatever the data
  const Mutant m = [](const CallRequest& r, std::vector<uint32_t>& words) {
    dot_with(same, same_act)(r, words);
    words[0] = static_cast<uint32_t>(static_cast<int32_t>(words[0] << 8) >> 8);
  };
  const auto run = [&](int64_t k_max) {
    Contract c = dot();
    c.k_max = k_max;
    InProcess executor(m);
    return examine_on(executor, 0, c, "F2", Level::standard).verdict;
  };
  EXPECT_EQ(run(int64_t{1} << 20), Verdict::mismatch);
  EXPECT_EQ(run(int64_t{1} << 14), Verdict::pass);
}

TEST(Contract, NoProbeAsksMoreThanTheLargestK) {
  for (Op op : {Op::dot, Op::rows, Op::acts, Op::gemv}) {
    for (int64_t k_max : {128, 640, 8192}) {
      Contract c = i2_s_contract(op, Layout::x86_128);
      c.k_max = k_max;
      for (const ProbeFamily& f : probe_families()) {
        for (const Case& one : f.cases(kernel_of(c), Level::thorough, 1)) EXPECT_LE(one.k, k_max) << to_string(one);
      }
    }
  }
  // wrong only beyond its promise
  const Mutant m = [](const CallRequest& r, std::vector<uint32_t>& words) {
    dot_with(same, same_act)(r, words);
    if (r.k > 640) words[0] += 1;
  };
  Contract c = dot();
  EXPECT_NE(examine(c, m).verdict, Verdict::pass);
  c.k_max = 640;
  EXPECT_EQ(examine(c, m).verdict, Verdict::pass);
}

TEST(Contract, RawOrCentred) {
  const Mutant centred = dot_with([](int c) { return c - 1; }, same_act);
  EXPECT_EQ(examine(dot(), centred).failure.value().diagnosis, "offset-twice");
  Contract c = dot();
  c.result = Result::centred;
  EXPECT_EQ(examine(c, centred).verdict, Verdict::pass);
  EXPECT_EQ(examine(c, dot_with(same, same_act)).failure.value().diagnosis, "offset-never");
  EXPECT_EQ(examine(c, dot_with([](int code) { return code - 2; }, same_act)).failure.value().diagnosis,
            "offset-twice");
  // the other causes keep their names
  EXPECT_EQ(examine(c, dot_with([](int code) { return 1 - code; }, same_act)).failure.value().diagnosis, "code-map");
  const Mutant tail = dot_with([](int code) { return code - 1; }, same_act);
  const Mutant dropped = [tail](const CallRequest& r, std::vector<uint32_t>& words) {
    CallRequest shorter = r;
    shorter.k = r.k / 256 * 256;
    words[0] = 0;
    if (shorter.k > 0) tail(shorter, words);
  };
  EXPECT_EQ(examine(c, dropped).failure.value().diagnosis, "tail-dropped");
}

TEST(Contract, RowMultiple) {
  const Contract one = i2_s_contract(Op::rows, Layout::x86_128);
  Contract four = one;
  four.row_multiple = 4;
  // computes rows four at a time and leaves the rest
  const Mutant m = [](const CallRequest& r, std::vector<uint32_t>& words) {
    for (int32_t i = 0; i < r.nrc / 4 * 4; ++i) {
      CallRequest row = r;
      row.weights.assign(r.weights.begin() + static_cast<std::ptrdiff_t>(static_cast<uint64_t>(i) * r.w_stride),
                         r.weights.end());
      std::vector<uint32_t> word(1);
      dot_with(same, same_act)(row, word);
      words[static_cast<size_t>(i) * r.out_stride] = word[0];
    }
  };
  EXPECT_EQ(examine(one, m).failure.value().diagnosis, "unwritten");
  EXPECT_EQ(examine(four, m).verdict, Verdict::pass);
}

TEST(Contract, Alignment) {
#if defined(__x86_64__)
  // a kernel whose aligned loads fault: legal exactly if its contract asks for the alignment
  const auto session = open_session(resolve_target("local"));
  const std::vector<KernelInfo>& kernels = session->info().kernels;
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [](const KernelInfo& k) { return k.name == "bug_misaligned_ssse3"; });
  ASSERT_NE(found, kernels.end());
  if (!found->runnable) GTEST_SKIP() << found->why_not;
  const auto run = [&](int align) {
    Contract c = found->contract;
    c.align_q = align;
    return examine_on(*session, static_cast<uint32_t>(found - kernels.begin()), c, "F11", Level::quick).verdict;
  };
  EXPECT_EQ(run(1), Verdict::crash);
  EXPECT_EQ(run(16), Verdict::pass);
#else
  GTEST_SKIP() << "loads do not fault on this architecture";
#endif
}

}  // namespace
}  // namespace tritcheck
