// The three report forms on hand-made reports, every verdict included.
#include "harness/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/base/console.h"
#include "harness/report/summary.h"
#include "harness/report/upstream.h"
#include "harness/report/xml.h"

namespace tritcheck {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr Verdict kFailing[] = {Verdict::mismatch, Verdict::unwritten, Verdict::over_read, Verdict::over_write,
                                Verdict::crash,    Verdict::timeout,   Verdict::clobbered, Verdict::nondeterministic};

KernelReport kernel(const std::string& name, Verdict verdict, const std::string& target = "local") {
  KernelReport k;
  k.kernel.name = name;
  k.kernel.isa = Isa::avx2;
  k.kernel.via = Via::native;
  k.kernel.runnable = true;
  k.target = target;
  k.verdict = verdict;
  k.cases = verdict == Verdict::skipped ? 0 : 120;
  k.seconds = 0.0123;
  if (verdict == Verdict::skipped) k.reason = "cpu lacks dotprod";
  if (verdict != Verdict::pass && verdict != Verdict::skipped) {
    k.failure = Failure{.diagnosis = "layout-block-size",
                        .sentence = "reads blocks of 64/16 where the file has 128/32",
                        .evidence = {"256 of 256 one-hot probes agree"},
                        .case_text = "i2_s.dot:layout=x86_128:k=256:n=1:probe=onehot:seed=1:pos=3",
                        .family = "F1",
                        .expected = {"7", "-1"},
                        .got = {"7", "2"},
                        .repro = "tritcheck replay 'i2_s.dot:layout=x86_128:k=256:n=1:probe=onehot:seed=1:pos=3'"};
  }
  return k;
}

Report report_of(std::vector<KernelReport> kernels) {
  Report r;
  r.seed = 18446744073709551615U;
  r.level = Level::quick;
  r.seconds = 1.234;
  r.targets.push_back({"local", {"x86_64", "gcc 12.2.0", "-O3", "ssse3 avx2", 1, {}}, false});
  r.kernels = std::move(kernels);
  return r;
}

ReportContext context(int code = 0) {
  return {{"0.1.0", "gcc 12.2.0", "-O3 -DNDEBUG", "Some CPU"}, code};
}

std::string text(const Report& r) {
  return text_report(r, context());
}

TEST(Text, StatesTheFactsOfTheRun) {
  const std::string out = text(report_of({kernel("k_one", Verdict::pass)}));
  for (const char* fact : {"tritcheck 0.1.0", "gcc 12.2.0", "-O3 -DNDEBUG", "Some CPU", "report schema 1",
                           "level quick", "seed 18446744073709551615", "ssse3 avx2", "k_one", "120", "12 ms"}) {
    EXPECT_THAT(out, HasSubstr(fact));
  }
  EXPECT_THAT(out, HasSubstr("\n1 kernel passed, 0 failed, 0 skipped in 1.2 s\n"));
}

TEST(Text, NoColourUnlessAsked) {
  Report r = report_of({kernel("a", Verdict::pass), kernel("b", Verdict::mismatch), kernel("c", Verdict::skipped)});
  EXPECT_THAT(text(r), Not(HasSubstr("\033")));
  const std::string coloured = text_report(r, context(), {.colour = true});
  EXPECT_THAT(coloured, AllOf(HasSubstr("\033[32mpass\033[0m"), HasSubstr("\033[1;31mmismatch")));
}

TEST(Text, EveryVerdictIsNamedAndExplained) {
  for (const Verdict verdict : kFailing) {
    const std::string out = text(report_of({kernel("k_bad", verdict)}));
    EXPECT_THAT(out, HasSubstr(std::string(verdict_name(verdict)) + ": layout-block-size"));
    EXPECT_THAT(out, HasSubstr("FAILED k_bad on local: " + std::string(verdict_name(verdict)) + " in family F1"));
    EXPECT_THAT(out, HasSubstr("reads blocks of 64/16 where the file has 128/32"));
    EXPECT_THAT(out, HasSubstr("- 256 of 256 one-hot probes agree"));
    EXPECT_THAT(out, HasSubstr("\n  repro: tritcheck replay 'i2_s.dot:layout=x86_128:k=256:n=1:probe=onehot:seed=1:"
                               "pos=3'\n"));
    EXPECT_THAT(out, HasSubstr("0 kernels passed, 1 failed"));
  }
}

TEST(Text, ExpectedAndGotStandSideBySide) {
  const std::string out = text(report_of({kernel("k_bad", Verdict::mismatch)}));
  EXPECT_THAT(out, HasSubstr("    output  expected  got\n         0         7    7\n         1        -1    2  <\n"));
}

TEST(Text, LongOutputsAreShownAroundTheFirstDifference) {
  KernelReport k = kernel("k_bad", Verdict::mismatch);
  k.failure->expected.assign(100, "1");
  k.failure->got = k.failure->expected;
  k.failure->got[90] = "5";
  const std::string out = text(report_of({k}));
  EXPECT_THAT(out, AllOf(HasSubstr("        90         1    5  <\n"), HasSubstr("(12 of 100 outputs shown)")));
  EXPECT_THAT(out, Not(HasSubstr("\n        80 ")));
}

TEST(Text, SkipsAreCountedByReason) {
  Report r = report_of({kernel("a", Verdict::skipped), kernel("b", Verdict::skipped), kernel("c", Verdict::pass)});
  r.kernels[2].skipped_cases = {{"K = 192 is not a multiple of 128", 40}};
  const std::string out = text(r);
  EXPECT_THAT(out, HasSubstr("\n  2 kernels skipped: cpu lacks dotprod\n"));
  EXPECT_THAT(out, HasSubstr("\n  40 cases skipped: K = 192 is not a multiple of 128\n"));
  EXPECT_THAT(out, HasSubstr("1 kernel passed, 0 failed, 2 skipped (cpu lacks dotprod) in"));
  r.kernels.pop_back();
  EXPECT_THAT(text(r), HasSubstr("nothing ran: 0 kernels passed"));
}

TEST(Text, EmptyAndInterruptedReports) {
  EXPECT_THAT(text(Report{}), HasSubstr("nothing ran: 0 kernels passed, 0 failed, 0 skipped in"));
  Report r = report_of({kernel("a", Verdict::pass)});
  r.interrupted = true;
  EXPECT_THAT(text(r), HasSubstr("\ninterrupted, partial result: 1 kernel passed"));
}

// Failures whose data no program can hold: rows of a file, and formats whose values are not known.
TEST(Upstream, SaysWhereTheDataAreInPlaceOfAProgram) {
  Report r = report_of({kernel("a", Verdict::mismatch)});
  Failure f;
  f.diagnosis = "constant-factor";
  f.case_text = "tq2_0.vec_dot:k=256:n=1:probe=real:seed=1:act=0:model=0123456789abcdef:tensor=blk.0.x:row=7";
  r.kernels[0].failure = f;
  r.kernels[0].target = r.targets[0].target;
  EXPECT_THAT(upstream_report(r, context(1)), HasSubstr("row 7 of tensor `blk.0.x`"));
  r.kernels[0].failure->case_text = "iq2_xxs.vec_dot:k=256:n=1:probe=decode:seed=1:pos=0";
  EXPECT_THAT(upstream_report(r, context(1)), HasSubstr("No program"));
}

TEST(Text, AModelOfBlocksHasFormatsAndNoLayout) {
  Report r = report_of({kernel("a", Verdict::pass)});
  r.model = ModelReport{"m.gguf", "0d5f0d5f0d5f0d5f", Layout::x86_128, false, 12, 3456, 9876, false, {"q4_K", "q6_K"}};
  EXPECT_THAT(text(r), AllOf(HasSubstr("12 tensors, 3456 rows, 9876 cases; blocks of q4_K, q6_K\n"),
                             Not(HasSubstr("layout assumed"))));
  EXPECT_TRUE(nlohmann::json::parse(json_report(r, context(1)))["model"]["layout"].is_null());
}

TEST(Text, AModelWithoutALayoutIsNotProven) {
  Report r = report_of({kernel("a", Verdict::pass)});
  r.model = ModelReport{"m.gguf", "0d5f0d5f0d5f0d5f", Layout::x86_128, false, 12, 3456, 9876, true};
  EXPECT_THAT(text(r),
              AllOf(HasSubstr("layout assumed: x86_128, not proven"), HasSubstr("12 tensors, 3456 rows, 9876")));
  r.model->layout_given = true;
  EXPECT_THAT(text(r), AllOf(HasSubstr("layout x86_128, as given"), Not(HasSubstr("not proven"))));
}

TEST(Text, MuseumKernelsShowExpectedAndFoundDiagnosis) {
  Report r = report_of({kernel("bug_right", Verdict::mismatch), kernel("bug_other", Verdict::mismatch),
                        kernel("bug_missed", Verdict::pass)});
  for (KernelReport& k : r.kernels) k.kernel.is_bug = true;
  r.kernels[0].kernel.diagnosis = "layout-block-size";
  r.kernels[1].kernel.diagnosis = "int16-overflow";
  const std::string out = text(r);
  EXPECT_THAT(out, AllOf(HasSubstr("caught and named"), HasSubstr("caught, misnamed"), HasSubstr("MISSED")));
  EXPECT_THAT(out, HasSubstr("museum: 1 bug caught and named, 1 misnamed, 1 missed, 0 skipped in 1.2 s\n"));
}

TEST(Text, FitsAHundredColumns) {
  KernelReport k = kernel("i2_s_a_kernel_with_a_name_that_is_too_long_for_a_table", Verdict::mismatch);
  k.failure->sentence =
      std::string(20, 'x') + " " + k.failure->sentence + " " + k.failure->sentence + " again and again";
  k.failure->case_text = k.failure->repro = "short";
  Report r = report_of({k});
  r.targets[0].worker.flags =
      "-O3 -DNDEBUG -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all "
      "-Wall -Wextra";
  r.targets.push_back({"qemu:cortex-a53", {}, true});
  std::istringstream lines(text(r));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(Text, ControlCharactersCannotReachTheTerminal) {
  KernelReport k = kernel("a", Verdict::crash);
  k.failure->sentence = "note \033[2J\r\n end";
  EXPECT_THAT(text(report_of({k})), AllOf(Not(HasSubstr("\033")), HasSubstr("\\x1b[2J\\x0d\\x0a end")));
}

TEST(Ledger, SeparatesSimdeEmulationAndSilicon) {
  Report r = report_of({kernel("k_neon", Verdict::pass), kernel("k_neon", Verdict::mismatch, "qemu:cortex-a53"),
                        kernel("k_neon", Verdict::skipped, "qemu:max"), kernel("k_sve", Verdict::skipped)});
  r.targets.push_back({"qemu:cortex-a53", {}, true});
  r.targets.push_back({"qemu:max", {}, true});
  r.kernels[0].kernel.via = Via::simde;
  r.kernels[1].kernel.selected = true;
  r.kernels[3].kernel.via = Via::absent;
  const auto entries = ledger(r);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_THAT(entries[0].compiled, ElementsAre("local", "qemu:cortex-a53", "qemu:max"));
  EXPECT_THAT(entries[0].selected, ElementsAre("qemu:cortex-a53"));
  EXPECT_THAT(entries[0].simde, ElementsAre("local"));
  EXPECT_THAT(entries[0].emulated, ElementsAre("qemu:cortex-a53"));
  EXPECT_TRUE(entries[0].silicon.empty());
  EXPECT_TRUE(entries[1].compiled.empty());
  EXPECT_THAT(text(r), HasSubstr("ledger"));
}

TEST(Json, ParsesBackWithEverything) {
  Report r = report_of({kernel("a", Verdict::pass), kernel("b", Verdict::skipped)});
  for (const Verdict verdict : kFailing) r.kernels.push_back(kernel("bad", verdict));
  r.kernels[0].families = {{"F1", 100, 0}, {"random", 20, 0}};
  r.kernels[0].skipped_cases = {{"K = 192", 4}};
  r.model = ModelReport{"m.gguf", "0d5f0d5f0d5f0d5f", Layout::arm_64, true, 12, 3456, 9876, true};
  const auto j = nlohmann::json::parse(json_report(r, context(1)));
  EXPECT_EQ(j["schema"], kReportSchema);
  EXPECT_EQ(j["exit_code"], 1);
  EXPECT_EQ(j["seed"].get<uint64_t>(), r.seed);
  EXPECT_EQ(j["program"]["compiler"], "gcc 12.2.0");
  EXPECT_EQ(j["summary"]["failed"], 8);
  EXPECT_EQ(j["model"]["layout"], "arm_64");
  EXPECT_EQ(j["targets"][0]["cpu"], "ssse3 avx2");
  EXPECT_EQ(j["kernels"][0]["families"][1]["cases"], 20);
  EXPECT_EQ(j["kernels"][0]["skipped_cases"][0]["cases"], 4);
  EXPECT_TRUE(j["kernels"][0]["failure"].is_null());
  EXPECT_TRUE(j["kernels"][0]["museum"].is_null());
  EXPECT_EQ(j["kernels"][1]["reason"], "cpu lacks dotprod");
  for (size_t i = 0; i < std::size(kFailing); ++i) {
    EXPECT_EQ(j["kernels"][i + 2]["verdict"], std::string(verdict_name(kFailing[i])));
  }
  EXPECT_EQ(j["kernels"][2]["failure"]["got"][1], "2");
  EXPECT_EQ(j["ledger"][0]["silicon"][0], "local");
}

TEST(Json, SurvivesEmptyReportsAndGarbageBytes) {
  EXPECT_EQ(nlohmann::json::parse(json_report({}, context(3)))["kernels"].size(), 0U);
  KernelReport k = kernel("a", Verdict::crash);
  k.failure->sentence = "\xff\xfe\x01 \" \\";
  const auto j = nlohmann::json::parse(json_report(report_of({k}), context()));
  EXPECT_EQ(j["kernels"][0]["failure"]["sentence"], "\xEF\xBF\xBD\xEF\xBF\xBD\x01 \" \\");
}

TEST(JUnit, CountsAndNamesEveryTestcase) {
  Report r = report_of({kernel("a", Verdict::pass), kernel("b", Verdict::skipped)});
  for (const Verdict verdict : kFailing) r.kernels.push_back(kernel("bad", verdict));
  const std::string out = junit_report(r, context(2));
  EXPECT_THAT(out, HasSubstr("<testsuite name=\"local\" tests=\"10\" failures=\"8\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(out, HasSubstr("<testcase classname=\"tritcheck.local\" name=\"a\" time=\"0.012\"/>"));
  EXPECT_THAT(out, HasSubstr("<skipped message=\"cpu lacks dotprod\"/>"));
  EXPECT_THAT(out, HasSubstr("<failure type=\"layout-block-size\" message=\"mismatch: layout-block-size: reads"));
  EXPECT_THAT(out, HasSubstr("<property name=\"seed\" value=\"18446744073709551615\"/>"));
  EXPECT_THAT(out, HasSubstr("repro: tritcheck replay"));
  EXPECT_THAT(junit_report({}, context(3)), HasSubstr("<testsuites name=\"tritcheck\" tests=\"0\""));
}

TEST(Xml, EscapesMarkupAndWhatXmlCannotHold) {
  EXPECT_EQ(xml_attribute("a<b> & \"c\"\n\t"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;&#9;");
  EXPECT_EQ(xml_content("x\ny]]>\r"), "x\ny]]&gt;&#13;");
  EXPECT_EQ(xml_content(std::string_view("\0\x01\x1b\x7f", 4)), "\\x00\\x01\\x1b\x7f");
  EXPECT_EQ(xml_content("\xC3\xA9 \xF0\x9F\x98\x80"), "\xC3\xA9 \xF0\x9F\x98\x80");
  EXPECT_EQ(xml_content("\xC0\xAF"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(xml_content("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(xml_content("\xEF\xBF\xBF"), "\\xef\\xbf\\xbf");           // U+FFFF
  EXPECT_EQ(xml_content("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  EXPECT_EQ(xml_content("\xE2\x82"), "\\xe2\\x82");                    // cut off
}

TEST(Console, DurationsAndFitting) {
  EXPECT_EQ(duration(0.0004), "0.4 ms");
  EXPECT_EQ(duration(0.00997), "10 ms");
  EXPECT_EQ(duration(0.9996), "1.0 s");
  EXPECT_EQ(duration(59.96), "1 min 0 s");
  EXPECT_EQ(duration(125), "2 min 5 s");
  EXPECT_EQ(fitted("abcdef", 6), "abcdef");
  EXPECT_EQ(fitted("abcdef", 5), "ab...");
  EXPECT_EQ(fitted("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 5), "\xC3\xA9\xC3\xA9...");
  EXPECT_EQ(wrapped("one two three", 24, "  "), "  one two three\n");
  EXPECT_EQ(wrapped("aaaaaaaaaaaaaaa bbbbbbbbbb", 24, "  "), "  aaaaaaaaaaaaaaa\n  bbbbbbbbbb\n");
}

}  // namespace
}  // namespace tritcheck
