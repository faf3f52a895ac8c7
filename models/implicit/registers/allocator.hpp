// From values to registers: one backward pass over clauses that know their operands by link. It
// leaves out what nothing needs, gives registers, and puts the rest in order. Compiling, importing
// and pruning end here.
#pragma once

#include <span>
#include <vector>

#include "models/implicit/registers/program.hpp"

namespace rtvp::implicit::registers {

class Allocator {
 public:
  /// `clauses` are in an order in which links point backwards; rows in them mean nothing.
  /// `decided` (empty, or one a selection): the input that the clause passes on, or -1.
  Program run(std::span<const Clause> clauses, std::span<const std::uint16_t> selections,
              std::span<const std::int8_t> decided, const Source& result,
              const Program::Pool& pool);

 private:
  Source resolved(Source source);
  static Source behind(Source source, unsigned component);
  void findPasses(std::span<const std::uint16_t> selections, std::span<const std::int8_t> decided);
  std::uint16_t take(unsigned width);
  void need(Source& source);
  [[nodiscard]] bool unused(std::size_t link) const;
  void emit(const Clause& clause, std::uint16_t link);
  Program finish(const Source& result, const Program::Pool& pool);

  static constexpr std::uint16_t kUnused = 0xFFFF;
  static constexpr std::size_t kStride = 4;  ///< links that are looked at together

  std::span<const Clause> clauses_;
  /// By link: kStays, 1 + the input that the clause passes on, or kKnown: alias_ says what it is.
  std::vector<std::uint8_t> passes_;
  static constexpr std::uint8_t kStays = 0, kKnown = 0xFF;
  std::vector<Source> alias_;         ///< by link
  std::vector<std::uint16_t> row_;    ///< by link: first row while the value is needed
  std::vector<std::uint16_t> order_;  ///< by link: place among the emitted, from the end
  std::vector<Clause> emitted_;       ///< from first_ on, in their order
  std::size_t first_ = 0;
  std::array<std::vector<std::uint16_t>, 5> free_;  ///< by width
  unsigned rows_ = kPointRows;
};

}  // namespace rtvp::implicit::registers
