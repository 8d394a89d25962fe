// The pre-tokeniser `llama-bpe`: cuts text into the pieces within which byte pairs are merged.
//
// The rule is one regular expression (Llama 3's; in GGUF files as tokenizer.ggml.pre = llama-bpe, in llama.cpp
// LLAMA_VOCAB_PRE_TYPE_LLAMA3), at each position the first alternative that matches:
//
//   '[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]    contractions
//   |[^\r\n\p{L}\p{N}]?\p{L}+                                 a word, with one character of another kind before it
//   |\p{N}{1,3}                                               digits by threes
//   | ?[^\s\p{L}\p{N}]+[\r\n]*                                signs, with a space before and newlines after them
//   |\s*[\r\n]+                                               white space up to the last newline of it
//   |\s+(?!\S)                                                white space, but the last character if text follows
//   |\s+
//
// Where programs read it differently, this is the reading here:
//  * Contractions are spelled out, as in llama.cpp, not (?i:...). Matching without case, Unicode's rules would take the
//    long s (U+017F) for an s; here 'ſ is no contraction and begins a word.
//  * \s is Unicode's White_Space, 25 characters written out, so that no library's idea of \s matters: with NBSP, U+0085
//    and U+3000, without U+180E and U+200B.
//  * \p{L} and \p{N} are those of the Unicode version of the PCRE2 library.
//  * A byte that is not part of well-formed UTF-8 counts as one sign, as U+FFFD would: neither letter, digit nor white
//    space, each byte for itself. So llama.cpp has it; but there the text then contains U+FFFD, while here the byte
//    stays what it was, for text must survive encode and decode, and vocabularies have tokens for all bytes.
#pragma once

#include <string_view>
#include <vector>

namespace tritcheck::text {

/// The pieces of any bytes in order, as views into `text`; none is empty, and joined they are `text`. Takes linear
/// time, also on a single word, number or run of spaces of any length. Throws text::Error if PCRE2 gives up (a run of
/// more than 4 * 10^9 white space characters), never leaves anything out.
std::vector<std::string_view> split_pieces(std::string_view text);

}  // namespace tritcheck::text
