// What a model is asked, and what it is measured with, if the user names nothing else.
#pragma once

#include <string>
#include <vector>

namespace tritcheck {

/// Facts that every language model with some English knows, and controls: prompts whose right continuation repeats
/// itself (lists, sums, refrains, names within names), so that repetition alone cannot be the verdict.
const std::vector<std::string>& default_prompts();

/// Plain sentences about capitals. Golden weights that find them no likelier than chance are not a model.
const std::vector<std::string>& reference_texts();

/// One prompt per line; empty lines and lines that begin with # are left out. Throws UserError(kExitBadFile) for a file
/// that cannot be read or holds none.
std::vector<std::string> read_prompts(const std::string& path);

}  // namespace tritcheck
