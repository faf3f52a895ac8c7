// The C extension: each 16-bit instruction stands for one 32-bit instruction (RISC-V unprivileged
// ISA, chapter 16). One table holds all of RV64DC.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rtvp::rv64 {

struct CompressedRow {
  std::string_view mnemonic;
  std::uint16_t match;
  std::uint16_t mask;
  /// The 32-bit word it stands for, or 0 when the encoding is reserved.
  std::uint32_t (*expand)(std::uint32_t word);
  std::string_view meaning;
};

/// Rows in the order in which they are tried: special cases precede the general ones.
[[nodiscard]] std::span<const CompressedRow> compressedInstructions();

/// The 32-bit word that `word` stands for; 0 (no instruction) if it is reserved or not compressed.
[[nodiscard]] std::uint32_t expandCompressed(std::uint16_t word);

}  // namespace rtvp::rv64
