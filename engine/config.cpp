#include "engine/config.h"

#include <cmath>
#include <optional>

namespace tritcheck::engine {
namespace {

constexpr int64_t kMost = int64_t{1} << 24;  // no dimension of a model is larger; products of three still fit

class Keys {
 public:
  Keys(const gguf::File& file, std::string arch) : file_(file), arch_(std::move(arch)) {}

  std::string key(const char* suffix) const { return arch_ + "." + suffix; }

  std::optional<int64_t> find(const char* suffix) const {
    const std::optional<int64_t> v = file_.find<int64_t>(key(suffix));
    if (v && (*v < 1 || *v > kMost))
      throw ModelError(key(suffix) + " = " + std::to_string(*v) + ": must be 1 to " + std::to_string(kMost));
    return v;
  }
  int64_t get(const char* suffix) const {
    if (const auto v = find(suffix)) return *v;
    throw ModelError(key(suffix) + " is missing; this engine cannot do without it");
  }
  std::optional<double> find_real(const char* suffix) const {
    const std::optional<double> v = file_.find<double>(key(suffix));
    if (v && !(std::isfinite(*v) && *v > 0))
      throw ModelError(key(suffix) + " = " + std::to_string(*v) + ": must be a positive number");
    return v;
  }
  std::optional<std::string_view> find_text(const char* suffix) const {
    return file_.find<std::string_view>(key(suffix));
  }

 private:
  const gguf::File& file_;
  std::string arch_;
};

void contradiction(const std::string& a, int64_t va, const std::string& b, int64_t vb, const char* rule) {
  throw ModelError(a + " = " + std::to_string(va) + " contradicts " + b + " = " + std::to_string(vb) + ": " + rule);
}

void read_rope(const Keys& keys, Config& c) {
  c.rope_base = keys.find_real("rope.freq_base").value_or(10000);
  c.rope_dims = keys.find("rope.dimension_count").value_or(c.head_dim);
  if (c.rope_dims > c.head_dim || c.rope_dims % 2 != 0) {
    contradiction(keys.key("rope.dimension_count"), c.rope_dims, "the head dimension", c.head_dim,
                  "an even number of dimensions up to that can be rotated");
  }
  const std::string_view scaling = keys.find_text("rope.scaling.type").value_or("none");
  if (scaling == "linear") {
    c.rope_scale = keys.find_real("rope.scaling.factor").value_or(1);
  } else if (scaling != "none") {
    throw ModelError(keys.key("rope.scaling.type") + " = " + gguf::printable(scaling) +
                     ": supported are none and linear");
  }
}

void read_activation(const Keys& keys, Config& c) {
  const auto stated = keys.find_text("hidden_activation");
  if (!stated) {
    c.activation = c.arch == "bitnet" ? Activation::silu : Activation::relu2;
    c.notices.push_back(keys.key("hidden_activation") + " is missing: " + std::string(name(c.activation)) +
                        " is assumed, as " + c.arch + " files without it mean");
  } else if (*stated == "relu2" || *stated == "relu_squared") {
    c.activation = Activation::relu2;
  } else if (*stated == "silu") {
    c.activation = Activation::silu;
  } else {
    throw ModelError(keys.key("hidden_activation") + " = " + gguf::printable(*stated) +
                     ": supported are relu2 and silu");
  }
}

}  // namespace

std::string_view name(Activation activation) {
  return activation == Activation::relu2 ? "relu2" : "silu";
}

Config read_config(const gguf::File& file) {
  Config c;
  const auto arch = file.find<std::string_view>("general.architecture");
  if (!arch) throw ModelError("general.architecture is missing; supported are bitnet, bitnet-b1.58 and bitnet-25");
  c.arch = *arch;
  if (c.arch != "bitnet" && c.arch != "bitnet-b1.58" && c.arch != "bitnet-25") {
    throw ModelError("general.architecture = " + gguf::printable(c.arch) +
                     ": this engine runs bitnet, bitnet-b1.58 and bitnet-25; `tritcheck verify --model` tests kernels "
                     "on the I2_S tensors of any file");
  }
  const Keys keys(file, c.arch);
  c.embd = keys.get("embedding_length");
  c.ff = keys.get("feed_forward_length");
  c.layers = keys.get("block_count");
  c.heads = keys.get("attention.head_count");
  c.kv_heads = keys.find("attention.head_count_kv").value_or(c.heads);
  c.context = keys.get("context_length");
  const std::string heads = keys.key("attention.head_count");
  if (c.embd % c.heads != 0)
    contradiction(keys.key("embedding_length"), c.embd, heads, c.heads, "the heads must share it evenly");
  if (c.heads % c.kv_heads != 0) {
    contradiction(heads, c.heads, keys.key("attention.head_count_kv"), c.kv_heads,
                  "each key head serves the same number of query heads");
  }
  c.head_dim = c.embd / c.heads;
  for (const char* suffix : {"attention.key_length", "attention.value_length"}) {
    const int64_t length = keys.find(suffix).value_or(c.head_dim);
    if (length != c.head_dim)
      contradiction(keys.key(suffix), length, "the head dimension", c.head_dim, "only equal ones are supported");
  }
  const auto eps = keys.find_real("attention.layer_norm_rms_epsilon");
  if (!eps) throw ModelError(keys.key("attention.layer_norm_rms_epsilon") + " is missing");
  c.eps = *eps;
  c.vocab = keys.find("vocab_size").value_or(0);
  read_rope(keys, c);
  read_activation(keys, c);
  return c;
}

}  // namespace tritcheck::engine
