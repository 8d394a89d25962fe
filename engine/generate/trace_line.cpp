#include "engine/generate/trace_line.h"

#include <charconv>
#include <cmath>

namespace tritcheck::engine {
namespace {

void write_number(std::ostream& out, double value) {
  if (std::isnan(value)) {
    out << "\"nan\"";
  } else if (std::isinf(value)) {
    out << (value > 0 ? "\"inf\"" : "\"-inf\"");
  } else {
    char text[32];
    out.write(text, std::to_chars(text, text + sizeof text, value).ptr - text);
  }
}

}  // namespace

// Names of steps and operations are our own: nothing in them needs an escape.
void write_trace_line(std::ostream& out, const TraceStep& step, bool values) {
  double sum = 0;
  for (const double v : step.values) sum += v;
  const auto rows = step.cols == 0 ? 0 : static_cast<int64_t>(step.values.size()) / step.cols;
  out << R"({"name":")" << step.full_name() << R"(","op":")" << step.op << R"(","position":)" << step.position
      << R"(,"rows":)" << rows << R"(,"cols":)" << step.cols << R"(,"sum":)";
  write_number(out, sum);
  if (values) {
    out << R"(,"values":[)";
    for (size_t i = 0; i < step.values.size(); ++i) {
      if (i > 0) out << ',';
      write_number(out, step.values[i]);
    }
    out << ']';
  }
  out << "}\n";
}

}  // namespace tritcheck::engine
