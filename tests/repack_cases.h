// What the tests of `repack` share: a folder of their own, and made-up I2_S files in any layout.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "reference/i2_s.h"
#include "reference/prng.h"
#include "tests/gguf_writer.h"
#include "tests/temp_folder.h"

namespace tritcheck::testing {

inline std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

class RepackFolder : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }
  void write(const std::string& name, const std::string& content) const { folder_.file(name, content); }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path(""))) out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  std::map<std::string, std::string> snapshot() const {
    std::map<std::string, std::string> out;
    for (const std::string& name : names()) {
      out[name] = std::filesystem::is_regular_file(path(name)) ? contents(path(name)) : "no file";
    }
    return out;
  }
  void clear() const {
    for (const std::string& name : names()) std::filesystem::remove(path(name));
  }

 private:
  TempFolder folder_;
};

/// One I2_S tensor: `slices` matrices of k x rows with a scale each.
struct Matrix {
  int64_t k = 0;
  int64_t rows = 0;
  int64_t slices = 1;
  uint64_t seed = 0;
};

/// A model of I2_S tensors "w0", "w1", ..., each with an F32 tensor behind it; `reversed`: the data lie the other way
/// round than the descriptions. Padding and tails hold anything but zeros, codes are 0 to 3.
struct MadeUp {
  i2_s::Layout from = i2_s::Layout::linear;  ///< what a test wants to turn into what
  i2_s::Layout to = i2_s::Layout::linear;
  std::vector<Matrix> matrices;
  bool reversed = false;

  /// The file in that layout, every code placed by the definition of the layout.
  std::string bytes(i2_s::Layout layout) const {
    std::vector<GgufWriter> data;
    std::vector<uint64_t> offsets(2 * matrices.size());
    for (const Matrix& m : matrices) {
      data.push_back(codes(layout, m));
      data.push_back(GgufWriter().f32(1).f32(2));
    }
    std::vector<size_t> order(data.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (reversed) std::reverse(order.begin(), order.end());
    GgufWriter all;
    for (size_t i : order) {
      offsets[i] = all.size();
      all.append(data[i]);
      while (all.size() % 32 != 0) all.u8(0xA5);
    }
    GgufWriter file;
    file.header(data.size(), 1).key("general.description", kString).string("made up");
    for (size_t i = 0; i < matrices.size(); ++i) {
      const Matrix& m = matrices[i];
      const auto number = [](int64_t n) { return static_cast<uint64_t>(n); };
      std::vector<uint64_t> dims = {number(m.k), number(m.rows)};
      if (m.slices > 1) dims.push_back(number(m.slices));
      file.info("w" + std::to_string(i), dims, kTensorI2s, offsets[2 * i]);
      file.info("f" + std::to_string(i), {2}, kTensorF32, offsets[2 * i + 1]);
    }
    file.pad().append(all);
    return {file.bytes().begin(), file.bytes().end()};
  }

 private:
  static GgufWriter codes(i2_s::Layout layout, const Matrix& m) {
    GgufWriter out;
    Prng rng(m.seed);
    for (int64_t slice = 0; slice < m.slices; ++slice) {
      std::vector<uint8_t> packed(static_cast<size_t>(i2_s::code_bytes({m.k, m.rows})));
      for (int64_t row = 0; row < m.rows; ++row) {
        for (int64_t column = 0; column < m.k; ++column) {
          const i2_s::Position p = i2_s::position(layout, m.k, row, column);
          packed.at(static_cast<size_t>(p.byte)) |= static_cast<uint8_t>(rng.between(0, 3) << p.shift);
        }
      }
      for (uint8_t byte : packed) out.u8(byte);
      out.f32(0.5F);
      for (int i = 0; i < 28; ++i) out.u8(static_cast<uint64_t>(0x80 + i));
    }
    return out;
  }
};

/// Any two layouts and shapes that both can hold.
inline rc::Gen<MadeUp> arbitrary_file() {
  return rc::gen::exec([] {
    MadeUp file;
    const auto layout = rc::gen::elementOf(std::vector(std::begin(i2_s::kLayouts), std::end(i2_s::kLayouts)));
    file.from = *layout;
    file.to = *rc::gen::distinctFrom(layout, file.from);
    file.reversed = *rc::gen::arbitrary<bool>();
    const int64_t k = std::lcm(i2_s::k_multiple(file.from), i2_s::k_multiple(file.to));
    const int64_t rows = std::lcm(i2_s::row_multiple(file.from), i2_s::row_multiple(file.to));
    const int n = *rc::gen::inRange(1, 4);
    for (int i = 0; i < n; ++i) {
      file.matrices.push_back({k * *rc::gen::inRange<int64_t>(1, 6), rows * *rc::gen::inRange<int64_t>(1, 8),
                               *rc::gen::inRange<int64_t>(1, 4), *rc::gen::arbitrary<uint64_t>()});
    }
    return file;
  });
}

inline std::ostream& operator<<(std::ostream& out, const MadeUp& file) {
  out << i2_s::name(file.from) << " to " << i2_s::name(file.to) << (file.reversed ? ", reversed" : "");
  for (const Matrix& m : file.matrices) out << ", " << m.k << " x " << m.rows << " x " << m.slices;
  return out;
}

}  // namespace tritcheck::testing
