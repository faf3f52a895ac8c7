// Source lines of an executable, from its DWARF line tables (.debug_line, versions 2 to 5, DWARF 5
// section 6.2). The file is not trusted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/xphmg/hart/elf.hpp"

namespace rtvp::rv64 {

struct LineTable {
  /// From here up to the next row.
  struct Row {
    std::uint64_t address = 0;
    std::uint32_t file = 0;  ///< index into files
    std::uint32_t line = 0;  ///< 0: no line's
  };
  /// Code that lies in one piece.
  struct Sequence {
    std::vector<Row> rows;  ///< by address, each higher than the one before
    std::uint64_t end = 0;  ///< first address behind it
  };
  std::vector<std::string> files;  ///< with the folders that they were compiled in
  std::vector<Sequence> sequences;

  [[nodiscard]] bool empty() const { return sequences.empty(); }
};

/// Empty if the program was compiled without -g. Throws ElfError for tables that are wrong, or of a
/// kind that is not read.
[[nodiscard]] LineTable readLines(const ElfImage& image);

}  // namespace rtvp::rv64
