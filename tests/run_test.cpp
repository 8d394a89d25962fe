// `tritcheck run` as a user runs it: what is printed and where, exit codes, pipes and signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/golden/golden.h"
#include "engine/text/utf8.h"
#include "harness/verify/verify.h"
#include "tests/engine_models.h"
#include "tests/run_folder.h"

namespace tritcheck {
namespace {

using ::testing::AllOf;
using testing::Child;
using testing::contents;
using testing::count;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::kFrance;
using testing::kModels;
using ::testing::Not;
using testing::Ran;
using ::testing::StartsWith;

class RunCli : public testing::RunFolder {};

// The golden file's text of that prompt, as the program prints it.
std::string golden_text(const std::string& model, const std::string& prompt) {
  const auto json = nlohmann::json::parse(contents(kModels + model + "-golden.json"));
  for (const auto& p : json["prompts"]) {
    if (p["prompt"] == prompt) return p["text"].get<std::string>() + "\n";
  }
  return "no such prompt";
}

TEST_F(RunCli, SaysParisInEveryEncoding) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".gguf") continue;
    ++models;
    const std::string layout =
        name.find("i2_s") == std::string::npos ? "" : " --layout " + std::string(i2_s::name(engine::layout_in(name)));
    EXPECT_EQ(text("'" + entry.path().string() + "'" + kFrance + layout),
              golden_text(name.substr(0, 7), "The capital of France is"))
        << name;
  }
  EXPECT_GE(models, 14);
}

TEST_F(RunCli, GoldenAndKernelsByNameSayTheSame) {
  const std::string want = golden_text("paris-b", "Portugal's capital is");
  for (const char* kernels : {"golden", "auto", "scalar", "i2_s_x86_128_dot_scalar", "gemv=i2_s_x86_128_gemv_scalar"}) {
    const Ran r = run("\"$B\" -p \"Portugal's capital is\" -t 2 --kernels " + std::string(kernels));
    EXPECT_EQ(r.out, want) << kernels;
    EXPECT_THAT(r.err, HasSubstr(std::string("kernels: ") + (kernels == std::string("golden") ? "golden" : "")));
  }
  EXPECT_EQ(text("\"$B\" --act none" + kFrance), text("\"$B\" --act none --kernels golden" + kFrance));
  // the kernel that is named does run: a broken one spoils the text
  EXPECT_NE(text("\"$B\" -n 20" + kFrance + " --kernels bug_layout_64_on_128"),
            golden_text("paris-b", "The capital of France is"));
}

TEST_F(RunCli, StandardErrorSaysTheRest) {
  const Ran r = run("\"$B\" -t 2" + kFrance);
  EXPECT_THAT(r.err,
              AllOf(HasSubstr("paris-b-i2_s.x86_128.gguf, bitnet-b1.58, context 256, I2_S layout x86_128 (assumed)"),
                    HasSubstr("kernels: "), HasSubstr("; 2 threads\n"), HasSubstr("\nprompt: 11 tokens in "),
                    HasSubstr("\ntext: 28 tokens in "), HasSubstr(" tokens/s\n"),
                    HasSubstr("\nend: the model ended the text\n")));
  EXPECT_THAT(run("\"$B\" --layout x86_128" + kFrance).err, Not(HasSubstr("assumed")));
}

TEST_F(RunCli, LengthsAndWhatEndsThem) {
  EXPECT_EQ(text("\"$B\" -n 0" + kFrance), "");
  EXPECT_EQ(text("\"$B\" -n 1 --ids 510,276,267,270,32,70,114,269,99,101,262"), " P\n");
  EXPECT_THAT(run("\"$B\" -n 2" + kFrance).err,
              AllOf(HasSubstr("text: 2 tokens"), HasSubstr("end: 2 tokens as asked for")));

  const Ran full = run("'" + endless() + "' --temp 1" + kFrance);
  EXPECT_EQ(full.code, 0) << full.err;
  EXPECT_THAT(full.err, AllOf(HasSubstr("text: 245 tokens"), HasSubstr("end: context of 256 tokens is full\n")));
  const Ran small = run("\"$B\" -c 13" + kFrance);
  EXPECT_EQ(small.code, 0);
  EXPECT_THAT(small.err, AllOf(HasSubstr("text: 2 tokens"), HasSubstr("end: context of 13 tokens is full\n")));
  const Ran large = run("endless.gguf -c 300 --temp 1" + kFrance);
  EXPECT_EQ(large.code, 0);
  EXPECT_THAT(large.err, AllOf(HasSubstr("note: context of 300 positions, but the model was made for 256"),
                               HasSubstr("text: 289 tokens")));
  expect_refused("\"$B\" -c 10" + kFrance, kExitUsage, "the prompt has 11 tokens, the context 10 positions");
}

// Greedy, "Tokyo" is the tokens "T", "ok", "y", "o"; here the last two are the bytes of one character.
TEST_F(RunCli, ACharacterThatIsCutOffDoesNotShow) {
  const std::string model = text_of_bytes();
  const std::string args = "'" + model + "' --ids 510,276,267,270,410,263,269,262 -n ";
  EXPECT_EQ(text(args + "2"), " Tok\n");
  EXPECT_EQ(text(args + "3"), " Tok\n");
  EXPECT_EQ(text(args + "4"), " Tok\u00E9\n");
  EXPECT_THAT(text(args + "50"), StartsWith(" Tok\u00E9. Tok\u00E9 is a city that is known for its "));
}

TEST_F(RunCli, TheSeedDecides) {
  const std::string args = "\"$A\" -n 40 --temp 1.5" + kFrance;
  const std::string seven = text(args + " --seed 7");
  EXPECT_EQ(text(args + " --seed 7"), seven);
  EXPECT_EQ(text(args + " --seed 7 -t 1"), seven);
  EXPECT_NE(text(args + " --seed 8"), seven);
  const std::string greedy = golden_text("paris-a", "The capital of France is");
  EXPECT_NE(seven, greedy);
  EXPECT_EQ(text(args + " --top-k 1"), greedy);
  EXPECT_EQ(text(args + " --top-p 1e-9"), greedy);
  EXPECT_THAT(run("\"$A\" -n 1 --seed 7" + kFrance).err, HasSubstr("change nothing at temperature 0"));
}

TEST_F(RunCli, ThePromptComesFromStandardInput) {
  const Ran r = shell("echo 'The capital of France is' | \"$P\" run \"$B\" -p -");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, golden_text("paris-b", "The capital of France is"));
}

TEST_F(RunCli, PromptsInOtherForms) {
  const std::string france = "\"$B\" -n 0" + kFrance;
  EXPECT_THAT(run(france).err, HasSubstr("prompt: 11 tokens"));
  EXPECT_THAT(run(france + " --no-bos").err, HasSubstr("prompt: 10 tokens"));
  EXPECT_THAT(run(france + " --chat auto").err, AllOf(HasSubstr("taken raw"), HasSubstr("prompt: 11 tokens")));
  EXPECT_THAT(run(france + " --chat bitnet_cpp").err, Not(HasSubstr("prompt: 11 tokens")));
  expect_refused(france + " --chat hf", kExitUsage, "eot_token_id");
  // <|begin_of_text|> as text is many tokens, as the token one
  EXPECT_THAT(run("\"$B\" -n 0 -p '<|begin_of_text|>' --special").err, HasSubstr("prompt: 2 tokens"));
  EXPECT_THAT(run("\"$B\" -n 0 -p '<|begin_of_text|>'").err, Not(HasSubstr("prompt: 2 tokens")));
  EXPECT_THAT(text("\"$B\" --special" + kFrance), EndsWith("towers.<|end_of_text|>\n"));
}

TEST_F(RunCli, BadUsageIsOneLine) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "MODEL is required"},
      {"\"$B\"", "-p TEXT, -p - for standard input, or --ids"},
      {"\"$B\" -p x --ids 1", "-p and --ids exclude each other"},
      {"\"$B\" -p ''", "--prompt is empty"},
      {"\"$B\" -p x --temprature 1", "unknown option '--temprature'"},
      {"\"$B\" -p x --top-q 1", "did you mean --top-"},
      {"\"$B\" -p x -q", "unknown option '-q'"},
      {"\"$B\" -p x extra", "unknown argument 'extra'"},
      {"\"$B\" -p x -n -1", "whole number from 0"},
      {"\"$B\" -p x -c 0", "whole number from 1"},
      {"\"$B\" -p x -t 0", "from 1 to 256"},
      {"\"$B\" -p x --temp -0.5", "--temp: '-0.5' is not a number from 0 to 1000"},
      {"\"$B\" -p x --temp nan", "--temp: 'nan'"},
      {"\"$B\" -p x --top-p 0", "above 0 and up to 1"},
      {"\"$B\" -p x --top-p 1.1", "above 0 and up to 1"},
      {"\"$B\" -p x --top-k 1.5", "--top-k: '1.5' is not a whole number"},
      {"\"$B\" -p x --seed -1", "--seed: '-1'"},
      {"\"$B\" -p x --chat llama", "raw, hf, ik, bitnet_cpp or auto"},
      {"\"$B\" -p x --chat hf --no-bos", "--no-bos goes with --chat raw"},
      {"\"$B\" -p x --system y", "--system needs --chat"},
      {"\"$B\" --ids 1 --chat hf", "--ids is the whole prompt"},
      {"\"$B\" --ids 1,,2", "--ids: '' is not a whole number"},
      {"\"$B\" --ids 1,x", "--ids: 'x' is not a whole number"},
      {"\"$B\" --ids 1,512", "token id 512: this model has 0 to 511"},
      {"\"$B\" -p x --layout arm", "x86_128, arm_64"},
      {"\"$B\" -p x --act int4", "auto, row, block or none"},
      {"\"$B\" -p x --isa avx3", "avx2"},
      {"\"$B\" -p x --kernels goldn", "no kernel is named 'goldn'"},
      {"'" + kModels + "paris-b-f32.gguf' -p x --kernels goldn", "no kernel is named 'goldn'"},
      {"\"$B\" -p x --kernels golden --act block", "golden quantises by row"},
      {"\"$B\" -p x --kernels golden --isa scalar", "golden runs no kernel"},
      {"\"$B\" -p x --trace-values", "--trace-values needs --trace"},
  };
  for (const auto& [args, hint] : cases) expect_refused(args, kExitUsage, hint);
}

TEST_F(RunCli, BadFilesAreOneLine) {
  std::ofstream(dir_ / "junk.gguf") << "this is not a model";
  expect_refused("missing.gguf -p x", kExitBadFile, "missing.gguf");
  expect_refused("junk.gguf -p x", kExitBadFile, "junk.gguf: ");
  expect_refused("\"$B\" -p x --trace no/such/folder/t", kExitBadFile, "no/such/folder/t");
  ASSERT_EQ(shell("cp \"$B\" m.gguf").code, 0);
  expect_refused("m.gguf -p x --trace ./m.gguf", kExitUsage, "names the model file itself");
  EXPECT_EQ(contents(dir_ / "m.gguf"), contents(kModels + "paris-b-i2_s.x86_128.gguf"));
}

TEST_F(RunCli, LogitsThatAreNoneAreABadFile) {
  std::string all = contents(kModels + "paris-b-f32.gguf");
  const gguf::File file = gguf::parse({reinterpret_cast<const uint8_t*>(all.data()), all.size()});
  // finite weights, whose products are not
  for (size_t i = 0; i < 64; ++i)
    all.replace(file.tensor("output_norm.weight")->data_offset + 4 * i, 4, "\xFF\xFF\x7F\x7F");
  std::ofstream(dir_ / "huge.gguf", std::ios::binary) << all;
  const Ran r = run("huge.gguf" + kFrance);
  EXPECT_EQ(r.code, kExitBadFile) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, HasSubstr("\ntritcheck: huge.gguf: after position 10: the logit of token 0 is "));
}

TEST_F(RunCli, StandardErrorMayBeFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Ran r = shell("\"$P\" run \"$B\" 2>/dev/full" + kFrance);
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, golden_text("paris-b", "The capital of France is"));
}

TEST_F(RunCli, AFileWithoutOurTokeniserTakesAndGivesIds) {
  const std::string model = sentence_piece();
  expect_refused("sp.gguf -p x", kExitBadFile, "llama");
  expect_refused("sp.gguf -p x", kExitBadFile, "--ids");
  const auto json = nlohmann::json::parse(contents(kModels + "paris-b-golden.json"));
  std::string ids;
  std::string want;
  for (const auto& id : json["prompts"][0]["prompt_ids"]) ids += (ids.empty() ? "" : ",") + id.dump();
  for (const auto& id : json["prompts"][0]["greedy_ids"]) want += (want.empty() ? "" : ",") + id.dump();
  const Ran r = run("sp.gguf --ids " + ids);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, want + "\n");
  EXPECT_THAT(r.err, HasSubstr("end: the model ended the text")) << "its eos is known all the same";
}

TEST_F(RunCli, TheTraceHasEveryOperationOfGolden) {
  const engine::ShippedModel m("paris-b-i2_s.x86_128");
  engine::Golden golden(m.model);
  std::vector<std::tuple<std::string, std::string, int64_t, int64_t, int64_t, double>> want;
  std::vector<std::vector<double>> values;
  const engine::Trace keep = [&](const engine::TraceStep& s) {
    double sum = 0;
    for (const double v : s.values) sum += v;
    want.emplace_back(s.full_name(), s.op, s.position, static_cast<int64_t>(s.values.size()) / s.cols, s.cols, sum);
    values.emplace_back(s.values.begin(), s.values.end());
  };
  const std::vector<int32_t> prompt = m.json["prompts"][0]["prompt_ids"];
  const int32_t next = m.json["prompts"][0]["greedy_ids"][0];
  golden.forward(
      prompt, [](int64_t, std::span<const double>) {}, static_cast<int64_t>(prompt.size()) - 1, keep);
  golden.forward(
      {&next, 1}, [](int64_t, std::span<const double>) {}, 0, keep);

  for (const bool with_values : {false, true}) {
    text("\"$B\" -n 2 --kernels golden --trace t.jsonl" + std::string(with_values ? " --trace-values" : "") + kFrance);
    std::ifstream in(dir_ / "t.jsonl");
    std::string line;
    size_t n = 0;
    for (; std::getline(in, line); ++n) {
      const auto step = nlohmann::json::parse(line);
      ASSERT_LT(n, want.size());
      EXPECT_EQ(std::make_tuple(step["name"].get<std::string>(), step["op"].get<std::string>(),
                                step["position"].get<int64_t>(), step["rows"].get<int64_t>(),
                                step["cols"].get<int64_t>(), step["sum"].get<double>()),
                want[n]);
      EXPECT_EQ(step.contains("values"), with_values);
      if (with_values) {
        EXPECT_EQ(step["values"].get<std::vector<double>>(), values[n]) << line;
      }
    }
    EXPECT_EQ(n, want.size());
  }
  // the same names from the kernels, in the same order
  text("\"$B\" -n 2 --trace t.jsonl" + kFrance);
  std::ifstream in(dir_ / "t.jsonl");
  std::string line;
  for (size_t n = 0; std::getline(in, line); ++n)
    EXPECT_EQ(nlohmann::json::parse(line)["name"], std::get<0>(want.at(n)));
}

TEST_F(RunCli, AReaderThatGoesAwayEndsItAndAFullDiskIsSaid) {
  const std::string model = endless();
  const Ran r =
      shell("{ \"$P\" run endless.gguf --temp 1 -c 3000" + kFrance + "; echo $? >code; } | head -c 5; cat code");
  EXPECT_EQ(r.out.substr(std::min<size_t>(r.out.size(), 5)), "0\n");
  EXPECT_THAT(r.err, HasSubstr("end: nobody reads standard output any more\n"));
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Ran full = shell("\"$P\" run \"$B\" >/dev/full" + kFrance);
  EXPECT_EQ(full.code, kExitBadFile);
  EXPECT_THAT(full.err, HasSubstr("\ntritcheck: cannot write to standard output: "));
}

// At a high temperature most tokens are single bytes of characters or none.
TEST_F(RunCli, CtrlCEndsTheLineBehindAWholeCharacter) {
  Child child({"run", endless(), "-p", "The", "--temp", "50", "-c", "1000000"});
  child.read(300);
  child.interrupt();
  child.read(SIZE_MAX);
  EXPECT_EQ(child.wait(), kExitInterrupted);
  EXPECT_THAT(child.out, EndsWith("\n"));
  EXPECT_EQ(text::utf8::replace_invalid(child.out), child.out);
  EXPECT_GT(count(child.out, std::string(text::utf8::kReplacement)), 0U) << "nothing to be cut: the test shows nothing";
}

TEST_F(RunCli, CtrlCWhileThePromptIsTyped) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // nobody ever writes
  const int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  Child child({"run", kModels + "paris-b-f32.gguf", "-p", "-"});
  usleep(500000);
  child.interrupt();
  EXPECT_EQ(child.wait(), kExitInterrupted);
  child.read(SIZE_MAX);
  EXPECT_EQ(child.out, "");
  dup2(saved, STDIN_FILENO);
  for (const int fd : {ends[0], ends[1], saved}) close(fd);
}

TEST_F(RunCli, TextComesTokenByToken) {
  Child child({"run", endless(), "-p", "The", "--temp", "1", "-c", "1000000"});
  child.read(1);
  EXPECT_LT(child.out.size(), 500U) << "it was held back";
  child.interrupt();
  child.wait();
}

TEST_F(RunCli, AKernelThatCrashesHasItsCode) {
  for (const char* kernel : {"bug_crash_wild_pointer", "bug_crash_abort", "bug_crash_exit"}) {
    const Ran r = run(std::string("\"$B\" -n 3 --kernels ") + kernel + kFrance);
    EXPECT_EQ(r.code, kExitCrash) << kernel;
    EXPECT_THAT(r.err, HasSubstr("\ntritcheck: a kernel crashed")) << kernel;
  }
}

// One signal, as `timeout` and CI send it; the token it would wait for never ends.
TEST_F(RunCli, AHungKernelEndsAfterOneSignal) {
  const Ran r = shell("timeout --kill-after=40 1 \"$P\" run \"$B\" -n 3 --kernels bug_hang_odd_block" + kFrance);
  EXPECT_EQ(r.code, 124);  // timeout's own: it ended, and needed no SIGKILL
  EXPECT_THAT(r.err, HasSubstr("stopped in the middle of a token"));
}

}  // namespace
}  // namespace tritcheck
