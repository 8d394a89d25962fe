#include "harness/foreign/lens.h"

#include "harness/foreign/data.h"
#include "reference/half.h"

namespace tritcheck::foreign {
namespace {

uint8_t unit_scale(ggml::Type type) {
  switch (type) {
    case ggml::Type::q3_k:
    case ggml::Type::iq4_xs:
      return 33;
    case ggml::Type::mxfp4:
      return 128;
    case ggml::Type::nvfp4:
      return 0x38;
    default:
      return 1;
  }
}

}  // namespace

Lens::Lens(const Suspect& suspect, int64_t k)
    : suspect_(suspect),
      type_(*weights_named(suspect.function.format)),
      k_(k),
      elements_(ggml::format(type_).elements) {
  act_elements_ = suspect.function.role == Role::vec_dot ? ggml::format(ggml::acts_of(type_)).elements : 0;
}

LensRow Lens::neutral() const {
  LensRow row;
  const bool plain_minimum = type_ == ggml::Type::q4_1 || type_ == ggml::Type::q5_1;
  for (size_t b = 0; b < static_cast<size_t>(k_) / elements_; ++b) {
    ggml::Fields f;
    f.d = half_power(0);
    f.c = plain_minimum ? uint16_t{0} : half_power(0);
    f.codes.assign(elements_, 0);
    f.scales.assign(ggml::scales(type_), unit_scale(type_));
    f.minima.assign(ggml::minima(type_), 0);
    row.blocks.push_back(std::move(f));
  }
  if (act_elements_ > 0) row.act_scales.assign(static_cast<size_t>(k_) / act_elements_, 1.0F);
  return row;
}

Problem Lens::problem(const LensRow& row) const {
  Problem p;
  p.role = suspect_.function.role;
  p.format = suspect_.function.format;
  p.acts = suspect_.function.acts;
  p.k = k_;
  for (const ggml::Fields& f : row.blocks) append(type_, f, p.x);
  return p;
}

std::vector<double> Lens::right(const LensRow& row) const {
  std::vector<double> out;
  const Problem p = problem(row);
  const size_t bytes = ggml::format(type_).bytes;
  for (size_t b = 0; b < row.blocks.size(); ++b) {
    const ggml::Block block = ggml::decode(type_, std::span(p.x).subspan(b * bytes, bytes));
    for (size_t e = 0; e < elements_; ++e) {
      const size_t at = b * elements_ + e;
      out.push_back(block.value(e) * (act_elements_ == 0 ? 1.0 : double{row.act_scales[at / act_elements_]}));
    }
  }
  return out;
}

std::optional<std::vector<double>> Lens::seen(const LensRow& row) const {
  Problem p = problem(row);
  if (p.role == Role::to_float) {
    const CallRequest request = make_request(p, suspect_.kernel, false);
    const CallResult result = suspect_.executor.run({&request, 1}).at(0);
    if (result.status != CallStatus::returned) return std::nullopt;
    return answers(p, result.out_a);
  }
  std::vector<CallRequest> requests;
  for (int64_t e = 0; e < k_; ++e) {
    p.y.clear();
    for (size_t a = 0; a < row.act_scales.size(); ++a) {
      ActBlock block{row.act_scales[a], std::vector<int8_t>(act_elements_)};
      if (static_cast<size_t>(e) / act_elements_ == a) block.q[static_cast<size_t>(e) % act_elements_] = 1;
      append(ggml::acts_of(type_), block, p.y);
    }
    requests.push_back(make_request(p, suspect_.kernel, false));
    requests.back().cpu_limit_ms = suspect_.timeout_ms;
  }
  std::vector<double> out;
  for (const CallResult& r : suspect_.executor.run(requests)) {
    if (r.status != CallStatus::returned) return std::nullopt;
    out.push_back(answers(p, r.out_a).at(0));
  }
  return out;
}

}  // namespace tritcheck::foreign
