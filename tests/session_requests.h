// Requests for the tests of sessions and workers.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "harness/protocol/executor.h"
#include "reference/dot.h"

namespace tritcheck {

inline uint32_t index_of(const Executor& session, const std::string& name) {
  const auto& kernels = session.info().kernels;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].name == name) return static_cast<uint32_t>(i);
  }
  ADD_FAILURE() << "no kernel " << name;
  return 0;
}

// One row of random codes 0..2 and one of activations.
inline CallRequest dot_request(const Executor& session, const std::string& kernel, int64_t k, uint32_t seed = 1) {
  std::mt19937 random(seed);
  CallRequest request;
  request.kernel = index_of(session, kernel);
  request.k = k;
  std::vector<uint8_t> codes(static_cast<size_t>(k));
  for (auto& code : codes) code = static_cast<uint8_t>(random() % 3);
  request.weights.resize(codes.size() / 4);
  const Layout layout = session.info().kernels[request.kernel].contract.layout;
  i2_s::pack(layout, {k, 1}, codes, request.weights);
  request.activations.resize(codes.size());
  for (auto& q : request.activations) q = static_cast<int8_t>(random() % 256 - 128);
  request.out_words = 1;
  return request;
}

inline uint32_t expected(const CallRequest& request) {
  const auto dot = i2_s::dot_explicit(Layout::x86_128, {request.k, 1}, request.weights, 0, request.activations);
  return static_cast<uint32_t>(dot.raw);
}

inline constexpr const char* kGood = "i2_s_x86_128_dot_scalar";

}  // namespace tritcheck
