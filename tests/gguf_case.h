// One hand-made GGUF file and what the reader must say of it. The tests check them; the fuzz seeds are made of them.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/gguf_writer.h"

namespace tritcheck::testing {

struct GgufCase {
  std::string name;
  std::vector<uint8_t> bytes;
  std::string error;                  ///< whole text of the Error; empty: the file is read
  std::vector<std::string> findings;  ///< then: all of them, as "field at byte N: text"
  std::string summary;                ///< then: of the dialect; empty: not checked
  std::string type_name;              ///< then: of the first tensor; empty: not checked
};

inline void PrintTo(const GgufCase& c, std::ostream* out) {
  *out << c.name;
}  // for GoogleTest

class GgufCases {
 public:
  /// The reader must refuse it with "FIELD at byte AT: PROBLEM".
  void refused(const std::string& name, const GgufWriter& w, const std::string& field, size_t at,
               const std::string& problem) {
    all_.push_back({name, w.bytes(), said(field, at, problem), {}, "", ""});
  }
  /// The reader must read it and report exactly these findings, each made by said().
  void accepted(const std::string& name, const GgufWriter& w, std::vector<std::string> findings = {},
                const std::string& summary = "", const std::string& type_name = "") {
    all_.push_back({name, w.bytes(), "", std::move(findings), summary, type_name});
  }
  static std::string said(const std::string& field, size_t at, const std::string& text) {
    return field + " at byte " + std::to_string(at) + ": " + text;
  }
  const std::vector<GgufCase>& all() const { return all_; }

 private:
  std::vector<GgufCase> all_;
};

}  // namespace tritcheck::testing
