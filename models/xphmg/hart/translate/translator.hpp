// Host code for the blocks of a hart's program that run often (AsmJit, x86-64). A speed setting:
// registers, memory, counters, traps and their order are those of the interpreter, which runs
// everything else. Internal to the hart.
//
// Invariants:
//  1. Only what the interpreter has decoded is translated, and whatever lets it decode anew drops
//     the block first: FENCE.I, and a store into a line that holds code. Blocks go on by the table
//     of a page, so one store there and nobody enters what is gone.
//  2. A block counts its instructions in front and begins only if the hart's limit (instructions,
//     cycle limit, timer) lies behind its end. A way out in the middle takes back what has not run.
//  3. An instruction checks first and changes then. What code cannot do it leaves in front of the
//     instruction, with all of the hart's registers in their places, and the interpreter executes
//     it: accesses outside the first RAM, rounding modes but RNE, NaNs, CSRs, traps.
//  4. Who looks at each instruction (Observer, replication) gets the interpreter alone; breakpoints
//     are no part of any block, and an account is counted by the code as the interpreter counts.
// The plain twin is the interpreter of hart.cpp: HartOptions::translate off, or an observer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/xphmg/hart/hart.hpp"
#include "models/xphmg/hart/translate/code_frame.hpp"

namespace rtvp::rv64 {

class Translator {
 public:
  /// For the hart's first region of RAM, which must not change any more.
  explicit Translator(Hart& hart);
  ~Translator();
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;
  Translator(Translator&&) = delete;
  Translator& operator=(Translator&&) = delete;

  /// False: this host gets no code; the interpreter runs everything.
  [[nodiscard]] bool usable() const { return enter_ != nullptr; }

  /// The code at `pc`, which is made when the interpreter has come there often enough; null: there
  /// is none.
  const void* find(std::uint64_t pc);
  /// Runs `code`, which find() has given for the PC, and what follows it while there is code and
  /// the hart's limit is far enough. False: the interpreter must execute what stands at the PC.
  bool run(const void* code);

  /// The instruction that begins at `offset` in the RAM has changed.
  void drop(std::uint64_t offset);
  /// Everything may have changed.
  void clear();

 private:
  static constexpr std::size_t kHalves = Hart::kPageBytes / 2;
  struct Block {
    std::uint16_t first;  ///< half word in its page
    std::uint16_t end;    ///< of the last instruction's begin, and one more
  };
  using Entries = std::array<const void*, kHalves>;
  /// What is known of a page of code, by half word.
  struct Table {
    Entries code{};                             ///< where blocks begin
    std::array<std::uint16_t, kHalves> heat{};  ///< times that the interpreter began there
    std::array<std::uint8_t, kHalves> drops{};  ///< blocks that have been there before
    std::vector<Block> blocks;
  };
  /// PC, and in bit 0 whether the interpreter must go on; how far the limit still is.
  struct Left {
    std::uint64_t pc;
    std::uint64_t room;
  };
  using Enter = Left (*)(const void* code, std::uint64_t room, std::uint64_t* x,
                         const CodeFrame* frame);
  struct Host;

  Table& table(std::uint64_t page);
  const void* translate(Table& table, std::uint64_t offset);
  [[nodiscard]] std::uint64_t codeOffset(std::uint64_t pc) const;
  [[nodiscard]] bool floatsReady() const;

  Hart& hart_;
  std::unique_ptr<Host> host_;
  std::uint16_t hot_;  ///< HartOptions::translate_after
  Enter enter_ = nullptr;
  CodeFrame frame_;
  const void* leave_ = nullptr;  ///< ends a run; rax: PC
  Entries nothing_{};
  std::vector<const void*> directory_;  ///< Entries of each page
  std::vector<std::unique_ptr<Table>> tables_;
  std::size_t code_bytes_ = 0;
};

}  // namespace rtvp::rv64
