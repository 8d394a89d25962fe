// Other ways to read the scales of a block: one is named if it gives every answer of a row in which codes, scales and
// minima are all random.
#include <algorithm>
#include <iterator>

#include "harness/cases/data.h"
#include "harness/diagnose/blocks/steps.h"
#include "reference/prng.h"

namespace tritcheck::block_steps {
namespace {

// What a column needs: d * scale * number + c * minimum, the integers as they are stored.
struct Stored {
  double d = 0;
  double c = 0;
  int scale = 1;
  int minimum = 0;
  double number = 0;  // what the code stands for
};

struct Reading {
  const char* name;
  const char* sentence;
  bool (*fits)(ggml::Type);
  double (*value)(ggml::Type, const Stored&, size_t sub, size_t subs);
};

int scale_offset(ggml::Type t) {
  return t == ggml::Type::q3_k || t == ggml::Type::iq4_xs ? 32 : 0;
}
int scale_number(ggml::Type t, int stored) {
  return t == ggml::Type::q6_k ? static_cast<int8_t>(stored) : stored - scale_offset(t);
}
bool six_bits(ggml::Type t) {
  return ggml::scales(t) > 0 && scale_bits(t) == 6;
}
bool has_minima(ggml::Type t) {
  return ggml::minima(t) > 0;
}

constexpr Reading kReadings[] = {
    {"scale-pairing", "scale and minimum of each sub-block are exchanged", has_minima,
     [](ggml::Type, const Stored& s, size_t, size_t) { return s.d * s.minimum * s.number + s.c * s.scale; }},
    {"scale-pairing", "the two scales of a block, that of the weights and that of the minima, are exchanged",
     [](ggml::Type t) { return has_minima(t) || t == ggml::Type::q4_1 || t == ggml::Type::q5_1; },
     [](ggml::Type t, const Stored& s, size_t, size_t) {
       const double sign = has_minima(t) ? -1 : 1;  // minima are subtracted, m is added
       return sign * s.c * s.scale * s.number + sign * s.d * s.minimum;
     }},
    {"scale-pairing", "the minima get the scale of the weights",
     [](ggml::Type t) { return has_minima(t) || t == ggml::Type::q4_1 || t == ggml::Type::q5_1; },
     [](ggml::Type t, const Stored& s, size_t, size_t) {
       return s.d * s.scale * s.number + (has_minima(t) ? -1 : 1) * s.d * s.minimum;
     }},
    {"scale-wrong", "the offset 32 of the sub-blocks' scales is not subtracted",
     [](ggml::Type t) { return scale_offset(t) != 0; },
     [](ggml::Type, const Stored& s, size_t, size_t) { return s.d * s.scale * s.number; }},
    {"scale-wrong", "the scales of the sub-blocks are read as unsigned",
     [](ggml::Type t) { return t == ggml::Type::q6_k; },
     [](ggml::Type, const Stored& s, size_t, size_t) { return s.d * s.scale * s.number; }},
    {"scale-wrong", "the two high bits of the scales are lost", six_bits,
     [](ggml::Type t, const Stored& s, size_t, size_t) {
       return s.d * scale_number(t, s.scale & 15) * s.number + s.c * s.minimum;
     }},
    {"scale-wrong", "the two high bits of the scales are lost in the second half of each block", six_bits,
     [](ggml::Type t, const Stored& s, size_t sub, size_t subs) {
       return s.d * scale_number(t, sub < subs / 2 ? s.scale : s.scale & 15) * s.number + s.c * s.minimum;
     }},
    {"scale-wrong", "the two high bits of the minima are lost in the second half of each block",
     [](ggml::Type t) { return six_bits(t) && has_minima(t); },
     [](ggml::Type t, const Stored& s, size_t sub, size_t subs) {
       return s.d * scale_number(t, s.scale) * s.number + s.c * (sub < subs / 2 ? s.minimum : s.minimum & 15);
     }},
};

// All random, with scales of blocks such that float32 holds every value.
LensRow random_row(const Lens& lens, Prng& r) {
  const ggml::Type type = lens.type();
  const auto below = [&](int n) { return static_cast<uint8_t>(r.below(static_cast<uint64_t>(n))); };
  LensRow row = lens.neutral();
  for (ggml::Fields& f : row.blocks) {
    f.d = half_power(static_cast<int>(r.between(0, 2)));
    f.c = half_power(static_cast<int>(r.between(-2, 0)));
    for (uint8_t& code : f.codes) code = below(ggml::code_count(type));
    if (scale_bits(type) != 8) {
      for (uint8_t& s : f.scales) s = below(1 << scale_bits(type));
    }
    if (type == ggml::Type::q6_k) {
      for (uint8_t& s : f.scales) s = below(256);
    }
    for (uint8_t& m : f.minima) m = below(1 << minimum_bits(type));
  }
  return row;
}

std::vector<double> read_as(const Lens& lens, const LensRow& row, const Reading& reading) {
  const ggml::Type type = lens.type();
  LensRow flat = lens.neutral();  // for what the codes stand for
  for (size_t b = 0; b < flat.blocks.size(); ++b) flat.blocks[b].codes = row.blocks[b].codes;
  for (ggml::Fields& f : flat.blocks) f.c = 0;
  const std::vector<double> numbers = lens.right(flat);
  std::vector<double> out;
  for (const ggml::Fields& f : row.blocks) {
    std::vector<uint8_t> bytes;
    append(type, f, bytes);
    const ggml::Block block = ggml::decode(type, bytes);
    const size_t subs = std::max<size_t>(1, f.scales.size());
    for (size_t e = 0; e < lens.elements(); ++e) {
      const size_t sub = e * subs / lens.elements();
      const Stored s{block.d, block.c, f.scales.empty() ? 1 : f.scales[sub],
                     has_minima(type) ? f.minima[sub]
                     : block.c != 0   ? 1
                                      : 0,
                     numbers[out.size()]};
      out.push_back(reading.value(type, s, sub, subs));
    }
  }
  return out;
}

}  // namespace

Found readings(const Lens& lens) {
  if (std::none_of(std::begin(kReadings), std::end(kReadings), [&](const Reading& r) { return r.fits(lens.type()); }))
    return std::nullopt;
  Prng r(0x5CA1E5);
  const LensRow row = random_row(lens, r);
  const auto seen = lens.seen(row);
  if (!seen || *seen == lens.right(row)) return std::nullopt;
  for (const Reading& reading : kReadings) {
    if (reading.fits(lens.type()) && read_as(lens, row, reading) == *seen) {
      return Diagnosis{reading.name,
                       reading.sentence,
                       {"so read, a row of random codes, scales and minima gives every answer of this function"}};
    }
  }
  return std::nullopt;
}

}  // namespace tritcheck::block_steps
