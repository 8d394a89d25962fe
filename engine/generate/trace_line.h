// A step of the graph as a line of JSON.
#pragma once

#include <ostream>

#include "engine/trace.h"

namespace tritcheck::engine {

/// Writes one object and a line end:
///   {"name":"Qcur-0","op":"MUL_MAT","position":0,"rows":9,"cols":128,"sum":-3.25}
/// `position` is that of the first row, `sum` that of all numbers, added from first to last; with `values`, a last
/// member "values" holds them all, row after row. Numbers are the shortest text that reads back as the same double;
/// those that JSON cannot write are the texts "nan", "inf" and "-inf".
void write_trace_line(std::ostream& out, const TraceStep& step, bool values);

}  // namespace tritcheck::engine
