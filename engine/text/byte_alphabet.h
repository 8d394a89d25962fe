// GPT-2's alphabet: byte-level vocabularies are written with one printable character per byte, so that a token is text
// even where its bytes are none. (openai/gpt-2, encoder.py, bytes_to_unicode.)
//
// The printable bytes of Latin-1, 21..7E, A1..AC and AE..FF, stand for themselves; the other 68 are U+0100..U+0143, in
// order: a space is U+0120 ("Ġ"), a newline U+010A ("Ċ").
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tritcheck::text {

/// Any bytes, written in the alphabet.
std::string to_alphabet(std::string_view bytes);

/// The bytes that a text stands for; nothing if a character of it is not of the alphabet, or it is not UTF-8.
std::optional<std::string> from_alphabet(std::string_view text);

}  // namespace tritcheck::text
