// Cases as text, the problems they stand for, and the families that make them.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <set>

#include "harness/cases/problem.h"
#include "harness/probes/probes.h"
#include "reference/prng.h"

namespace tritcheck {
namespace {

// The problem of a case by its numbers.
I2sProblem numbers_of(const Case& c) {
  I2sProblem p{make_problem(c), {}, {}};
  p.codes.resize(static_cast<size_t>(p.weight_rows() * p.k));
  i2_s::unpack(p.layout, p.shape(), p.x, p.codes);
  for (const uint8_t q : p.y) p.q.push_back(static_cast<int8_t>(q));
  return p;
}

KernelInfo kernel_of(const Contract& c) {
  KernelInfo k;
  k.contract = c;
  return k;
}

std::string error_of(const std::string& text) {
  try {
    make_problem(parse_case(text));
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(Case, RoundTrip) {
  for (const char* text : {"i2_s.dot:layout=x86_128:k=128:n=1:probe=random:seed=7",
                           "i2_s.rows:layout=arm_64:k=4096:n=3:probe=extreme:seed=18446744073709551615:code=2:q=-128",
                           "i2_s.gemv:layout=linear:k=256:n=4:probe=real:seed=1:act=2:model=0123456789abcdef:tensor="
                           "blk.0.attn_q.weight:row=17"}) {
    EXPECT_EQ(to_string(parse_case(text)), text);
  }
  Case c = parse_case("i2_s.dot:layout=x86_128:k=128:probe=real:model=ab:tensor=a%3Ab%25c:row=1");
  EXPECT_EQ(c.tensor, "a:b%c");
  EXPECT_EQ(parse_case(to_string(c)), c);
}

TEST(Case, ALiteralCaseHoldsItsBytes) {
  const std::string text = "i2_s.rows:layout=linear:k=4:n=2:probe=literal:seed=1:wbytes=E41B:qbytes=0180FF7F";
  const Case c = parse_case(text);
  EXPECT_EQ(to_string(c), text);
  const I2sProblem p = numbers_of(c);
  EXPECT_EQ(p.q, (std::vector<int8_t>{1, -128, -1, 127}));
  EXPECT_EQ(p.x, (std::vector<uint8_t>{0xE4, 0x1B}));
  EXPECT_NE(error_of("i2_s.rows:layout=linear:k=8:n=2:probe=literal:wbytes=E41B:qbytes=0180FF7F")
                .find("this shape has 4 wbytes and 8 qbytes, not 2 and 4"),
            std::string::npos);
  for (const char* wrong : {":wbytes=E4:qbytes=0", ":wbytes=E4:qbytes=0G010101"}) {
    EXPECT_NE(error_of(std::string("i2_s.dot:layout=linear:k=4:probe=literal") + wrong).find("hex digits"),
              std::string::npos)
        << wrong;
  }
  for (const char* half : {"", ":wbytes=E4", ":qbytes=01010101"}) {
    EXPECT_NE(error_of(std::string("i2_s.dot:layout=linear:k=4:probe=literal") + half).find("needs both"),
              std::string::npos)
        << half;
  }
  EXPECT_NE(
      error_of("i2_s.dot:layout=linear:k=4:probe=random:wbytes=E4:qbytes=01010101").find("belong to probe=literal"),
      std::string::npos);
}

// One kind of text for every format.
TEST(Case, FormatsAreKnownInAnyCaseAndTextsOfThePastStillRead) {
  const std::string now = "q4_K.vec_dot:k=512:n=2:probe=memory:seed=1:qoff=8:qpad=4:woff=2:wpad=36";
  EXPECT_EQ(to_string(parse_case("Q4_k.vec_dot:k=512:n=2:probe=memory:seed=1:xoff=2:xpad=36:yoff=8:ypad=4")), now);
  EXPECT_EQ(to_string(parse_case(now)), now);
  EXPECT_EQ(parse_case("I2_S.dot:layout=linear:k=4:probe=random").format, "i2_s");
  EXPECT_EQ(to_string(parse_case("q8_0.from_float:k=256:probe=tie:seed=1")), "q8_0.from_float:k=256:probe=tie:seed=1");
  EXPECT_NE(error_of("i2_s.vec_dot:k=256:probe=random").find("unknown operation 'vec_dot' of i2_s"), std::string::npos);
  EXPECT_NE(error_of("q4_K.dot:k=256:probe=random").find("vec_dot, to_float and from_float exist"), std::string::npos);
  EXPECT_NE(error_of("q4_K.vec_dot:layout=linear:k=256:probe=random").find("'layout=linear'"), std::string::npos);
}

// What lies in memory does not choose the data, so a name of the past makes the same problem.
TEST(Case, ATextOfThePastMakesTheSameData) {
  const Problem then = make_problem(parse_case("tq2_0.vec_dot:k=512:n=1:probe=memory:seed=3:xoff=2:yoff=4"));
  const Problem now = make_problem(parse_case("tq2_0.vec_dot:k=512:n=1:probe=memory:seed=3"));
  EXPECT_TRUE(then.x == now.x && then.y == now.y);
  EXPECT_EQ(then.w_offset, 2U);
  EXPECT_EQ(then.q_offset, 4U);
}

TEST(Case, BlocksMayBeSpelledOutToo) {
  const std::string weights(66 * 2, '0');
  const std::string acts(292 * 2, '0');
  const std::string head = "tq2_0.vec_dot:k=256:n=1:probe=literal:seed=1";
  const std::string text = head + ":wbytes=" + weights + ":qbytes=" + acts;
  EXPECT_EQ(to_string(parse_case(text)), text);
  EXPECT_EQ(make_problem(parse_case(text)).x, std::vector<uint8_t>(66));
  EXPECT_NE(error_of(head + ":wbytes=00:qbytes=00").find("this shape has 66 wbytes and 292 qbytes, not 1 and 1"),
            std::string::npos);
  EXPECT_NE(error_of(head + ":wbytes=" + weights).find("needs both"), std::string::npos);
  // sums that are not those of the codes
  const std::string ones = std::string(292 * 2, '1');
  EXPECT_NE(error_of(head + ":wbytes=" + weights + ":qbytes=" + ones).find("no legal blocks"), std::string::npos);
  const std::string floats = "q8_0.from_float:k=32:probe=literal:seed=1:wbytes=" + std::string(32 * 8, '0');
  EXPECT_EQ(make_problem(parse_case(floats)).x.size(), 128U);
  EXPECT_NE(error_of(floats + ":qbytes=00").find("no qbytes"), std::string::npos);
}

TEST(Case, WhatIsWrongIsNamed) {
  EXPECT_NE(error_of("dot:k=1").find("should begin with FORMAT.OPERATION, as 'i2_s.dot'"), std::string::npos);
  EXPECT_NE(error_of("i2_s.sum:k=1").find("unknown operation 'sum'"), std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x87:k=1:probe=random").find("unknown layout 'x87'"), std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:k=12x:probe=random").find("'k=12x' is not a whole number"),
            std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:k=0:probe=random").find("'k=0'"), std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:probe=random").find("'k=' is missing"), std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:k=128:k=256:probe=random").find("'k' is given twice"), std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:k=128:probe=magic").find("unknown probe 'magic'"), std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:k=192:probe=random").find("K = 192 is not a multiple of 128"),
            std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:k=128:n=2:probe=random").find("op dot computes one result"),
            std::string::npos);
  EXPECT_NE(error_of("i2_s.gemv:layout=x86_128:k=128:n=4:probe=random:m=3").find("m is smaller"), std::string::npos);
  EXPECT_NE(error_of("i2_s.rows:layout=x86_128:k=128:n=4:probe=random:wpad=-1").find("wpad = -1 is not from 0 to 4096"),
            std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:k=128:probe=shape:foo=3").find("no probe has a parameter 'foo'"),
            std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:k=128:probe=extreme:code=4").find("code = 4 is not from 0 to 3"),
            std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:k=128:probe=label:pos=128").find("pos is not a column"),
            std::string::npos);
  EXPECT_NE(error_of("i2_s.rows:layout=x86_128:k=1048576:n=1000000:probe=shape").find("more than 2^28 weights"),
            std::string::npos);
  EXPECT_NE(error_of("i2_s.dot:layout=x86_128:k=128:probe").find("is not key=value"), std::string::npos);
}

RC_GTEST_PROP(Case, AnyTextIsReadOrRefused, ()) {
  Prng rng(*rc::gen::arbitrary<uint64_t>());
  std::string text = "i2_s.rows:layout=arm_64:k=4096:n=3:probe=extreme:seed=7:code=2:q=-128:model=x:tensor=%41:row=1";
  for (int i = 0; i < 6; ++i) text[rng.below(text.size())] = static_cast<char>(rng.below(256));
  try {
    const Case c = parse_case(text);
    RC_ASSERT(parse_case(to_string(c)) == c);
  } catch (const std::invalid_argument& e) {
    RC_ASSERT(std::string(e.what()).size() > 10);
  }
}

TEST(Case, ASmallerShapeKeepsThePrefixOfItsData) {
  const I2sProblem big = numbers_of(parse_case("i2_s.rows:layout=x86_128:k=1024:n=5:probe=random:seed=3"));
  const I2sProblem small = numbers_of(parse_case("i2_s.rows:layout=x86_128:k=256:n=2:probe=random:seed=3:wpad=16"));
  for (size_t row = 0; row < 2; ++row) {
    EXPECT_TRUE(std::equal(small.codes.begin() + row * 256, small.codes.begin() + (row + 1) * 256,
                           big.codes.begin() + row * 1024));
  }
  EXPECT_TRUE(std::equal(small.q.begin(), small.q.end(), big.q.begin()));
  EXPECT_NE(numbers_of(parse_case("i2_s.rows:layout=x86_128:k=256:n=2:probe=random:seed=4")).q, small.q);
}

std::vector<Case> cases(std::string_view family, const Contract& c, Level level = Level::quick) {
  return find_family(family)->cases(kernel_of(c), level, 1);
}

TEST(Families, TheOneHotBasisIsComplete) {
  for (Layout layout : i2_s::kLayouts) {
    const Contract c = i2_s_contract(layout == Layout::rows_1x4 ? Op::rows : Op::dot, layout);
    std::set<size_t> hot;
    size_t k = 0;
    for (const Case& one : cases("F1", c)) {
      const I2sProblem p = numbers_of(one);
      k = p.q.size();
      EXPECT_EQ(std::accumulate(p.q.begin(), p.q.end(), 0), 1);
      hot.insert(static_cast<size_t>(std::find(p.q.begin(), p.q.end(), 1) - p.q.begin()));
    }
    EXPECT_GE(k, 256u);
    EXPECT_EQ(hot.size(), k);
  }
}

TEST(Families, EveryByteValueAtEveryPlace) {
  const Contract c = i2_s_contract(Op::dot, Layout::x86_128);
  std::set<std::pair<size_t, int>> seen;
  for (const Case& one : cases("F5", c)) {
    const std::vector<uint8_t> bytes = make_problem(one).x;
    for (size_t i = 0; i < bytes.size(); ++i) seen.emplace(i, bytes[i]);
  }
  EXPECT_EQ(seen.size(), 64u * 256u);
}

TEST(Families, ExtremesStandOnBothSidesOfEveryBound) {
  // 16 lanes of 16 bits: 129 products of 2 * 127, 85 of 3 * 128, 127 of 2 * 128 (and 128 on the negative side)
  const Contract c = i2_s_contract(Op::dot, Layout::x86_128);
  std::set<int64_t> ks;
  for (const Case& one : cases("F2", c)) {
    if (one.param("code") == 2 && one.param("q") == 127) ks.insert(one.k);
  }
  for (int64_t bound : {129 * 8, 129 * 16, 129 * 32, 129 * 64}) {
    EXPECT_TRUE(ks.contains(bound / 128 * 128)) << bound;
    EXPECT_TRUE(ks.contains(bound / 128 * 128 + 128)) << bound;
  }
}

TEST(Families, SumsAreWhatTheySay) {
  const Contract c = i2_s_contract(Op::gemv, Layout::x86_128);
  std::set<int> signs;
  for (const Case& one : cases("F7", c)) {
    const I2sProblem p = numbers_of(one);
    const int sum = std::accumulate(p.q.begin(), p.q.end(), 0);
    if (one.param("kind") == 0) {
      EXPECT_EQ(sum, 0);
    }
    if (one.param("kind") == 1) {
      EXPECT_GT(sum, p.k * 50);
    }
    if (one.param("kind") == 2) {
      EXPECT_LT(sum, -p.k * 50);
    }
    signs.insert(sum > 0 ? 1 : sum < 0 ? -1 : 0);
  }
  EXPECT_EQ(signs.size(), 3u);
}

TEST(Families, ShapesCoverEveryResidue) {
  const Contract c = i2_s_contract(Op::rows, Layout::x86_128);
  std::set<int64_t> units;
  std::set<int32_t> rows;
  for (const Case& one : cases("F4", c)) {
    units.insert(one.k / 128);
    rows.insert(one.n);
  }
  for (int64_t u = 1; u <= 17; ++u) EXPECT_TRUE(units.contains(u)) << u;
  for (int32_t n = 1; n <= 17; ++n) EXPECT_TRUE(rows.contains(n)) << n;
}

TEST(Families, EveryCaseOfEveryContractCanBeMade) {
  for (Op op : {Op::dot, Op::rows, Op::acts, Op::gemv}) {
    for (Layout layout : i2_s::kLayouts) {
      if (layout == Layout::rows_1x4 && (op == Op::dot || op == Op::acts)) continue;
      for (const ProbeFamily& f : probe_families()) {
        int made = 0;
        for (const Case& one : f.cases(kernel_of(i2_s_contract(op, layout)), Level::quick, 5)) {
          ASSERT_EQ(parse_case(to_string(one)), one);
          if (made++ % 7 == 0) {
            ASSERT_NO_THROW(make_problem(one)) << to_string(one);
          }
        }
        // scales belong to a gemv, and some families to formats of blocks
        if (f.id != "F6" && f.of_i2_s != nullptr) {
          EXPECT_GT(made, 0) << f.id;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tritcheck
