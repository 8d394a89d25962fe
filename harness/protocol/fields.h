// Both directions of a structure are one function over `io`, so that they cannot drift apart:
//
//   template <class Io, class T>
//   void fields(Io io, T& x) requires std::is_same_v<std::remove_const_t<T>, Point> { io(x.a); io.numbers(x.list); }
//
//   fields(Out{writer}, point);   // async-signal-safe, if the structure allocates nothing
//   fields(In{reader}, point);
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/protocol/wire.h"

namespace tritcheck::wire {

struct Out {
  Writer& to;
  template <class T>
  void operator()(const T& value, T /*last*/ = {}) {
    to.put(value);
  }
  void operator()(const std::string& text) { to.string(text); }
  void operator()(const std::vector<std::string>& texts) {
    to.put(static_cast<uint32_t>(texts.size()));
    for (const std::string& text : texts) to.string(text);
  }
  template <class T>
  void numbers(const std::vector<T>& data) {
    to.put(static_cast<uint32_t>(data.size()));
    to.bytes({reinterpret_cast<const uint8_t*>(data.data()), data.size() * sizeof(T)});
  }
};

/// Of an enum, `last` is the largest legal value.
struct In {
  Reader& from;
  template <class T>
  void operator()(T& value, T last = {}) {
    if constexpr (std::is_enum_v<T>) {
      static_assert(sizeof(T) == 1);
      value = from.enumerator(last);
    } else if constexpr (std::is_same_v<T, bool>) {
      value = from.flag();
    } else {
      value = from.get<T>();
    }
  }
  void operator()(std::string& text) { text = from.string(); }
  void operator()(std::vector<std::string>& texts) {
    const auto n = from.get<uint32_t>();
    for (uint32_t i = 0; i < n && from.ok(); ++i) texts.push_back(from.string());
  }
  template <class T>
  void numbers(std::vector<T>& data) {
    const auto raw = from.bytes(sizeof(T) * from.get<uint32_t>());
    data.resize(raw.size() / sizeof(T));
    if (!raw.empty()) std::memcpy(data.data(), raw.data(), raw.size());
  }
};

}  // namespace tritcheck::wire
