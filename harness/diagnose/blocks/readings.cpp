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
  bool (*fits)(const ggml::Traits&);
  double (*value)(const ggml::Traits&, const Stored&, size_t sub, size_t subs);
};

bool six_bits(const ggml::Traits& t) {
  return t.scale != nullptr && t.scale->bits == 6;
}
bool has_minima(const ggml::Traits& t) {
  return t.minima > 0;
}
bool has_c(const ggml::Traits& t) {
  return t.c.has_value();
}
int number(const ggml::Traits& t, int stored) {
  return t.scale->number(static_cast<uint8_t>(stored));
}

constexpr Reading kReadings[] = {
    {"scale-pairing", "scale and minimum of each sub-block are exchanged", has_minima,
     [](const ggml::Traits&, const Stored& s, size_t, size_t) { return s.d * s.minimum * s.number + s.c * s.scale; }},
    {"scale-pairing", "the two scales of a block, that of the weights and that of the minima, are exchanged", has_c,
     [](const ggml::Traits& t, const Stored& s, size_t, size_t) {
       const double sign = has_minima(t) ? -1 : 1;  // minima are subtracted, m is added
       return sign * s.c * s.scale * s.number + sign * s.d * s.minimum;
     }},
    {"scale-pairing", "the minima get the scale of the weights", has_c,
     [](const ggml::Traits& t, const Stored& s, size_t, size_t) {
       return s.d * s.scale * s.number + (has_minima(t) ? -1 : 1) * s.d * s.minimum;
     }},
    {"scale-wrong", "the offset 32 of the sub-blocks' scales is not subtracted",
     [](const ggml::Traits& t) { return t.scale != nullptr && t.scale->offset != 0; },
     [](const ggml::Traits&, const Stored& s, size_t, size_t) { return s.d * s.scale * s.number; }},
    {"scale-wrong", "the scales of the sub-blocks are read as unsigned",
     [](const ggml::Traits& t) { return t.scale != nullptr && t.scale->is_signed; },
     [](const ggml::Traits&, const Stored& s, size_t, size_t) { return s.d * s.scale * s.number; }},
    {"scale-wrong", "the two high bits of the scales are lost", six_bits,
     [](const ggml::Traits& t, const Stored& s, size_t, size_t) {
       return s.d * number(t, s.scale & 15) * s.number + s.c * s.minimum;
     }},
    {"scale-wrong", "the two high bits of the scales are lost in the second half of each block", six_bits,
     [](const ggml::Traits& t, const Stored& s, size_t sub, size_t subs) {
       return s.d * number(t, sub < subs / 2 ? s.scale : s.scale & 15) * s.number + s.c * s.minimum;
     }},
    {"scale-wrong", "the two high bits of the minima are lost in the second half of each block",
     [](const ggml::Traits& t) { return six_bits(t) && has_minima(t); },
     [](const ggml::Traits& t, const Stored& s, size_t sub, size_t subs) {
       return s.d * number(t, s.scale) * s.number + s.c * (sub < subs / 2 ? s.minimum : s.minimum & 15);
     }},
};

// All random, with scales of blocks such that float32 holds every value.
LensRow random_row(const Lens& lens, Prng& r) {
  const ggml::Traits& t = lens.traits();
  const auto below = [&](int n) { return static_cast<uint8_t>(r.below(static_cast<uint64_t>(n))); };
  LensRow row = lens.neutral();
  for (ggml::Fields& f : row.blocks) {
    f.d = half_power(static_cast<int>(r.between(0, 2)));
    f.c = half_power(static_cast<int>(r.between(-2, 0)));
    for (uint8_t& code : f.codes) code = below(t.code_count);
    if (t.scale != nullptr && !t.scale->floating) {
      for (uint8_t& s : f.scales) s = below(1 << t.scale->bits);
    }
    for (uint8_t& m : f.minima) m = below(1 << t.minimum_bits());
  }
  return row;
}

std::vector<double> read_as(const Lens& lens, const LensRow& row, const Reading& reading) {
  const ggml::Traits& t = lens.traits();
  LensRow flat = lens.neutral();  // for what the codes stand for
  for (size_t b = 0; b < flat.blocks.size(); ++b) flat.blocks[b].codes = row.blocks[b].codes;
  for (ggml::Fields& f : flat.blocks) f.c = 0;
  const std::vector<double> numbers = lens.right(flat);
  std::vector<double> out;
  for (const ggml::Fields& f : row.blocks) {
    std::vector<uint8_t> bytes;
    append(lens.type(), f, bytes);
    const ggml::Block block = ggml::decode(lens.type(), bytes);
    const size_t subs = std::max<size_t>(1, f.scales.size());
    for (size_t e = 0; e < lens.elements(); ++e) {
      const size_t sub = e * subs / lens.elements();
      const Stored s{block.d, block.c, f.scales.empty() ? 1 : f.scales[sub],
                     has_minima(t)  ? f.minima[sub]
                     : block.c != 0 ? 1
                                    : 0,
                     numbers[out.size()]};
      out.push_back(reading.value(t, s, sub, subs));
    }
  }
  return out;
}

}  // namespace

Found readings(const Lens& lens) {
  if (std::none_of(std::begin(kReadings), std::end(kReadings), [&](const Reading& r) { return r.fits(lens.traits()); }))
    return std::nullopt;
  Prng r(0x5CA1E5);
  const LensRow row = random_row(lens, r);
  const auto seen = lens.seen(row);
  if (!seen || *seen == lens.right(row)) return std::nullopt;
  for (const Reading& reading : kReadings) {
    if (reading.fits(lens.traits()) && read_as(lens, row, reading) == *seen) {
      return Diagnosis{reading.name,
                       reading.sentence,
                       {"so read, a row of random codes, scales and minima gives every answer of this function"}};
    }
  }
  return std::nullopt;
}

}  // namespace tritcheck::block_steps
