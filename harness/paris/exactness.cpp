#include "harness/paris/exactness.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "corpora/bugs/bugs.h"
#include "engine/golden/golden.h"
#include "harness/paris/expected_step.h"
#include "harness/paris/localize.h"
#include "harness/paris/prompts.h"
#include "reference/i8_s.h"

namespace tritcheck {
namespace {

using engine::Linear;
using engine::Matrix;
using engine::Step;
using engine::StepCall;
using engine::TraceStep;

// After so many wrong operations the picture is clear.
constexpr size_t kMostWrong = 64;

// Ways to cut the batch: all tokens, one, and numbers at which kernels change their stride.
std::vector<int64_t> batches(int64_t tokens) {
  std::vector<int64_t> out = {tokens};
  for (int64_t n : {int64_t{1}, int64_t{2}, int64_t{5}, int64_t{8}}) {
    if (n < tokens) out.push_back(n);
  }
  return out;
}

class Replay {
 public:
  Replay(const engine::Model& model, const ParisOptions& options, RemoteEngine& candidate)
      : model_(model), options_(options), candidate_(candidate) {}

  // Golden's graph goes by; each step is replayed as soon as its inputs and its output are there.
  void take(const TraceStep& s) {
    if (out_.wrong.size() >= kMostWrong || g_interrupted) return;
    if (s.name == "inp_embd") {
      tokens_ = static_cast<int64_t>(s.values.size()) / s.cols;
      if (options_.act != engine::Act::none) edges();
    }
    const std::vector<float> values(s.values.begin(), s.values.end());
    replay(s);
    // what later steps read: ROPE replaces the product of the same name
    now_[std::string(s.name)] = values;
  }

  Exactness result() && {
    out_.ran = true;
    return std::move(out_);
  }

 private:
  const std::vector<float>& at(const char* name) const { return now_.at(name); }
  const engine::Layer& layer(const TraceStep& s) const { return model_.layers[static_cast<size_t>(s.layer)]; }

  void replay(const TraceStep& s) {
    const engine::Config& c = model_.config;
    const std::string_view n = s.name;
    const bool first = s.layer == 0;
    if (n == "attn_norm") return norm(s, at(first ? "inp_embd" : "l_out"), layer(s).attn_norm);
    if (n == "attn_sub_norm") return norm(s, at("kqv_out"), layer(s).attn_sub_norm);
    if (n == "ffn_norm") return norm(s, at("ffn_inp"), layer(s).ffn_norm);
    if (n == "ffn_sub_norm") return norm(s, at("ffn_out"), layer(s).ffn_sub_norm);
    if (n == "result_norm") return norm(s, at("l_out"), model_.output_norm);
    if (s.op == "ROPE") return rope(s, n == "Qcur" ? c.heads : c.kv_heads);
    if (n == "Qcur") return linear(s, Linear::q, at("attn_norm"));
    if (n == "Kcur") return linear(s, Linear::k, at("attn_norm"));
    if (n == "Vcur") return linear(s, Linear::v, at("attn_norm"));
    if (n == "attn_o_out") return linear(s, Linear::out, at("attn_sub_norm"));
    if (n == "ffn_up") return linear(s, Linear::up, at("ffn_norm"));
    if (n == "ffn_gate") return linear(s, Linear::gate, at("ffn_norm"));
    if (n == "ffn_down") return linear(s, Linear::down, at("ffn_sub_norm"));
    if (n == "kqv_out") return attention(s);
    if (n == "ffn_out") return gated(s);
    if (n == "ffn_inp") return add(s, at(first ? "inp_embd" : "l_out"), at("attn_o_out"));
    if (n == "l_out") return add(s, at("ffn_inp"), at("ffn_down"));
    if (n == "result_output") return output(s);
  }

  // Compares and keeps what is wrong. `extra` is said about it.
  bool compare(const TraceStep& s, const ExpectedStep& want, const std::vector<float>& got, int64_t tokens,
               const std::string& tensor, const std::string& kernel, const std::string& op = "") {
    ++out_.steps;
    WrongStep wrong;
    wrong.name = s.full_name();
    wrong.op = op.empty() ? std::string(s.op) : op;
    wrong.tensor = tensor;
    wrong.kernel = kernel;
    wrong.tokens = tokens;
    wrong.total = static_cast<int64_t>(want.value.size());
    const int64_t cols = wrong.total / tokens;
    for (size_t i = 0; i < want.value.size(); ++i) {
      ++(want.bound[i] == 0 ? out_.integer_results : out_.float_results);
      if (i < got.size() && want.right(i, got[i])) continue;
      if (wrong.wrong++ > 0) continue;
      wrong.token = static_cast<int64_t>(i) / cols;
      wrong.row = static_cast<int64_t>(i) % cols;
      wrong.expected = want.value[i];
      wrong.got = i < got.size() ? double{got[i]} : std::nan("");
    }
    if (wrong.wrong == 0) return true;
    out_.wrong.push_back(std::move(wrong));
    return false;
  }

  void norm(const TraceStep& s, const std::vector<float>& x, const std::vector<float>& weight) {
    StepCall call;
    call.step = Step::rms_norm;
    call.tensor = s.layer < 0 ? "output_norm.weight" : fmt::format("blk.{}.{}.weight", s.layer, s.name);
    call.tokens = tokens_;
    call.a = x;
    compare(s, expected_norm(x, weight, model_.config.eps), candidate_.step(call).y, tokens_, call.tensor, "");
  }

  void rope(const TraceStep& s, int64_t heads) {
    StepCall call;
    call.step = Step::rope;
    call.tokens = tokens_;
    call.position = s.position;
    call.heads = heads;
    call.a = at(s.name == "Qcur" ? "Qcur" : "Kcur");
    compare(s, expected_rope(model_, call.a, heads, tokens_, s.position), candidate_.step(call).y, tokens_, "", "");
  }

  void attention(const TraceStep& s) {
    StepCall call;
    call.step = Step::attention;
    call.tokens = tokens_;
    call.a = at("Qcur");
    call.b = at("Kcur");
    call.c = at("Vcur");
    compare(s, expected_attention(model_.config, call), candidate_.step(call).y, tokens_, "", "");
  }

  void gated(const TraceStep& s) {
    StepCall call;
    call.step = Step::gated;
    call.tokens = tokens_;
    call.a = at("ffn_gate");
    call.b = at("ffn_up");
    compare(s, expected_gated(model_.config.activation, call.a, call.b), candidate_.step(call).y, tokens_, "", "");
  }

  void add(const TraceStep& s, const std::vector<float>& a, const std::vector<float>& b) {
    StepCall call;
    call.step = Step::add;
    call.tokens = tokens_;
    call.a = a;
    call.b = b;
    compare(s, expected_add(a, b), candidate_.step(call).y, tokens_, "", "");
  }

  // The tokens of this piece alone: a vocabulary is long.
  void output(const TraceStep& s) {
    const int64_t embd = model_.config.embd;
    const int64_t tokens = static_cast<int64_t>(s.values.size()) / s.cols;
    StepCall call;
    call.step = Step::output;
    call.tokens = tokens;
    const float* x = at("result_norm").data() + s.position * embd;
    call.a.assign(x, x + tokens * embd);
    compare(s, expected_product(model_.output, call.a, tokens, engine::Act::none), candidate_.step(call).y, tokens,
            model_.output.name, "");
  }

  void linear(const TraceStep& s, Linear which, const std::vector<float>& x) {
    const Matrix& w = layer(s)[which];
    StepCall all;
    all.step = Step::product;
    all.tensor = w.name;
    all.tokens = tokens_;
    all.a = x;
    if (options_.act != engine::Act::none) {
      quantise(all, w.k);
      // q, k and v share their input, and so do up and gate
      const bool shared = which == Linear::k || which == Linear::v || which == Linear::gate;
      if (!shared) compare_codes(s, all);
    }
    const bool integers = w.encoding == engine::Encoding::i2_s && options_.act != engine::Act::none;
    const ExpectedStep want = integers ? expected_i2_s(w, all) : expected_product(w, x, tokens_, options_.act);
    const size_t before = out_.wrong.size();
    std::string right_for;
    std::string wrong_for;
    for (int64_t tokens : batches(tokens_)) {
      const engine::StepResult got = candidate_.step(last_tokens(all, tokens, w.k));
      const bool right = compare(s, last(want, tokens * w.rows), got.y, tokens, w.name, got.kernel);
      std::string& list = right ? right_for : wrong_for;
      list += fmt::format("{}{}", list.empty() ? "" : ", ", tokens);
    }
    // the same fault at several batch sizes is one finding
    if (out_.wrong.size() <= before) return;
    out_.wrong.resize(before + 1);
    if (before == 0 && integers) find_columns(w, all, out_.wrong.back());
    out_.wrong.back().token += tokens_ - out_.wrong.back().tokens;  // a smaller batch is the last tokens
    if (!right_for.empty())
      out_.wrong.back().detail = fmt::format("wrong with {} tokens at once, right with {}", wrong_for, right_for);
  }

  // For the first finding: it takes many calls.
  void find_columns(const Matrix& w, const StepCall& all, WrongStep& wrong) {
    const Localized found = localize(w, last_tokens(all, wrong.tokens, w.k), wrong.row, wrong.token, candidate_);
    wrong.where = found.text;
    for (const Kernel& k : kernels_and_bugs()) {
      if (k.name == wrong.kernel) wrong.literal_cases = literal_cases(w, found, k.contract);
    }
  }

  template <class T>
  static std::vector<T> last(const std::vector<T>& all, int64_t n) {
    return {all.end() - static_cast<std::ptrdiff_t>(n), all.end()};
  }
  static ExpectedStep last(const ExpectedStep& all, int64_t n) { return {last(all.value, n), last(all.bound, n)}; }

  static StepCall last_tokens(const StepCall& all, int64_t tokens, int64_t k) {
    StepCall some = all;
    some.tokens = tokens;
    some.a = last(all.a, tokens * k);
    if (all.q.empty()) return some;
    some.q = last(all.q, tokens * k);
    some.scale = last(all.scale, tokens);
    some.sum = last(all.sum, tokens);
    return some;
  }

  // Codes, scale and sum of each row of the call's input, by the reference.
  static void quantise(StepCall& call, int64_t k) {
    for (int64_t t = 0; t < call.tokens; ++t) {
      const i8_s::Row row = i8_s::quantize(
          i8_s::Era::half_even, std::span(call.a).subspan(static_cast<size_t>(t * k), static_cast<size_t>(k)));
      call.q.insert(call.q.end(), row.q.begin(), row.q.end());
      call.scale.push_back(row.scale);
      call.sum.push_back(row.sum);
    }
  }

  // Rows that sentences hardly ever give: all zeros, and numbers half way between two codes.
  void edges() {
    const Matrix& w = model_.layers[0][Linear::q];
    StepCall call;
    call.tensor = w.name;
    call.tokens = 2;
    call.a.assign(static_cast<size_t>(2 * w.k), 0);
    for (int64_t j = 0; j < w.k; ++j) {
      const int64_t code = j % 253 - 126;
      call.a[static_cast<size_t>(w.k + j)] = static_cast<float>(code) + (code < 0 ? -0.5F : 0.5F);
    }
    call.a.back() = 127;
    quantise(call, w.k);
    compare_codes({"edges", "QUANTIZE", -1, 0, w.k, {}}, call);
  }

  // The quantiser is an operation of its own: codes, scale and sum must be those of the reference, which the call
  // holds.
  void compare_codes(const TraceStep& s, StepCall want) {
    want.step = Step::quantize;
    const engine::StepResult got = candidate_.step(want);
    ExpectedStep expected;
    std::vector<float> numbers;
    const size_t k = want.q.size() / static_cast<size_t>(want.tokens);
    for (size_t t = 0; t < static_cast<size_t>(want.tokens); ++t) {
      const auto from = static_cast<std::ptrdiff_t>(t * k);
      const auto to = from + static_cast<std::ptrdiff_t>(k);
      expected.value.insert(expected.value.end(), want.q.begin() + from, want.q.begin() + to);
      expected.value.push_back(want.scale[t]);
      expected.value.push_back(want.sum[t]);
      if (got.q.size() < (t + 1) * k || got.scale.size() <= t) continue;
      numbers.insert(numbers.end(), got.q.begin() + from, got.q.begin() + to);
      numbers.push_back(got.scale[t]);
      numbers.push_back(static_cast<float>(got.sum[t]));
    }
    expected.bound.assign(expected.value.size(), 0);
    compare(s, expected, numbers, want.tokens, "", "", "QUANTIZE");
  }

  const engine::Model& model_;
  const ParisOptions& options_;
  RemoteEngine& candidate_;
  std::map<std::string, std::vector<float>> now_;
  int64_t tokens_ = 0;
  Exactness out_;
};

using Logits = std::vector<std::vector<double>>;

Logits in_pieces(RemoteEngine& candidate, const std::vector<int32_t>& ids, size_t piece) {
  Logits logits;
  candidate.rewind(0);
  for (size_t at = 0; at < ids.size(); at += piece) {
    candidate.forward(std::span(ids).subspan(at, std::min(piece, ids.size() - at)),
                      [&](int64_t, std::span<const double> l) { logits.emplace_back(l.begin(), l.end()); });
  }
  return logits;
}

void same_bits(const Logits& want, const Logits& got, const std::string& op, const std::string& detail,
               Exactness& out) {
  ++out.steps;
  WrongStep wrong;
  wrong.name = "result_output";
  wrong.op = op;
  wrong.tokens = static_cast<int64_t>(want.size());
  for (size_t t = 0; t < want.size(); ++t) {
    for (size_t i = 0; i < want[t].size(); ++i) {
      ++wrong.total;
      // NaN is not equal to itself, and a finding of its own
      if (got[t][i] == want[t][i] || (std::isnan(got[t][i]) && std::isnan(want[t][i]))) continue;
      if (wrong.wrong++ > 0) continue;
      wrong.token = static_cast<int64_t>(t);
      wrong.row = static_cast<int64_t>(i);
      wrong.expected = want[t][i];
      wrong.got = got[t][i];
    }
  }
  out.integer_results += wrong.total;
  if (wrong.wrong == 0) return;
  wrong.detail = detail;
  out.wrong.push_back(std::move(wrong));
}

// The operations may all be right and what connects them wrong: the cache, the positions, the threads. A prompt at
// once, in pieces, or by another number of threads must give the same bits.
void check_splits(const std::vector<int32_t>& ids, RemoteEngine& candidate, Exactness& out) {
  const Logits whole = in_pieces(candidate, ids, ids.size());
  for (size_t piece : {size_t{1}, size_t{3}}) {
    same_bits(whole, in_pieces(candidate, ids, piece), "SPLIT",
              fmt::format("{} tokens at once and {} at a time give different logits: look at positions, the cache, and "
                          "what only one of the two paths does",
                          ids.size(), piece),
              out);
  }
  const auto other = candidate.with_other_threads();
  same_bits(whole, in_pieces(*other, ids, ids.size()), "THREADS",
            "one thread and several give different logits: look for what threads share", out);
}

}  // namespace

Exactness check_exactness(const engine::Model& model, const ParisOptions& options, const text::Tokenizer& tokenizer,
                          RemoteEngine& candidate, GoldenWork& work) {
  engine::Golden golden(model, {.threads = options.threads,
                                .quantize = options.act != engine::Act::none,
                                .layer_done = work.layer_done(model.layers.size())});
  const auto ids = tokenizer.encode(reference_texts()[0]);
  Replay replay(model, options, candidate);
  golden.forward(
      ids, [](int64_t, std::span<const double>) {}, 0, [&](const TraceStep& s) { replay.take(s); });
  Exactness out = std::move(replay).result();
  if (!g_interrupted) check_splits(ids, candidate, out);
  return out;
}

}  // namespace tritcheck
