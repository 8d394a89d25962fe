// The bytes between harness and runner: frames of little-endian fields. Both sides check every length and a checksum,
// because a broken kernel may have scribbled over either end's view of them.
//
//   frame  = magic u32, type u32, sequence u32, length u32, checksum u64, payload[length]
//   string = length u32, bytes
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tritcheck::wire {

static_assert(std::endian::native == std::endian::little, "fields are copied as they lie in memory");

inline constexpr uint32_t kMagic = 0x314B4354;  // "TCK1"
inline constexpr int kSchema = 5;
inline constexpr uint32_t kMaxPayload = 1U << 30;
inline constexpr size_t kHeaderBytes = 24;

enum class FrameType : uint32_t { hello = 1, call = 2, result = 3, engine_call = 4, engine_reply = 5 };
inline constexpr auto kLastFrameType = FrameType::engine_reply;

struct Header {
  FrameType type = FrameType::hello;
  uint32_t sequence = 0;
  uint32_t length = 0;
  uint64_t checksum = 0;
};

/// A sum over payload, type, sequence and length; it finds accidents, not attacks.
uint64_t checksum(FrameType type, uint32_t sequence, std::span<const uint8_t> payload);

/// Writes kHeaderBytes. Async-signal-safe.
void write_header(uint8_t* to, FrameType type, uint32_t sequence, std::span<const uint8_t> payload);

/// Reads kHeaderBytes; nothing if the magic, the type or the length is impossible.
std::optional<Header> read_header(const uint8_t* from);

/// Appends fields to a buffer that never grows. What does not fit is only counted: encode once into an empty buffer to
/// learn the size. Async-signal-safe.
class Writer {
 public:
  explicit Writer(std::span<uint8_t> buffer = {}) : buffer_(buffer) {}

  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    raw(&value, sizeof value);
  }
  void bytes(std::span<const uint8_t> data) { raw(data.data(), data.size()); }
  void words(std::span<const uint32_t> data) { raw(data.data(), data.size_bytes()); }
  void string(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    raw(text.data(), text.size());
  }
  size_t size() const { return size_; }
  bool fits() const { return size_ <= buffer_.size(); }

 private:
  void raw(const void* data, size_t n) {
    if (n != 0 && size_ + n <= buffer_.size()) std::memcpy(buffer_.data() + size_, data, n);
    size_ += n;
  }

  std::span<uint8_t> buffer_;
  size_t size_ = 0;
};

/// Takes fields from a buffer. After a read past the end, or an enum beyond its last value, ok() is false and every
/// further field is zero or empty.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> buffer) : buffer_(buffer) {}

  template <class T>
  T get() {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    T value{};
    const auto data = bytes(sizeof value);
    if (data.size() == sizeof value) std::memcpy(&value, data.data(), sizeof value);
    return value;
  }
  bool flag() { return get<uint8_t>() != 0; }
  template <class E>
  E enumerator(E last) {
    const auto value = get<uint8_t>();
    if (value > static_cast<uint8_t>(last)) ok_ = false;
    return ok_ ? static_cast<E>(value) : E{};
  }
  std::span<const uint8_t> bytes(size_t n) {
    if (!ok_ || n > buffer_.size() - at_) {
      ok_ = false;
      return {};
    }
    at_ += n;
    return buffer_.subspan(at_ - n, n);
  }
  std::string string() {
    const auto data = bytes(get<uint32_t>());
    return {data.begin(), data.end()};
  }
  bool ok() const { return ok_; }
  bool done() const { return ok_ && at_ == buffer_.size(); }

 private:
  std::span<const uint8_t> buffer_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace tritcheck::wire
