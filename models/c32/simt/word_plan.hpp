// A straight run of integer instructions as one piece of work (word_runs.hpp): what is computed
// once for all processors, what on each vector of lanes, and under which conditions all that is so.
// Data only: word_planner.cpp makes it, word_writer.hpp compiles its vector part, word_runs.cpp
// executes it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/c32/simt/row.hpp"
#include "models/c32/simt/vector_op.hpp"
#include "models/c32/timing.hpp"

namespace rtvp::c32::simt {

struct WordPlan {
  static constexpr unsigned kSlots = 64;     ///< values that all processors share
  static constexpr unsigned kInputs = 32;    ///< rows read
  static constexpr unsigned kOutputs = 40;   ///< rows written
  static constexpr unsigned kSpread = 2;     ///< registers beside R0-R7 of many values
  static constexpr unsigned kLongest = 160;  ///< instructions
  static constexpr unsigned kBlock = 16;     ///< words of a slot: the longest vector
  /// Slots that every plan has: what the places of a table lie between (WordRuns::Table).
  static constexpr std::uint8_t kTableFirst = 0;
  static constexpr std::uint8_t kTableLast = 1;

  /// Where a value is. Slot: one for all; Register: R0-R7 there and then; Spread: a register beside
  /// them; Input: a row as it was before; Output: a word of RAM written before in this run.
  enum class Place : std::uint8_t { None, Slot, Register, Spread, Input, Output };
  struct Value {
    Place place = Place::None;
    std::uint8_t index = 0;
    bool known = false;  ///< it is `bits`, always
    std::uint32_t bits = 0;
    std::uint32_t most = ~0U;  ///< it is surely no more, as an unsigned number
  };
  enum class Do : std::uint8_t {
    Copy,
    And,
    Andn,  ///< b & ~a
    Or,
    Xor,
    Add,
    Subtract,  ///< b - a
    Multiply,
    Shift,        ///< LSH: b by a
    ShiftSigned,  ///< ASH: b by a, which is known
    LookUp,       ///< the word of a table at address a + the displacement in slot b
  };
  /// Work on every vector.
  struct Step {
    Do what = Do::Copy;
    Value d{};  ///< Register, Spread or Output
    Value b{};
    Value a{};
    bool checks = false;   ///< an overflow is possible
    bool carries = false;  ///< its carry is the last one
    bool flags = false;    ///< it replaces N, Z, V and UF
    bool lastFlags = false;
    VectorOp::IntegerFn one = nullptr;  ///< of one lane, of `b` and `a` in the program's order
    bool swapped = false;               ///< which is the other one
  };
  /// What is computed once: operands are slots.
  struct Shared {
    std::uint8_t slot = 0;
    std::uint8_t b = 0;
    std::uint8_t a = 0;
    bool flags = false;  ///< as Step::flags
    VectorOp::IntegerFn one = nullptr;
  };
  /// A row or value that is read, as the code expects it.
  struct Input {
    enum class From : std::uint8_t { Register, Ram, Rest } from = From::Register;
    std::uint16_t index = 0;  ///< of the register (of Rest: its place there) or word
    bool uniform = false;
    std::uint8_t to = 0;  ///< slot if uniform, else number of the row
    Row* row = nullptr;
  };
  static constexpr std::uint8_t kStored = 0xFF;  ///< of Output::held: it has been stored on the way
  static constexpr std::uint8_t kSpreadAt = 8;   ///< R0-R7 are 0 to 7, then come those beside
  struct Output {
    Input::From to = Input::From::Register;
    std::uint16_t index = 0;
    bool uniform = false;
    std::uint8_t from = 0;        ///< slot if uniform, else number of the output
    std::uint8_t held = kStored;  ///< the register of the run that holds it at the end
    Row* row = nullptr;
  };

  struct Immediate {
    std::uint8_t slot = 0;
    std::uint32_t value = 0;
  };
  /// A register beside R0-R7 that addresses depend on: the bits of `mask` must be `value`.
  struct Guard {
    std::uint8_t reg = 0;
    std::uint32_t mask = 0;
    std::uint32_t value = 0;
  };
  /// A page of code outside (outside.hpp), as it was.
  struct Page {
    std::uint32_t number = 0;
    std::uint64_t version = 0;
  };
  /// Whose N and Z are those behind the run.
  enum class After : std::uint8_t { Same, Row, Slot };

  std::uint32_t length = 0;  ///< instructions
  std::uint32_t end = 0;     ///< program counter behind it
  std::uint32_t last = 0;    ///< the last instruction
  std::uint32_t least = 0;   ///< program counters of all
  std::uint32_t most = 0;
  Cycle cycles = 0;
  Cycle lastAt = 0;              ///< when the last one is fetched, from the begin on
  Cycle extra = 0;               ///< of `cycles`: branches
  Cycle conflict = 0;            ///< of `cycles`: waiting for address registers
  std::array<Cycle, 3> ready{};  ///< from the begin on; 0: as it was
  std::uint32_t needs = 0;       ///< registers beside R0-R7 that must have one value
  std::uint32_t spreads = 0;     ///< that must be rows
  std::int32_t stack = 0;        ///< change of SP
  unsigned outputCount = 0;      ///< numbers of outputs that are used
  bool looksUp = false;
  std::uint8_t addressMask = 0;  ///< slots of what every LookUp needs
  std::uint8_t ramBase = 0;
  std::uint8_t ramMask = 0;
  bool checks = false;
  bool replacesFlags = false;
  After flagsAfter = After::Same;
  std::uint8_t flagsRow = 0;     ///< register whose word N and Z are of
  std::uint8_t flagsShared = 0;  ///< number in `shared`
  After carryAfter = After::Same;
  std::uint8_t carryShared = 0;
  std::vector<Input> inputs;
  std::vector<Shared> shared;
  std::vector<Step> steps;
  std::vector<Output> outputs;
  std::vector<Immediate> values;
  std::vector<Guard> guards;
  std::vector<Page> pages;
};

/// What compiled code finds at a fixed register.
struct WordFrame {
  alignas(64) std::uint32_t slots[WordPlan::kSlots][WordPlan::kBlock];
  const std::uint32_t* inputs[WordPlan::kInputs];
  std::uint32_t* outputs[WordPlan::kOutputs];
  std::uint64_t bytes;        ///< of a row, whole vectors
  const std::uint32_t* real;  ///< the highest bit of a word is set where there is a lane
  const std::uint32_t* table;
  /// Does the vector at so many bytes into the rows lane by lane. False: it cannot.
  bool (*plain)(WordFrame*, std::uint64_t at);
  void* runs;
  const WordPlan* plan;
  /// A bit a lane: carries of the last instruction that has one.
  std::uint8_t carries[kMaxLanes / 8 + 8];
  // Of vectors done plainly: lanes with an overflow in any instruction, in the last one that
  // replaces flags, and what N and Z are of in these.
  LaneMask overflow;
  LaneMask lastOverflow;
  LaneMask lastNegative;
  std::uint32_t plainVectors;
};

}  // namespace rtvp::c32::simt
