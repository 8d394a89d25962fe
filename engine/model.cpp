#include "engine/model.h"

#include <cmath>
#include <cstring>

namespace tritcheck::engine {
namespace {

// ggml's id of each Encoding.
constexpr std::pair<uint32_t, Encoding> kTypes[] = {
    {0, Encoding::f32},    {1, Encoding::f16},    {30, Encoding::bf16}, {36, Encoding::i2_s},
    {34, Encoding::tq1_0}, {35, Encoding::tq2_0}, {8, Encoding::q8_0},  {14, Encoding::q6_k},
};

std::string shape_text(const gguf::Tensor& t) {
  std::string out = std::to_string(t.ne[0]);
  for (uint32_t d = 1; d < t.n_dims; ++d) out += " x " + std::to_string(t.ne[d]);
  return out;
}

class Loader {
 public:
  Loader(const gguf::File& file, const LoadOptions& options) : file_(file), layout_(options.layout) {}

  Model load() {
    Model m;
    m.config = read_config(file_);
    m.layout = layout_;
    Config& c = m.config;
    read_embedding(m);
    m.output_norm = vector("output_norm.weight", c.embd);
    if (file_.tensor("rope_freqs.weight") != nullptr) m.rope_factors = vector("rope_freqs.weight", c.rope_dims / 2);
    for (int64_t l = 0; l < c.layers; ++l) m.layers.push_back(layer(c, l));
    for (const Layer& l : m.layers) {
      for (const Matrix& w : l.linear) m.has_i2_s |= w.encoding == Encoding::i2_s;
    }
    return m;
  }

 private:
  const gguf::Tensor& tensor(const std::string& name) const {
    if (const gguf::Tensor* t = file_.tensor(name)) return *t;
    throw ModelError("tensor " + name + " is missing; this engine cannot do without it");
  }

  [[noreturn]] static void wrong_shape(const gguf::Tensor& t, const std::string& name, int64_t k, int64_t rows) {
    throw ModelError("tensor " + name + " is " + shape_text(t) + ", the metadata ask for " + std::to_string(k) +
                     (rows > 0 ? " x " + std::to_string(rows) : ""));
  }

  void read_embedding(Model& m) const {
    Config& c = m.config;
    const gguf::Tensor& t = tensor("token_embd.weight");
    const int64_t stated = c.vocab;
    c.vocab = t.ne[1];
    if (stated != 0 && stated != t.ne[1]) {
      throw ModelError(c.arch + ".vocab_size = " + std::to_string(stated) + " contradicts token_embd.weight with " +
                       std::to_string(t.ne[1]) + " rows");
    }
    m.embedding = matrix("token_embd.weight", c.embd, c.vocab, false);
    m.tied = file_.tensor("output.weight") == nullptr;
    m.output = m.tied ? m.embedding : matrix("output.weight", c.embd, c.vocab, false);
  }

  Layer layer(const Config& c, int64_t l) const {
    const std::string prefix = "blk." + std::to_string(l) + ".";
    Layer out;
    out.attn_norm = vector(prefix + "attn_norm.weight", c.embd);
    out.attn_sub_norm = vector(prefix + "attn_sub_norm.weight", c.embd);
    out.ffn_norm = vector(prefix + "ffn_norm.weight", c.embd);
    out.ffn_sub_norm = vector(prefix + "ffn_sub_norm.weight", c.ff);
    for (Linear which : kLinears) {
      const bool down = which == Linear::down;
      const bool up = which == Linear::gate || which == Linear::up;
      const bool kv = which == Linear::k || which == Linear::v;
      const std::string base = prefix + std::string(name(which));
      Matrix w = matrix(base + ".weight", down ? c.ff : c.embd, up ? c.ff : kv ? c.kv_dim() : c.embd, true);
      if (file_.tensor(base + ".scale") != nullptr) w.factor = vector(base + ".scale", 1)[0];
      out.linear[static_cast<size_t>(which)] = std::move(w);
    }
    return out;
  }

  std::vector<float> vector(const std::string& name, int64_t n) const {
    const gguf::Tensor& t = tensor(name);
    if (t.elements != n) wrong_shape(t, name, n, 0);
    if (t.type_id != 0) throw ModelError("tensor " + name + " is " + t.type_name + "; it must be f32");
    std::vector<float> out(static_cast<size_t>(n));
    std::memcpy(out.data(), file_.data(t).data(), out.size() * sizeof(float));
    for (float v : out) {
      if (!std::isfinite(v)) throw ModelError("tensor " + name + " holds a number that is not finite");
    }
    return out;
  }

  Matrix matrix(const std::string& name, int64_t k, int64_t rows, bool linear) const {
    const gguf::Tensor& t = tensor(name);
    Matrix m;
    m.name = name;
    m.encoding = encoding(t, name, linear);
    if (t.ne[0] != k || t.ne[1] != rows || t.elements != k * rows) wrong_shape(t, name, k, rows);
    m.k = k;
    m.rows = rows;
    m.bytes = file_.data(t);
    const size_t unit = m.encoding == Encoding::f32 ? 4 : 2;
    const bool in_place = m.encoding == Encoding::f32 || m.encoding == Encoding::f16 || m.encoding == Encoding::bf16;
    if (in_place && reinterpret_cast<uintptr_t>(m.bytes.data()) % unit != 0) {
      throw ModelError("tensor " + name + " begins at byte " + std::to_string(t.data_offset) +
                       " of the file, which is not aligned for " + t.type_name + "; general.alignment should be 32");
    }
    if (m.encoding == Encoding::i2_s) read_i2_s(m);
    return m;
  }

  static Encoding encoding(const gguf::Tensor& t, const std::string& name, bool linear) {
    constexpr const char* kLinear = "linear layers f32, f16, bf16, i2_s, tq1_0, tq2_0";
    constexpr const char* kTable = "embedding and output f32, f16, bf16, q8_0, q6_k";
    for (const auto& [id, encoding] : kTypes) {
      const bool high = encoding == Encoding::q8_0 || encoding == Encoding::q6_k;
      const bool fits = linear ? !high : !is_ternary(encoding);
      if (t.type_id == id && t.type != nullptr && fits) return encoding;
    }
    throw ModelError("tensor " + name + " is " + t.type_name + "; supported are " + (linear ? kLinear : kTable));
  }

  void read_i2_s(Matrix& m) const {
    m.layout = layout_;
    if (const auto why = i2_s::why_illegal(layout_, m.shape())) {
      throw ModelError("tensor " + m.name + " is " + std::to_string(m.k) + " x " + std::to_string(m.rows) +
                       " in i2_s, which layout " + std::string(i2_s::name(layout_)) + " cannot hold: " + *why);
    }
    m.scale = i2_s::load_scale(m.shape(), m.bytes);
    // zero and negative scales are arithmetic
    if (!std::isfinite(m.scale)) throw ModelError("tensor " + m.name + ": its scale is not a finite number");
    m.bytes = m.bytes.first(static_cast<size_t>(i2_s::tensor_bytes(m.shape())));
  }

  const gguf::File& file_;
  i2_s::Layout layout_;
};

}  // namespace

void Model::check_token(int32_t id) const {
  if (id >= 0 && id < config.vocab) return;
  throw ModelError("token id " + std::to_string(id) + ": this model has 0 to " + std::to_string(config.vocab - 1));
}

std::string_view name(Linear linear) {
  constexpr std::string_view names[] = {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"};
  return names[static_cast<size_t>(linear)];
}

Model load(const gguf::File& file, const LoadOptions& options) {
  return Loader(file, options).load();
}

}  // namespace tritcheck::engine
