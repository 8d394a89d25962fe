// What goes wrong with text and token ids. A wrong file is a gguf::Error instead.
#pragma once

#include <stdexcept>

namespace tritcheck::text {

/// Text that has no token ids, a token id that is none, a request the model cannot serve. what() is one line.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tritcheck::text
