// Runs one mistake of the engine's museum.
#pragma once

#include <cstdlib>

#include "reference/gguf.h"
#include "reference/prng.h"
#include "tests/engine_museum.h"
#include "tests/temp_folder.h"

namespace tritcheck {

/// "Qcur-0 MUL_MAT", or nothing.
inline std::string first_wrong(const ParisReport& r) {
  return r.exactness.wrong.empty() ? "" : r.exactness.wrong[0].name + " " + r.exactness.wrong[0].op;
}

/// A copy of a model in which that share of the packed bytes of its I2_S tensors is random. Gone with its folder.
class DamagedCopy {
 public:
  DamagedCopy(const std::string& model, double share) {
    std::string bytes = testing::contents(model);
    const std::span<const uint8_t> view(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    const gguf::File file = gguf::parse(view);
    Prng rng(42);
    for (const gguf::I2sSlice& s : gguf::i2_s_slices(file)) {
      for (int64_t i = 0; i < i2_s::code_bytes(s.shape); ++i) {
        // each of the four weights of a byte by itself
        auto byte = static_cast<uint8_t>(bytes[s.offset + static_cast<size_t>(i)]);
        for (int shift = 0; shift < 8; shift += 2) {
          if (static_cast<double>(rng.below(1000000)) >= share * 1e6) continue;
          byte = static_cast<uint8_t>((byte & ~(3 << shift)) | static_cast<int>(rng.below(3)) << shift);
        }
        bytes[s.offset + static_cast<size_t>(i)] = static_cast<char>(byte);
      }
    }
    folder_.file("model.gguf", bytes);
  }
  std::string path() const { return folder_.path("model.gguf"); }

 private:
  testing::TempFolder folder_;
};

/// A verdict in one word, as engine_mistakes() spells it.
inline std::string word(engine::Health health) {
  constexpr const char* words[] = {"healthy", "suspect", "collapse", "salad", "silent", "broken model"};
  return words[static_cast<size_t>(health)];
}

/// The comparison on "paris-a" or "paris-b", on the runner that can make mistakes.
inline ParisReport run_mistake(const std::string& model, const EngineMistake& m,
                               const std::vector<std::string>& prompts = {}) {
  ::setenv("TRITCHECK_LIBEXEC", TRITCHECK_BINARY_DIR "/libexec-faulty", 1);
  ParisOptions o;
  o.model = TRITCHECK_SOURCE_DIR "/corpora/models/" + model + "-i2_s.x86_128.gguf";
  o.layout = Layout::x86_128;
  o.kernels = m.kernels;
  o.fault = m.fault;
  o.threads = 1;  // tests run side by side
  o.prompts = prompts;
  static std::map<std::string, std::shared_ptr<GoldenMemo>> memos;
  std::shared_ptr<GoldenMemo>& memo = memos[model];
  if (!memo) memo = std::make_shared<GoldenMemo>();
  o.memo = memo;
  if (m.damaged == 0) return paris(o, {});
  const DamagedCopy copy(o.model, m.damaged);
  o.candidate_model = copy.path();
  return paris(o, {});
}

}  // namespace tritcheck
