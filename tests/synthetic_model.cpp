// Writes a BitNet model of a given shape with random weights: by default exactly that of BitNet-b1.58-2B-4T (521 MB of
// ternary weights, 657 MB of F16 embedding, 128256 tokens). It says nothing sensible; it is for loading, memory, speed
// and the agreement of two engines at real size.
//
//   build/bin/synthetic_model /tmp/2b.gguf          # about 1.2 GB
//   build/bin/synthetic_model /tmp/small.gguf --embd 256 --ff 768 --layers 4 --heads 4 --kv-heads 2 --vocab 1024
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "reference/half.h"
#include "reference/i2_s.h"
#include "reference/prng.h"
#include "tests/gguf_writer.h"

namespace tritcheck {
namespace {

using namespace testing;

struct Shape {
  int64_t embd = 2560, ff = 6912, layers = 30, heads = 20, kv_heads = 5, vocab = 128256;
};

struct Tensor {
  std::string name;
  int64_t k = 0;
  int64_t rows = 1;
  uint64_t type = kTensorF32;

  int64_t bytes() const {
    return type == kTensorI2s ? i2_s::tensor_bytes({k, rows}) : k * rows * (type == kTensorF16 ? 2 : 4);
  }
};

std::vector<Tensor> tensors(const Shape& s) {
  const int64_t kv = s.embd / s.heads * s.kv_heads;
  std::vector<Tensor> out = {{"token_embd.weight", s.embd, s.vocab, kTensorF16}};
  for (int64_t l = 0; l < s.layers; ++l) {
    const auto add = [&](const char* name, int64_t k, int64_t rows, uint64_t type) {
      out.push_back({fmt::format("blk.{}.{}.weight", l, name), k, rows, type});
    };
    add("attn_norm", s.embd, 1, kTensorF32);
    add("attn_q", s.embd, s.embd, kTensorI2s);
    add("attn_k", s.embd, kv, kTensorI2s);
    add("attn_v", s.embd, kv, kTensorI2s);
    add("attn_sub_norm", s.embd, 1, kTensorF32);
    add("attn_output", s.embd, s.embd, kTensorI2s);
    add("ffn_norm", s.embd, 1, kTensorF32);
    add("ffn_gate", s.embd, s.ff, kTensorI2s);
    add("ffn_up", s.embd, s.ff, kTensorI2s);
    add("ffn_sub_norm", s.ff, 1, kTensorF32);
    add("ffn_down", s.ff, s.embd, kTensorI2s);
  }
  out.push_back({"output_norm.weight", s.embd, 1, kTensorF32});
  return out;
}

GgufWriter head(const Shape& s, const std::vector<Tensor>& all) {
  GgufWriter w;
  w.header(all.size(), 20);
  const std::string a = "bitnet-b1.58.";
  w.key("general.architecture", kString).string("bitnet-b1.58");
  w.key("general.name", kString).string("synthetic: random weights");
  w.key("general.alignment", kU32).u32(32);
  const auto number = [&](const std::string& key, int64_t v) { w.key(a + key, kU32).u32(static_cast<uint64_t>(v)); };
  number("context_length", 4096);
  number("embedding_length", s.embd);
  number("block_count", s.layers);
  number("feed_forward_length", s.ff);
  number("attention.head_count", s.heads);
  number("attention.head_count_kv", s.kv_heads);
  number("vocab_size", s.vocab);
  w.key(a + "attention.layer_norm_rms_epsilon", kF32).f32(1e-5F);
  w.key(a + "rope.freq_base", kF32).f32(500000);
  w.key(a + "hidden_activation", kString).string("relu2");
  w.key("tokenizer.ggml.model", kString).string("gpt2");
  w.key("tokenizer.ggml.pre", kString).string("llama-bpe");
  // the alphabet of bytes, in the spelling of GPT-2, then words that stand for nothing
  w.key("tokenizer.ggml.tokens", kArray).u32(kString).u64(static_cast<uint64_t>(s.vocab));
  int extra = 0;
  const auto utf8 = [](int c) {
    return c < 0x80 ? std::string(1, static_cast<char>(c))
                    : std::string{static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  };
  for (int byte = 0; byte < 256; ++byte) {
    const bool shown = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    w.string(utf8(shown ? byte : 256 + extra++));
  }
  for (int64_t t = 256; t < s.vocab; ++t) w.string(fmt::format("word{}", t));
  w.key("tokenizer.ggml.token_type", kArray).u32(kI32).u64(static_cast<uint64_t>(s.vocab));
  for (int64_t t = 0; t < s.vocab; ++t) w.u32(t >= s.vocab - 2 ? 3 : 1);
  w.key("tokenizer.ggml.merges", kArray).u32(kString).u64(0);
  w.key("tokenizer.ggml.bos_token_id", kU32).u32(static_cast<uint64_t>(s.vocab - 2));
  w.key("tokenizer.ggml.eos_token_id", kU32).u32(static_cast<uint64_t>(s.vocab - 1));
  uint64_t offset = 0;
  for (const Tensor& t : all) {
    std::vector<uint64_t> dims = {static_cast<uint64_t>(t.k)};
    if (t.rows > 1) dims.push_back(static_cast<uint64_t>(t.rows));
    w.info(t.name, dims, t.type, offset);
    offset += (static_cast<uint64_t>(t.bytes()) + 31) / 32 * 32;
  }
  return w.pad();
}

// Codes 0..2 with a third of zeros each, as trained models have; four in a byte, so the layout does not matter.
std::vector<uint8_t> row_of(const Tensor& t, Prng& rng) {
  std::vector<uint8_t> out;
  if (t.type == kTensorI2s) {
    out.resize(static_cast<size_t>(t.k / 4));
    for (uint8_t& b : out) {
      const uint64_t r = rng.below(81);
      b = static_cast<uint8_t>(r % 3 << 6 | r / 3 % 3 << 4 | r / 9 % 3 << 2 | r / 27);
    }
    return out;
  }
  for (int64_t j = 0; j < t.k; ++j) {
    const auto v = static_cast<float>(t.type == kTensorF32 ? 1 : (rng.unit() - 0.5) / std::sqrt(12.0) * 2);
    const uint32_t bits = t.type == kTensorF32 ? std::bit_cast<uint32_t>(v) : f16::from_float(v);
    for (int i = 0; i < (t.type == kTensorF32 ? 4 : 2); ++i) out.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  }
  return out;
}

void write(std::ostream& out, const std::vector<uint8_t>& bytes) {
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

int write_model(const std::string& path, const Shape& s) {
  const std::vector<Tensor> all = tensors(s);
  std::ofstream out(path, std::ios::binary);
  write(out, head(s, all).bytes());
  for (const Tensor& t : all) {
    Prng rng(hash_text(t.name));
    for (int64_t r = 0; r < t.rows; ++r) write(out, row_of(t, rng));
    if (t.type == kTensorI2s) {
      GgufWriter tail;
      // products of about unit size: the square root of K * 2/3
      write(out, tail.f32(1 / std::sqrt(static_cast<float>(t.k) * 2 / 3)).fill(28).bytes());
    }
    write(out, std::vector<uint8_t>(static_cast<size_t>((32 - t.bytes() % 32) % 32)));
  }
  out.flush();
  if (out) return 0;
  std::cerr << "synthetic_model: cannot write " << path << "\n";
  return 5;
}

}  // namespace
}  // namespace tritcheck

int main(int argc, char** argv) {
  CLI::App app("Writes a BitNet model with random weights; by default of the shape of BitNet-b1.58-2B-4T (1.2 GB)");
  std::string path;
  tritcheck::Shape s;
  app.add_option("file", path, "the file to write")->required();
  const auto width = CLI::Validator(
      [](const std::string& v) { return std::atoll(v.c_str()) % 128 == 0 ? "" : "must be a multiple of 128"; }, "");
  app.add_option("--embd", s.embd, "width of the residual stream")
      ->check(CLI::PositiveNumber)
      ->check(width)
      ->capture_default_str();
  app.add_option("--ff", s.ff, "width of the feed-forward layer")
      ->check(CLI::PositiveNumber)
      ->check(width)
      ->capture_default_str();
  app.add_option("--layers", s.layers)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--heads", s.heads)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--kv-heads", s.kv_heads)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--vocab", s.vocab, "tokens")->check(CLI::Range(300, 10000000))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return tritcheck::write_model(path, s);
}
