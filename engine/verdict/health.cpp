#include "engine/verdict/health.h"

#include <cstdio>

namespace tritcheck::engine {
namespace {

template <class... Args>
std::string text(const char* format, Args... args) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, args...);
  return buffer;
}

}  // namespace

std::string_view name(Health health) {
  constexpr std::string_view names[] = {
      "HEALTHY",      "SUSPECT",   "DEGENERATE (collapse)", "DEGENERATE (salad)", "DEGENERATE (silent)",
      "BROKEN MODEL", "NOT JUDGED"};
  return names[static_cast<size_t>(health)];
}

std::string_view sentence(Health health) {
  constexpr std::string_view sentences[] = {
      "This device says what the model should say.",
      "The text is still good, but this device computes differently from the model by more than rounding.",
      "This device repeats itself without end: its kernels are broken, the model is not.",
      "This device strings words together without sense: its kernels are broken, the model is not.",
      "The text looks right, but this device no longer computes this model: do not trust what it says.",
      "The model file itself is damaged or packed in another layout: no device can make sense of it.",
      "Nothing can be said of this device yet."};
  return sentences[static_cast<size_t>(health)];
}

HealthVerdict judge_health(const HealthNumbers& n, const Bands& b) {
  if (n.has_reference && n.nll_reference > n.log_vocab - 1) {
    return {Health::broken_model,
            text("golden finds ordinary text as unlikely as chance: %.2f nats per token, ln V = %.2f", n.nll_reference,
                 n.log_vocab)};
  }
  if (!n.compared) return {Health::unknown, "no text was compared"};
  if (n.not_finite > 0)
    return {Health::collapse, text("%lld positions with NaN or infinite logits", static_cast<long long>(n.not_finite))};
  const double above = n.nll_candidate - n.nll_golden_text;
  if (n.constant_prompts >= b.constant_prompts)
    return {Health::collapse,
            text("%lld prompts end in one token again and again", static_cast<long long>(n.constant_prompts))};
  const bool looping = n.rep4 > b.loop_rep4 && n.rep4 > n.rep4_golden + b.loop_rep4_above;
  const bool tail = n.tail >= b.loop_tail && n.tail > n.tail_golden + b.loop_rep4_above && above > b.loop_nll;
  if (looping || tail) {
    return {Health::collapse, text("rep-4 %.2f (golden %.2f), cycling tail %.2f (golden %.2f)", n.rep4, n.rep4_golden,
                                   n.tail, n.tail_golden)};
  }
  if (above > b.salad_nll) {
    return {Health::salad,
            text("golden gives its text %.2f nats per token, its own %.2f", n.nll_candidate, n.nll_golden_text)};
  }
  // written so that NaN is never good
  if (!(n.kld <= b.suspect_kld && n.top1 >= b.suspect_top1))
    return {Health::silent, text("KLD %.2g, same token at %.1f %% of positions", n.kld, 100 * n.top1)};
  if (!(n.kld <= b.pass_kld && n.top1 >= b.pass_top1 && n.nmse <= b.pass_nmse))
    return {Health::suspect, text("KLD %.2g, NMSE %.2g, same token at %.1f %%", n.kld, n.nmse, 100 * n.top1)};
  return {Health::healthy, text("KLD %.2g, NMSE %.2g, same token at %.1f %%", n.kld, n.nmse, 100 * n.top1)};
}

}  // namespace tritcheck::engine
