// A program as source text again: labels from the symbol table, and words that assemble to
// themselves.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "models/c32/asm/image.hpp"

namespace rtvp::c32 {

/// Source from which the assembler (enhanced option on) makes the same sections, words, addresses
/// and entry. Symbols whose names no source can spell are left out.
std::string reassemblable(const Image& image);

/// Names of places by run address.
std::map<std::uint32_t, std::string> labelsOf(const Image& image);

/// `  ; symbol` or `  ; symbol+n` for the target of a branch at `address`, by the last of `labels`
/// in the section that it leads to; empty if there is none.
std::string targetNote(const Image& image, const std::map<std::uint32_t, std::string>& labels,
                       std::uint32_t word, std::uint32_t address);

}  // namespace rtvp::c32
