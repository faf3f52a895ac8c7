// Debug entries and line entries of COFF files (debug_info.hpp), for writers and readers of
// executables (coff.cpp) and objects (../link/object_coff.cpp). Internal to the tools.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/c32/asm/coff_format.hpp"
#include "models/c32/asm/debug_info.hpp"

namespace rtvp::c32::coff {

/// Storage classes whose entries are for debuggers alone.
constexpr bool isDebugClass(std::uint32_t storage) {
  return storage == storage::kAutomatic || storage == storage::kRegister ||
         (storage >= storage::kMember && storage <= storage::kField) ||
         (storage >= storage::kBlock && storage <= storage::kFile);
}

/// The part of a symbol table that carries the debug entries.
class DebugTable {
 public:
  /// `first`: index of the part's first entry in the symbol table; `bases`: what is added to places
  /// in each section.
  DebugTable(const DebugInfo& info, std::uint32_t first, std::vector<std::uint32_t> bases);

  std::uint32_t slots() const { return slots_; }
  /// Index in the symbol table of the entry that is this external or static symbol; -1 if there is
  /// none.
  int indexOf(const std::string& name, int section, std::uint32_t value) const;
  std::uint32_t lineCount(int section) const;
  /// The line entries of a section go to the end of what is written.
  void writeLines(Writer& w, int section);
  /// The entries; behind writeLines for all sections.
  void writeEntries(Writer& w) const;

 private:
  std::uint32_t placeOf(int section, std::uint32_t value) const;
  void writeAuxiliary(Writer& w, std::size_t n) const;
  std::uint32_t indexOf(int entry) const;

  const DebugInfo& info_;
  std::vector<std::uint32_t> bases_;
  std::vector<std::uint32_t> index_;  ///< of each entry, and behind the last one
  std::vector<int> nextFile_;
  std::uint32_t slots_ = 0;
  std::map<std::string, int> symbols_;    ///< first entry of a name
  std::map<int, std::uint32_t> linesAt_;  ///< by function: offset of its lines in the file
};

/// Debug entries of a file that was read: `mapped` gives for each of its sections the one in the
/// result or -1, `bases` the address that is taken off.
class DebugReader {
 public:
  DebugReader(const Reader& r, const Header& h, std::size_t strings)
      : r_(r), h_(h), strings_(strings) {}
  /// Reads the symbol table.
  void readEntries(const std::vector<int>& mapped, const std::vector<std::uint32_t>& bases);
  /// Line entries of the section whose header is at `at`.
  void readLines(std::size_t at, int section, std::uint32_t base, std::uint32_t size);
  DebugInfo take();

 private:
  DebugEntry entryAt(std::size_t at, const std::vector<int>& mapped,
                     const std::vector<std::uint32_t>& bases) const;
  void readAuxiliary(std::size_t at, DebugEntry& e) const;
  std::string fileName(std::size_t at) const;

  const Reader& r_;
  const Header& h_;
  std::size_t strings_;
  DebugInfo info_;
  std::map<std::uint32_t, int> number_;  ///< index in the file -> entry
  std::uint64_t lines_ = 0;
};

}  // namespace rtvp::c32::coff
