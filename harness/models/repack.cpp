#include "harness/models/repack.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "harness/base/console.h"
#include "harness/base/error.h"
#include "harness/base/interrupt.h"
#include "harness/base/mapped_file.h"
#include "harness/base/new_file.h"
#include "harness/base/shell.h"
#include "harness/models/inspect_facts.h"

namespace tritcheck {
namespace {

constexpr uint64_t kCopyBytes = 1U << 20;    // of one write
constexpr int64_t kWeightsAtOnce = 1 << 20;  // the memory it takes, unless four rows are more

void check_layouts(const RepackOptions& o) {
  if (!o.from) {
    throw UserError(kExitUsage,
                    "repack needs --from LAYOUT: no I2_S file says which layout it has; published files are x86_128, "
                    "`tritcheck inspect` lists the layouts each tensor allows");
  }
  if (*o.from == o.to) {
    throw UserError(kExitUsage, fmt::format("--from and --layout are both {}: nothing to repack; give two layouts",
                                            i2_s::name(o.to)));
  }
}

// Type ids that are I2_S to whoever knows them.
bool is_i2_s_id(uint32_t id) {
  return std::any_of(std::begin(gguf::kDialects), std::end(gguf::kDialects), [id](gguf::Dialect dialect) {
    const gguf::TypeTraits* type = gguf::type_traits(dialect, id);
    return type != nullptr && type->name == "i2_s";
  });
}

// A tensor left in the old layout among others in the new one would be a file that no kernel reads.
void check_all_are_read(const std::string& path, const gguf::File& file, const std::set<const gguf::Tensor*>& read) {
  for (const gguf::Tensor& t : file.tensors) {
    if (!is_i2_s_id(t.type_id) || read.contains(&t)) continue;
    throw UserError(kExitBadFile,
                    fmt::format("{}: tensor \"{}\" at byte {}: where its I2_S codes lie is ambiguous, so none are "
                                "repacked; `tritcheck inspect` shows the readings",
                                path, gguf::printable(t.name), t.data_offset));
  }
}

void check_shape(const std::string& path, const gguf::I2sSlice& s, i2_s::Layout layout, const char* option) {
  const auto why = i2_s::why_illegal(layout, s.shape);
  if (!why) return;
  throw UserError(kExitBadFile,
                  fmt::format("{}: tensor \"{}\" at byte {}: {} {} cannot hold it: {}; `tritcheck inspect` lists the "
                              "layouts each tensor allows",
                              path, gguf::printable(s.tensor->name), s.offset, option, i2_s::name(layout), *why));
}

// In the order of their bytes, which need not be that of the descriptions.
std::vector<gguf::I2sSlice> checked_slices(const RepackOptions& o, const gguf::File& file) {
  std::vector<gguf::I2sSlice> slices = gguf::i2_s_slices(file);
  std::set<const gguf::Tensor*> read;
  for (const gguf::I2sSlice& s : slices) read.insert(s.tensor);
  check_all_are_read(o.in, file, read);
  if (slices.empty()) {
    throw UserError(kExitBadFile, o.in + ": no I2_S tensor in this file; `tritcheck inspect` shows what it holds");
  }
  for (const gguf::I2sSlice& s : slices) {
    check_shape(o.in, s, *o.from, "--from");
    check_shape(o.in, s, o.to, "--layout");
  }
  std::sort(slices.begin(), slices.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return slices;
}

void check_not_itself(const RepackOptions& o) {
  std::error_code absent;
  if (o.overwrite || !std::filesystem::equivalent(o.in, o.out, absent)) return;
  throw UserError(kExitUsage, o.out + ": is the input itself; name another file, or give --overwrite to replace it");
}

class Writer {
 public:
  Writer(const RepackOptions& options, const RepackProgress& progress, std::span<const uint8_t> in)
      : options_(options), progress_(progress), in_(in), file_(options.out, options.overwrite) {}

  void copy_until(uint64_t end) {
    while (done_ < end) put(in_.subspan(done_, std::min(end - done_, kCopyBytes)));
  }

  // Rows packed together are a matrix of their own in every layout, as long as they come in fours.
  void repack(const gguf::I2sSlice& s) {
    const int64_t k = s.shape.k;
    const int64_t step = std::max<int64_t>(kWeightsAtOnce / k / 4, 1) * 4;
    for (int64_t row = 0; row < s.shape.rows; row += step) {
      const i2_s::Shape part{k, std::min(step, s.shape.rows - row)};
      codes_.resize(static_cast<size_t>(k * part.rows));
      packed_.resize(static_cast<size_t>(i2_s::code_bytes(part)));
      i2_s::unpack(*options_.from, part, s.bytes.subspan(static_cast<size_t>(k * row / 4)), codes_);
      i2_s::pack(options_.to, part, codes_, packed_);
      put(packed_);
    }
  }

  std::string finish(const MappedFile& in) {
    say("waiting for the disk");
    file_.sync();
    stop_if_interrupted();
    say("hashing");
    std::string hash = file_.sha256_hex();
    in.check_unchanged();
    stop_if_interrupted();
    file_.commit();
    return hash;
  }

 private:
  void put(std::span<const uint8_t> bytes) {
    stop_if_interrupted();
    file_.write(bytes);
    done_ += bytes.size();
    say("writing");
  }

  void say(std::string_view step) const {
    if (progress_) progress_(step, done_, in_.size());
  }

  void stop_if_interrupted() const {
    if (g_interrupted) throw UserError(kExitInterrupted, options_.out + ": interrupted, nothing was written");
  }

  const RepackOptions& options_;
  const RepackProgress& progress_;
  std::span<const uint8_t> in_;
  NewFile file_;
  uint64_t done_ = 0;
  std::vector<uint8_t> codes_;
  std::vector<uint8_t> packed_;
};

}  // namespace

RepackResult repack(const RepackOptions& options, const RepackProgress& progress) {
  check_layouts(options);
  const MappedFile in(options.in);
  const gguf::File file = parse_model(options.in, in.bytes());
  const std::vector<gguf::I2sSlice> slices = checked_slices(options, file);
  check_not_itself(options);

  RepackResult result;
  result.file_bytes = in.bytes().size();
  result.free_bytes = check_destination(options.out, options.overwrite, result.file_bytes);
  std::set<const gguf::Tensor*> tensors;
  for (const gguf::I2sSlice& s : slices) {
    tensors.insert(s.tensor);
    result.code_bytes += static_cast<uint64_t>(i2_s::code_bytes(s.shape));
  }
  result.tensors = static_cast<int64_t>(tensors.size());
  if (options.dry_run) return result;

  Writer writer(options, progress, in.bytes());
  for (const gguf::I2sSlice& s : slices) {
    writer.copy_until(s.offset);
    writer.repack(s);
  }
  writer.copy_until(result.file_bytes);
  result.sha256 = writer.finish(in);
  return result;
}

std::string repack_text(const RepackOptions& options, const RepackResult& result, const std::string& program) {
  const std::string what =
      fmt::format("{} of {}, {} bytes of codes, from {} to {}", counted(result.tensors, "I2_S tensor"),
                  printable(options.in), result.code_bytes, i2_s::name(*options.from), i2_s::name(options.to));
  if (options.dry_run) {
    const std::string room = result.free_bytes ? fmt::format("{} are free", *result.free_bytes) : "room is not known";
    return fmt::format("would repack {}\n{} would have {} bytes, {} there; nothing was written\n", what,
                       printable(options.out), result.file_bytes, room);
  }
  return fmt::format("repacked {}; {}: {} bytes, sha256 {}\nnext: {} verify --model {} --layout {}\n", what,
                     printable(options.out), result.file_bytes, result.sha256, program,
                     printable(shell_word(options.out)), i2_s::name(options.to));
}

}  // namespace tritcheck
