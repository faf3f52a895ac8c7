// From values to registers: one backward pass over clauses that know their operands by link. It
// leaves out what nothing needs, gives registers, and puts the rest in order. Compiling, importing
// and pruning end here.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "models/implicit/registers/program.hpp"

namespace rtvp::implicit::registers {

class Allocator {
 public:
  /// `clauses` are in an order in which links point backwards; rows in them mean nothing.
  Program compile(std::span<const Clause> clauses, const Source& result, Program::Pool pool);
  /// `decided`, one a selection: the input that the clause passes on, or -1. `shorter` is another
  /// program, whose memory is used again.
  void prune(const Program& program, std::span<const std::int8_t> decided, Program& shorter);

 private:
  /// What a source means, in one number: its link above, below it the component, or the entry of
  /// the pool if the link is kNoLink. A component further on is that much more.
  using Reference = std::uint32_t;
  static Reference below(const Source& source);
  class NumberRows;
  class MixedRows;

  [[nodiscard]] std::size_t constantPlace() const;
  void reserve();
  void findAliases(std::span<const std::uint16_t> selections, std::span<const std::int8_t> decided);
  template <class Rows>
  void emitNeeded(Source& result);
  void finish(Program& program);
  void run(const Source& result, Program& program);

  std::span<const Clause> clauses_;
  // By link; behind all links is a place for kNoLink.
  std::vector<Reference> alias_;       ///< itself, or what a decided selection passes on
  std::vector<std::uint64_t> needed_;  ///< bits: its value is needed, and has rows
  std::vector<std::uint16_t> row_;     ///< first row while the value is needed
  /// Place among the emitted, from the end, so that a link's new number is their count less that;
  /// kPointLink and kNoLink have places that leave them as they are.
  std::vector<std::uint16_t> order_;
  std::vector<Clause> emitted_;  ///< from first_ on, in their order
  std::size_t first_ = 0;
  std::vector<std::uint16_t> decided_;              ///< numbers of selections
  std::vector<std::uint16_t> stack_;                ///< of NumberRows
  std::size_t stacked_ = 0;                         ///< of it are not in order, at its end
  std::array<std::vector<std::uint16_t>, 5> free_;  ///< of MixedRows, by width
  unsigned rows_ = kPointRows;
};

}  // namespace rtvp::implicit::registers
