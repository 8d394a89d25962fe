#include "harness/paris/golden_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/base/mapped_file.h"
#include "harness/base/new_file.h"
#include "harness/protocol/wire.h"
#include "reference/sha256.h"

namespace tritcheck {
namespace {

constexpr std::string_view kMagic = "TCKGOLD2";
constexpr size_t kHash = 64;       // hex digits at the end
constexpr size_t kLeastText = 16;  // bytes of a text without any numbers

[[noreturn]] void damaged(const std::string& path) {
  throw UserError(kExitBadFile, path + ": is no golden file of this version, or damaged; delete it to make it anew");
}

template <class T>
std::vector<T> numbers(wire::Reader& in, size_t count) {
  const auto raw = in.bytes(count * sizeof(T));
  std::vector<T> out(raw.size() / sizeof(T));
  if (!raw.empty()) std::memcpy(out.data(), raw.data(), raw.size());
  return out;
}

template <class T>
void put(NewFile& file, std::span<const T> values) {
  file.write({reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
}
void put(NewFile& file, uint32_t value) {
  put(file, std::span<const uint32_t>(&value, 1));
}
void put_ids(NewFile& file, const std::vector<int32_t>& ids) {
  put(file, static_cast<uint32_t>(ids.size()));
  put(file, std::span<const int32_t>(ids));
}

}  // namespace

std::string golden_key(const std::string& sha256, Layout layout, engine::Act act, int tokens) {
  return fmt::format("sha256={} layout={} quantised={} tokens={}", sha256, i2_s::name(layout), act != engine::Act::none,
                     tokens);
}

std::string cached_golden_file(const std::string& key) {
  namespace fs = std::filesystem;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const bool has_cache = cache != nullptr && *cache != 0;
  if (!has_cache && (home == nullptr || *home == 0))
    throw UserError(kExitUsage, "--golden-file auto: neither XDG_CACHE_HOME nor HOME is set; name a file");
  const fs::path folder = (has_cache ? fs::path(cache) : fs::path(home) / ".cache") / "tritcheck";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw UserError(kExitUsage, fmt::format("--golden-file auto: cannot make the folder {}: {}; name a file",
                                            folder.string(), error.message()));
  }
  const std::span bytes(reinterpret_cast<const uint8_t*>(key.data()), key.size());
  return folder / ("golden-" + sha256_hex(bytes).substr(0, 32));
}

GoldenMemo read_golden_file(const std::string& path, const std::string& key, int64_t vocab_size, int tokens) {
  const MappedFile mapped(path);
  if (mapped.bytes().size() < kHash) damaged(path);
  const auto content = mapped.bytes().first(mapped.bytes().size() - kHash);
  wire::Reader in(content);
  const auto magic = in.bytes(kMagic.size());
  if (!in.ok() || std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) damaged(path);
  const std::string made_with = in.string();
  if (in.ok() && made_with != key) {
    throw UserError(kExitBadFile, fmt::format("{}: was made with {}; this run has {}; give another --golden-file", path,
                                              made_with.substr(0, 200), key));
  }
  const auto tail = mapped.bytes().last(kHash);
  if (sha256_hex(content) != std::string_view(reinterpret_cast<const char*>(tail.data()), kHash)) damaged(path);
  const auto texts = in.get<uint32_t>();
  if (!in.ok() || texts > content.size() / kLeastText) damaged(path);
  const auto impossible = [&](int32_t id) { return id < 0 || id >= vocab_size; };
  GoldenMemo memo;
  for (uint32_t i = 0; i < texts && in.ok(); ++i) {
    const auto prompt = numbers<int32_t>(in, in.get<uint32_t>());
    GoldenMemo::Text text;
    text.ids = numbers<int32_t>(in, in.get<uint32_t>());
    const auto rows = in.get<uint32_t>();
    const auto vocab = in.get<uint32_t>();
    if (!in.ok() || text.ids.empty() || prompt.empty() || rows != prompt.size() + text.ids.size() - 1) damaged(path);
    if (vocab != vocab_size || text.ids.size() > static_cast<size_t>(tokens) ||
        std::any_of(text.ids.begin(), text.ids.end(), impossible))
      damaged(path);
    for (uint32_t r = 0; r < rows && in.ok(); ++r) {
      const auto row = numbers<float>(in, vocab);
      text.logits.emplace_back(row.begin(), row.end());
    }
    memo.texts.emplace(prompt, std::move(text));
  }
  if (!in.done()) damaged(path);
  return memo;
}

void write_golden_file(const std::string& path, const std::string& key, const GoldenMemo& memo) {
  NewFile file(path, true);
  put(file, std::span<const char>(kMagic));
  put(file, static_cast<uint32_t>(key.size()));
  put(file, std::span<const char>(key));
  put(file, static_cast<uint32_t>(memo.texts.size()));
  for (const auto& [prompt, text] : memo.texts) {
    put_ids(file, prompt);
    put_ids(file, text.ids);
    put(file, static_cast<uint32_t>(text.logits.size()));
    put(file, static_cast<uint32_t>(text.logits.empty() ? 0 : text.logits[0].size()));
    for (const auto& row : text.logits) {
      const std::vector<float> narrow(row.begin(), row.end());
      put(file, std::span<const float>(narrow));
    }
  }
  const std::string hash = file.sha256_hex();
  put(file, std::span<const char>(hash));
  file.sync();
  file.commit();
}

}  // namespace tritcheck
