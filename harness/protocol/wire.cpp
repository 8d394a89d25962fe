#include "harness/protocol/wire.h"

namespace tritcheck::wire {
namespace {

constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;

uint64_t mix(uint64_t hash, uint64_t word) {
  return std::rotl((hash ^ word) * kMultiplier, 29);
}

template <class T>
T load(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

uint64_t checksum(FrameType type, uint32_t sequence, std::span<const uint8_t> payload) {
  const size_t n = payload.size();
  // Four lanes, so that large payloads are not bound by the latency of the multiplier.
  uint64_t lanes[4] = {static_cast<uint64_t>(type), sequence, n, kMultiplier};
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    for (size_t lane = 0; lane < 4; ++lane) lanes[lane] = mix(lanes[lane], load<uint64_t>(&payload[i + 8 * lane]));
  }
  for (; i + 8 <= n; i += 8) lanes[0] = mix(lanes[0], load<uint64_t>(&payload[i]));
  for (; i < n; ++i) lanes[1] = mix(lanes[1], payload[i]);
  uint64_t hash = 0;
  for (const uint64_t lane : lanes) hash = mix(hash, lane);
  return hash;
}

void write_header(uint8_t* to, FrameType type, uint32_t sequence, std::span<const uint8_t> payload) {
  Writer out({to, kHeaderBytes});
  out.put(kMagic);
  out.put(type);
  out.put(sequence);
  out.put(static_cast<uint32_t>(payload.size()));
  out.put(checksum(type, sequence, payload));
}

std::optional<Header> read_header(const uint8_t* from) {
  Reader in({from, kHeaderBytes});
  const auto magic = in.get<uint32_t>();
  const auto type = in.get<uint32_t>();
  Header header;
  header.sequence = in.get<uint32_t>();
  header.length = in.get<uint32_t>();
  header.checksum = in.get<uint64_t>();
  if (magic != kMagic || type < 1 || type > static_cast<uint32_t>(kLastFrameType) || header.length > kMaxPayload)
    return std::nullopt;
  header.type = static_cast<FrameType>(type);
  return header;
}

}  // namespace tritcheck::wire
