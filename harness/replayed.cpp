#include "harness/replayed.h"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/base/error.h"
#include "harness/foreign/problem.h"

namespace tritcheck {
namespace {

std::string computes(const KernelInfo& k) {
  if (k.role == Role::kernel) return "i2_s." + std::string(name(k.contract.op));
  return k.format + "." + std::string(foreign::name(k.role));
}

}  // namespace

std::string Replayed::question() const {
  if (blocks) return blocks->format + "." + std::string(foreign::name(blocks->role));
  return "i2_s." + std::string(name(i2_s->op));
}

bool Replayed::meant_for(const KernelInfo& k) const {
  return computes(k) == question() && (blocks || k.contract.layout == i2_s->layout);
}

void Replayed::check_fits(const KernelInfo& k, bool force) const {
  if (computes(k) != question()) {
    throw UserError(kExitUsage, fmt::format("{} computes {}, the case is for {}", k.name, computes(k), question()));
  }
  if (!meant_for(k) && !force) {
    throw UserError(kExitUsage, fmt::format("{} reads {}, the data of the case are {}; --force runs it all the same",
                                            k.name, i2_s::name(k.contract.layout), i2_s::name(i2_s->layout)));
  }
}

std::string Replayed::beyond_contract(const KernelInfo& k) const {
  const int64_t columns = blocks ? blocks->k : i2_s->k;
  if (columns > k.contract.k_max) {
    return fmt::format("K = {} is more than its contract allows ({})", columns, k.contract.k_max);
  }
  if (blocks && blocks->n > k.nrows) return fmt::format("it computes {} row at a time, not {}", k.nrows, blocks->n);
  return "";
}

Replayed parse_replayed(const std::string& case_text) {
  Replayed out;
  try {
    if (foreign::is_case(case_text)) {
      out.blocks = foreign::parse_case(case_text);
      if (out.blocks->probe != "real") foreign::make_problem(*out.blocks);
    } else {
      out.i2_s = parse_case(case_text);
    }
  } catch (const std::invalid_argument& e) {
    throw UserError(kExitUsage, e.what());
  }
  return out;
}

}  // namespace tritcheck
