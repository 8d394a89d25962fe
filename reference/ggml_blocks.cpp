#include "reference/ggml_blocks.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "reference/half.h"

namespace tritcheck::ggml {
namespace {

uint8_t read(std::span<const uint8_t> bytes, const Place& place) {
  const auto part = [&](const Bits& b) { return bytes[b.byte] >> b.shift & ((1 << b.width) - 1); };
  const int high = place.high ? part(*place.high) << place.low.width : 0;
  return static_cast<uint8_t>(part(place.low) | high);
}

void write(const blocks::Format& format, std::span<uint8_t> bytes, const Place& place, size_t number, uint8_t value) {
  blocks::require_code(format, number, value, (1 << place.width()) - 1);
  const auto put = [&](const Bits& b, int bits) {
    bytes[b.byte] |= static_cast<uint8_t>((bits & ((1 << b.width) - 1)) << b.shift);
  };
  put(place.low, value);
  if (place.high) put(*place.high, value >> place.low.width);
}

}  // namespace

const Traits& traits(Type type) {
  static constexpr const Traits* kAll[] = {
#define TRITCHECK_FORMAT(name) &formats::name,
#include "reference/formats/formats.inc"
#undef TRITCHECK_FORMAT
  };
  return *kAll[static_cast<size_t>(type)];
}

uint8_t Traits::extreme_code(bool largest) const {
  uint8_t best = 0;
  for (int i = 0; i < code_count; ++i) {
    const auto one = static_cast<uint8_t>(i);
    if (i == forbidden) continue;
    if (largest ? number_of(one) > number_of(best) : number_of(one) < number_of(best)) best = one;
  }
  return best;
}

Fields unpack(Type type, std::span<const uint8_t> bytes) {
  const Traits& t = traits(type);
  blocks::require_block(t.format, "unpack", bytes.size());
  Fields out;
  if (t.d) out.d = blocks::load_u16(bytes, *t.d);
  if (t.c) out.c = blocks::load_u16(bytes, *t.c);
  if (t.code == nullptr) t.unpack_digits(bytes, out);
  for (size_t e = out.codes.size(); e < t.format.elements; ++e) out.codes.push_back(read(bytes, t.code(e)));
  for (size_t i = 0; i < t.scales; ++i) out.scales.push_back(read(bytes, t.scale_place(i)));
  for (size_t i = 0; i < t.minima; ++i) out.minima.push_back(read(bytes, t.minimum_place(i)));
  return out;
}

void pack(Type type, const Fields& fields, std::span<uint8_t> bytes) {
  const Traits& t = traits(type);
  const blocks::Format& f = t.format;
  blocks::require_block(f, "pack", bytes.size());
  if (fields.codes.size() != f.elements || fields.scales.size() != t.scales || fields.minima.size() != t.minima)
    throw std::invalid_argument(std::string(f.name) + ": pack: the fields are not those of one block");
  std::fill(bytes.begin(), bytes.end(), uint8_t{0});
  if (t.code == nullptr) t.pack_digits(fields, bytes);
  if (t.d) blocks::store_u16(bytes, *t.d, fields.d);
  if (t.c) blocks::store_u16(bytes, *t.c, fields.c);
  for (size_t e = 0; t.code != nullptr && e < f.elements; ++e) write(f, bytes, t.code(e), e, fields.codes[e]);
  for (size_t i = 0; i < t.scales; ++i) write(f, bytes, t.scale_place(i), i, fields.scales[i]);
  for (size_t i = 0; i < t.minima; ++i) write(f, bytes, t.minimum_place(i), i, fields.minima[i]);
}

Block decode(Type type, std::span<const uint8_t> bytes) {
  const Traits& t = traits(type);
  const Fields f = unpack(type, bytes);
  Block out;
  out.d = t.d_of != nullptr ? t.d_of(f) : double{f16::to_float(f.d)};
  if (t.c) out.c = t.c_is_added ? double{f16::to_float(f.c)} : -double{f16::to_float(f.c)};
  for (size_t e = 0; e < f.codes.size(); ++e) {
    const int32_t scale = t.scales == 0 ? 1 : t.scale->number(f.scales[e * t.scales / f.codes.size()]);
    out.weight.push_back(scale * t.number_of(f.codes[e]));
    out.offset.push_back(scale * t.code_offset);
    out.minimum.push_back(t.c_is_added ? 1 : t.minima == 0 ? 0 : f.minima[e * t.minima / f.codes.size()]);
  }
  return out;
}

Block decode_in_order(Type type, std::span<const uint8_t> bytes) {
  const Traits& t = traits(type);
  blocks::require_block(t.format, "decode_in_order", bytes.size());
  Block out;
  for (auto* numbers : {&out.weight, &out.offset, &out.minimum}) numbers->resize(t.format.elements);
  t.in_order(bytes, out);
  return out;
}

}  // namespace tritcheck::ggml
