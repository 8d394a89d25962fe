// What `tritcheck run` reads and writes: the prompt, the answer, the trace.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "engine/text/detokenizer.h"
#include "engine/trace.h"
#include "harness/cli/text_output.h"

namespace tritcheck::cli {

/// All of standard input, without its last line end. Ends early when interrupted. Throws UserError if it cannot be read
/// or has more than 64 MiB.
std::string standard_input();

/// The answer on standard output, token by token: as text, or where there is none as ids with commas between them.
class Answer {
 public:
  /// `tokenizer` may be null: no text. With `special`, hidden tokens show.
  Answer(const text::Tokenizer* tokenizer, bool special);
  /// False: the reader has gone away. Throws as TextOutput::write(), and text::Error for a bad id.
  bool token(int32_t id);
  /// Ends the line. A character that the model left incomplete shows as U+FFFD; one that was cut off (not `by_model`)
  /// does not.
  void end(bool by_model);
  bool closed() const { return out_.closed(); }

 private:
  TextOutput out_;
  std::optional<text::Detokenizer> text_;
  bool first_ = true;
};

/// The file of the trace, written step by step. Every member throws UserError if it cannot be written.
class TraceFile {
 public:
  /// Empties the file at once. It must not be the model.
  TraceFile(const std::string& path, const std::string& model, bool values);
  void write(const engine::TraceStep& step);
  void close();

 private:
  void check() const;

  std::string path_;
  bool values_;
  std::ofstream out_;
};

}  // namespace tritcheck::cli
