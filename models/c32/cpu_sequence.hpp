// Sequences: instructions of internal RAM that follow each other, ready to be executed without a
// look around. A sequence begins anywhere, also in the slots of a delayed branch, holds delayed
// branches with their slots, and ends behind whatever else may change the flow of control. The
// cycle in which each instruction executes is worked out beforehand: address conflicts (c32.md 7.4)
// depend on nothing but the instructions, once nothing is under way at the begin.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/c32/cpu_ops.hpp"
#include "models/c32/memory_map.hpp"

namespace rtvp::c32 {

struct Sequence {
  static constexpr std::uint32_t kMost = 64;  ///< instructions and forks
  static constexpr std::uint16_t kNever = 0xFFFF;

  /// Between two instructions; cycles since the begin.
  struct alignas(16) Mark {
    std::uint16_t start = 0;               ///< the next instruction's first cycle
    std::uint16_t conflict = 0;            ///< lost to address generation so far
    std::array<std::uint16_t, 3> ready{};  ///< address generation may use a group; 0: as before
    std::uint8_t instructions = 0;         ///< so far
    std::uint8_t slots = 0;                ///< delay slots still to come
    bool clean = true;                     ///< no group keeps anybody waiting any more
  };

  /// Number of instructions and forks; 0: the first word is for the run loop.
  [[nodiscard]] std::uint32_t steps() const { return count; }
  /// It is what a sequence of at most `most` instructions would be, or nearly so.
  [[nodiscard]] bool serves(std::uint32_t most) const {
    return limit == most ||
           (most != kMost && limit != kMost && count < (limit < most ? limit : most));
  }

  std::vector<MicroOp> ops;  ///< and one that ends it all
  std::vector<Mark> marks;   ///< before each instruction, and behind the last
  /// E stage of the first instruction that uses a group; a group still under way must be ready
  /// then.
  std::array<std::uint16_t, 3> firstUse{kNever, kNever, kNever};
  std::uint16_t lastStart = 0;  ///< first cycle of the last instruction
  /// It was to have no more instructions. Less than kMost: it is for a repeat block, all its
  /// instructions follow each other in memory.
  std::uint32_t limit = kMost;
  unsigned arReadStall = 1;         ///< CpuConfig
  const Sequence* alike = nullptr;  ///< another one that begins at the same place
  std::uint32_t count = 0;          ///< steps()
  std::uint32_t number = 0;         ///< in the pool
  std::uint32_t firstWord = 0;      ///< what the RAM holds where it begins
  std::uint32_t instructions = 0;   ///< without the forks
};

/// All sequences of processors that share a DecodePool. Bounded: a program that rewrites itself so
/// often that there are too many goes on one instruction at a time.
///
/// Those that begin at one place form a list, newest last. A processor notes which of them its own
/// RAM holds (Known), so that it needs no table of its own.
class SequencePool {
 public:
  static constexpr std::size_t kMostSequences = 4096;
  static constexpr std::size_t kMostAlike = 32;  ///< that begin at one place
  /// By Sequence::number.
  using Known = std::array<std::uint64_t, kMostSequences / 64>;

  struct Key {
    std::uint32_t offset = 0;  ///< into internal RAM
    std::uint32_t slots = 0;   ///< delay slots to come, 0-3
    std::uint32_t limit = Sequence::kMost;
    unsigned arReadStall = 1;
  };
  /// The first of those that begin there, or null.
  [[nodiscard]] const Sequence* at(std::uint32_t offset, std::uint32_t slots) const {
    return first_[offset * 4 + slots];
  }
  /// The sequence at `key` in a RAM with these contents, null if there is no room for it.
  const Sequence* find(const Key& key, std::span<const std::uint32_t, kRamWords> ram,
                       DecodePool& pool);

 private:
  std::array<const Sequence*, std::size_t{4} * kRamWords> first_{};
  std::vector<std::unique_ptr<Sequence>> sequences_;
};

}  // namespace rtvp::c32
