// From values to registers, of clauses that know their operands by link: what nothing needs is left
// out, the rest gets registers, from the last clause to the first. Compiling, importing and pruning
// end here.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "models/implicit/registers/program.hpp"

namespace rtvp::implicit::registers {

/// A selection that a box decides: the number of its clause, and of the input it passes on.
struct Decision {
  std::uint16_t clause = 0, input = 0;
};

class Allocator {
 public:
  /// `clauses` are in an order in which links point backwards; rows in them mean nothing.
  Program compile(std::span<const Clause> clauses, const Source& result, Program::Pool pool);
  /// `decided`: in the clauses' order. `shorter` is another program, whose memory is used again.
  void prune(const Program& program, std::span<const Decision> decided, Program& shorter);

  /// Of a program that was made elsewhere: whether it is simple, and what its clauses read.
  static void describe(Program& program);

 private:
  /// Where values stand in the tables: constants, the query point, then clause by clause.
  using Place = std::uint16_t;
  /// What a source means, in one number: its place above, below it the component, or a constant's
  /// entry of the pool. A component further on is that much more.
  using Reference = std::uint32_t;
  static Reference referenceTo(const Source& source);
  // What clauses read, and their registers: of simple programs, and of any.
  class Pairs;
  class Sources;
  class NumberRows;
  class MixedRows;

  void reserve();
  void forget();
  template <class Reads>
  void pass(const Reads& reads, std::span<const Decision> decided);
  void passOnNothing(std::span<const Decision> decided);
  template <class Reads>
  std::size_t findNeeded(const Reads& reads, const Source& result);
  template <class Rows, class Reads>
  void emit(const Reads& reads, std::size_t count, Program& program);
  template <class Rows, class Reads>
  void run(const Reads& reads, const Source& result, std::span<const Decision> decided,
           Program& program);

  std::span<const Clause> clauses_;
  // By place. Between runs they hold what is written beside them.
  std::vector<Reference> alias_;      ///< what a decided selection passes on; itself
  std::vector<std::uint8_t> needed_;  ///< whether its value is; 0, but anything of these two
  std::vector<std::uint16_t> row_;    ///< first row while the value waits; none, but 0 of these
  std::vector<Place> place_;          ///< of those that stay the new one; that of these
  std::vector<Place> ordered_;        ///< the needed, from the last on
  std::vector<std::uint16_t> selections_;
  std::vector<std::uint16_t> stack_;                ///< of NumberRows
  std::size_t stacked_ = 0;                         ///< of it are not in order, at its end
  std::array<std::vector<std::uint16_t>, 5> free_;  ///< of MixedRows, by width
};

}  // namespace rtvp::implicit::registers
