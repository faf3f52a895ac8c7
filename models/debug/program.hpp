// The program that the units run, as its source has it: symbols and lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rtvp::debug {

struct Line {
  std::uint64_t address = 0;
  std::uint32_t file = 0;    ///< index into Program::files
  std::uint32_t number = 0;  ///< 1-based
};

struct Program {
  std::map<std::string, std::uint64_t, std::less<>> symbols;  ///< of addresses and constants
  /// Symbols that name places, by address; of several the program's own.
  std::map<std::uint64_t, std::string> labels;
  std::vector<std::string> files;
  std::vector<Line> lines;  ///< sorted by address
  struct Range {
    std::uint64_t first = 0, last = 0;
  };
  std::vector<Range> code;  ///< where instructions lie; empty: not known
  /// Beyond one of these a label in front of it names nothing; none of them is a label's.
  std::set<std::uint64_t> edges;
  unsigned addressDigits = 6;
  /// Code that is not the first unit's kind's: addresses that only the units from `unit` on run.
  struct Owner {
    std::uint64_t first = 0, last = 0;
    std::size_t unit = 0, units = 0;
  };
  std::vector<Owner> owners;

  /// What the labels, which are there already, may lie in: from now on each names nothing beyond
  /// the end of its own.
  void setSections(std::vector<Range> sections);
  /// The label nearest in front of `address`, or there; null: none reaches so far.
  [[nodiscard]] const std::pair<const std::uint64_t, std::string>* labelAt(
      std::uint64_t address) const;
  /// Another program, whose addresses are none of this one's and begin at `base`: its symbols are
  /// addresses. Names that are there keep their meaning, the other's are then `name_2`.
  void add(const Program& other, std::uint64_t base);
  /// Who runs the code at `address`: `focus` if it does, else the first that does.
  [[nodiscard]] std::size_t runnerOf(std::uint64_t address, std::size_t focus) const;
  /// The address is code of units of a kind of its own.
  [[nodiscard]] const Owner* ownerOf(std::uint64_t address) const;
  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view symbol) const;
  [[nodiscard]] bool isCode(std::uint64_t address) const;
  /// `name`, `name+n` or the address in hexadecimal.
  [[nodiscard]] std::string symbolic(std::uint64_t address) const;
  /// Null: not known.
  [[nodiscard]] const Line* lineAt(std::uint64_t address) const;
  /// "file:line", or empty.
  [[nodiscard]] std::string lineText(std::uint64_t address) const;
  /// Address, symbolic place and source line, for messages.
  [[nodiscard]] std::string place(std::uint64_t address) const;
  /// A file by its path or the end of it; empty: none.
  [[nodiscard]] std::optional<std::uint32_t> file(std::string_view name) const;
  /// First address of code at that line, or at the next one that has code.
  [[nodiscard]] std::optional<std::uint64_t> addressOf(std::uint32_t file,
                                                       std::uint32_t line) const;
};

}  // namespace rtvp::debug
