#include "harness/cases/rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "harness/cases/data.h"
#include "harness/cases/problem.h"
#include "reference/half.h"

namespace tritcheck {
namespace {

using ggml::Type;

constexpr std::string_view kProbes[] = {"onehot", "extreme", "shape",  "bytes",  "scale", "sum",
                                        "pair",   "special", "memory", "random", "tie",   "smooth"};

int8_t i8(int64_t v) {
  return static_cast<int8_t>(v);
}
uint8_t u8(int64_t v) {
  return static_cast<uint8_t>(v);
}

// A scale of either sign with a random mantissa, as fp16 holds it.
float random_scale(Prng& r, int low, int high) {
  const double magnitude = std::ldexp(1 + r.unit(), static_cast<int>(r.between(low, high)));
  return f16::to_float(f16::from_float(static_cast<float>(r.below(2) != 0 ? magnitude : -magnitude)));
}

// A code whose weight is not zero.
uint8_t some_code(Type type, Prng& r) {
  const ggml::Traits& t = ggml::traits(type);
  while (true) {
    const auto code = u8(static_cast<int64_t>(r.below(static_cast<uint64_t>(t.code_count))));
    if (t.number_of(code) != 0 && code != t.unwritten && code != t.forbidden) return code;
  }
}

// Moves entries by one until each stretch of 256 sums to zero.
void balance(std::vector<int8_t>& q) {
  for (size_t from = 0; from < q.size(); from += 256) {
    const size_t n = std::min<size_t>(256, q.size() - from);
    int64_t sum = std::accumulate(q.begin() + static_cast<ptrdiff_t>(from),
                                  q.begin() + static_cast<ptrdiff_t>(from + n), int64_t{0});
    for (size_t j = 0; sum != 0; j = (j + 1) % n) {
      const int move = sum > 0 ? -1 : 1;
      q[from + j] = i8(q[from + j] + move);
      sum += move;
    }
  }
}

}  // namespace

std::span<const std::string_view> probe_list() {
  return kProbes;
}

Probe probe_of(const Case& c) {
  const auto* found = std::find(std::begin(kProbes), std::end(kProbes), c.probe);
  if (found == std::end(kProbes)) {
    throw std::invalid_argument("case: unknown probe '" + c.probe + "'; there are " + probe_names());
  }
  return static_cast<Probe>(found - std::begin(kProbes));
}

Rows::Rows(const Case& c) : c_(c), probe_(probe_of(c)) {}

Prng Rows::generator(int64_t stream) const {
  return Prng(data_seed(c_) + static_cast<uint64_t>(stream) * 0xD1342543DE82EF95U);
}

std::vector<uint8_t> Rows::weights(Type type, int64_t row) const {
  std::vector<uint8_t> out;
  Prng r = generator(2 * row);
  const size_t n = ggml::format(type).elements;
  for (size_t b = 0; b < static_cast<size_t>(c_.k) / n; ++b) {
    ggml::Fields f = block(type, row, b, r);
    append(type, f, out);
    if (probe_ == Probe::bytes) replace_bytes(type, f, std::span(out).last(ggml::format(type).bytes), b);
  }
  return out;
}

std::vector<uint8_t> Rows::activations(ggml::Acts acts, int64_t row) const {
  Prng r = generator(2 * row + 1);
  std::vector<int8_t> q(static_cast<size_t>(c_.k));
  fill(q, row, r);
  std::vector<uint8_t> out;
  const size_t n = ggml::format(acts).elements;
  for (size_t a = 0; a < q.size() / n; ++a) {
    ActBlock block{act_scale(acts, row, a, r),
                   {q.begin() + static_cast<ptrdiff_t>(a * n), q.begin() + static_cast<ptrdiff_t>((a + 1) * n)}};
    append(acts, block, out);
  }
  return out;
}

bool Rows::negative(int64_t j) const {
  const int64_t period = c_.param("period");
  return period > 0 && j / period % 2 == 1;
}

uint8_t Rows::code(Type type, size_t b, size_t e, Prng& r) const {
  const ggml::Traits& t = ggml::traits(type);
  const auto j = static_cast<int64_t>(b * t.format.elements + e);
  if (c_.params.contains("code")) {
    return u8(std::min<int64_t>(c_.param("code"), t.code_count - 1));
  }
  switch (probe_) {
    case Probe::extreme:
      return t.extreme_code((c_.param("high", 1) != 0) != negative(j));
    case Probe::pair: {
      const int64_t pos = c_.param("pos");
      if (j != pos && j != (pos + 1) % c_.k) return some_code(type, r);
      const bool second = j != pos;
      const int64_t way = c_.param("way");
      return t.extreme_code(way < 2 || (way == 2) != second);
    }
    case Probe::onehot:
    case Probe::shape:
      return some_code(type, r);
    default: {
      return t.allowed(u8(static_cast<int64_t>(r.below(static_cast<uint64_t>(t.code_count)))));
    }
  }
}

uint8_t Rows::scale(Type type, Prng& r) const {
  const ggml::ScaleCode& code = *ggml::traits(type).scale;
  if (probe_ == Probe::extreme || probe_ == Probe::pair) return c_.param("sub", 1) != 0 ? code.high : code.low;
  const auto [from, to] = probe_ == Probe::random ? code.common : code.near_one;
  while (true) {
    const auto s = u8(r.between(from, to));
    // a sub-block that counts for nothing would hide what happens to it
    if (code.number(s) != 0) return s;
  }
}

ggml::Fields Rows::block(Type type, int64_t row, size_t b, Prng& r) const {
  const ggml::Traits& t = ggml::traits(type);
  ggml::Fields f;
  for (size_t e = 0; e < t.format.elements; ++e) f.codes.push_back(code(type, b, e, r));
  for (size_t i = 0; i < t.scales; ++i) f.scales.push_back(scale(type, r));
  for (size_t i = 0; i < t.minima; ++i) {
    const int64_t most = (1 << t.minimum_bits()) - 1;
    f.minima.push_back(u8(probe_ == Probe::extreme ? most * c_.param("sub", 1) : r.between(1, most)));
  }
  const auto n = static_cast<int>(b);
  const auto i = static_cast<int>(c_.param("i")) + static_cast<int>(row);
  switch (probe_) {
    case Probe::random:
    case Probe::memory:
      f.d = f16::from_float(random_scale(r, -7, -3));
      f.c = f16::from_float(random_scale(r, -7, -3));
      break;
    case Probe::extreme:
    case Probe::pair:
    case Probe::sum:
      f.d = f.c = half_power(0);
      break;
    case Probe::special:
      special(t, f, b);
      break;
    case Probe::scale:
      // every block another power of two, and one in five another mantissa
      f.d = static_cast<uint16_t>(half_power(-((5 * n + 3 * i) % 8)) | ((n + i) % 5 == 4 ? 0x200 : 0) |
                                  (n % 3 == 2 ? 0x8000 : 0));
      f.c = static_cast<uint16_t>(half_power(-((3 * n + 5 * i + 1) % 8)) | ((n + i) % 5 == 2 ? 0x200 : 0));
      break;
    default:
      f.d = half_power(-((n + static_cast<int>(row)) % 4));
      f.c = half_power(-((n + static_cast<int>(row) + 1) % 3));
  }
  return f;
}

// Scales that are no ordinary numbers, in every second block of the row, or with `sub` in all of it.
void Rows::special(const ggml::Traits& t, ggml::Fields& f, size_t b) const {
  const int64_t kind = c_.param("kind");
  constexpr uint16_t bits[] = {0x0000, 0x8000, 0xBC00, 0x0001, 0x03FF, 0x8200,
                               0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x0400};
  f.d = f.c = half_power(0);
  if (b % 2 == 0 && kind != 6 && c_.param("sub") == 0) return;
  f.d = f.c = bits[kind % 12];
  if (!f.scales.empty() && f.d == half_power(0)) return;
  if (t.scale == nullptr || !t.scale->floating) return;
  for (uint8_t& s : f.scales) s = t.scale->specials[static_cast<size_t>(kind) % t.scale->specials.size()];
}

// Every byte of the block but its scales counts up from `value`.
void Rows::replace_bytes(Type type, const ggml::Fields& whole, std::span<uint8_t> bytes, size_t b) const {
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = u8(c_.param("value") + 7 * static_cast<int64_t>(i) + 31 * static_cast<int64_t>(b));
  }
  const ggml::Traits& t = ggml::traits(type);
  if (t.code == nullptr) {  // not every byte is canonical: packing would change it
    blocks::store_u16(bytes, *t.d, whole.d);
    return;
  }
  ggml::Fields f = ggml::unpack(type, bytes);
  f.d = whole.d;
  f.c = whole.c;
  for (uint8_t& s : f.scales) s = t.scale->tamed(s);
  for (uint8_t& code : f.codes) code = t.allowed(code);
  ggml::pack(type, f, bytes);
}

void Rows::fill(std::vector<int8_t>& q, int64_t row, Prng& r) const {
  const auto k = static_cast<int64_t>(q.size());
  const int64_t pos = c_.param("pos");
  const int64_t most = c_.param("q", 127);
  for (int64_t j = 0; j < k; ++j) {
    auto& one = q[static_cast<size_t>(j)];
    switch (probe_) {
      case Probe::onehot:
        one = j == (pos + 41 * row) % k;
        break;
      case Probe::extreme:
        one = i8(negative(j) ? -most : most);
        break;
      case Probe::shape:
        one = i8(r.between(1, 40));
        break;
      case Probe::bytes:
        one = i8(r.between(1, 10) * (r.below(2) != 0 ? 1 : -1));
        break;
      case Probe::scale:
      case Probe::special:
        one = i8(r.between(1, 7) * (r.below(2) != 0 ? 1 : -1));
        break;
      case Probe::pair:
        one = i8(r.below(2) != 0 ? 1 : -1);
        break;
      case Probe::sum: {
        const int64_t kind = c_.param("kind");
        one = i8(kind == 1 ? r.between(1, 127) : kind == 2 ? r.between(-127, -1) : r.between(-60, 60));
        break;
      }
      default:
        one = i8(r.between(-127, 127));
    }
  }
  if (probe_ == Probe::sum && c_.param("kind") == 0) balance(q);
  if (probe_ == Probe::pair) {
    const int64_t way = c_.param("way");
    q[static_cast<size_t>(pos)] = i8(way == 1 ? -127 : 127);
    q[static_cast<size_t>((pos + 1) % k)] = i8(way % 2 == 0 && way != 2 ? 127 : -127);
  }
}

float Rows::act_scale(ggml::Acts acts, int64_t row, size_t a, Prng& r) const {
  const auto n = static_cast<int>(a);
  switch (probe_) {
    case Probe::random:
    case Probe::memory:
      if (acts == ggml::Acts::q8_k) {  // 24 bits of mantissa
        const auto d = static_cast<float>(std::ldexp(1 + r.unit(), static_cast<int>(r.between(-9, -5))));
        return r.below(2) != 0 ? d : -d;
      }
      return random_scale(r, -9, -5);
    case Probe::scale:
      return std::ldexp(n % 5 == 4 ? 1.5F : 1.0F, -((7 * n + 3 * static_cast<int>(c_.param("i") + row)) % 4)) *
             (n % 3 == 1 ? -1.0F : 1.0F);
    case Probe::special: {
      const int64_t kind = c_.param("kind");
      return kind == 12 && n % 2 == 1                             ? 0.0F
             : kind == 13                                         ? -1.0F
             : kind == 14 && (n % 2 == 1 || c_.param("sub") == 1) ? 0x1p-24F
                                                                  : 1.0F;
    }
    case Probe::shape:
      return std::ldexp(1.0F, -((n + static_cast<int>(row)) % 2));
    default:
      return 1;
  }
}

}  // namespace tritcheck
