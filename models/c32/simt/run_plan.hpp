// A straight run of float instructions as one piece of work: what is computed once for all
// processors, what on each vector of lanes, and under which conditions all that is so. Data only:
// run_planner.cpp makes it, run_code.hpp compiles its vector part, runs.cpp executes it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/c32/simt/kernels.hpp"
#include "models/c32/simt/row.hpp"

namespace rtvp::c32::simt {

struct RunPlan {
  static constexpr unsigned kSlots = 96;   ///< values that all processors share
  static constexpr unsigned kStores = 16;  ///< words of RAM written
  static constexpr unsigned kRows = 32;    ///< rows of RAM and registers that vectors are read from
  static constexpr unsigned kLongest = 96;  ///< instructions
  static constexpr std::uint8_t kNoSlot = 0xFF;
  static constexpr unsigned kFlags = 8;  ///< as a register: the row of flags, or none

  /// Where a value is. Register: what R0-R7 holds there and then, one value a lane; Row: a row of
  /// RAM as it was before; Store: a word written before in this run; Slot: one value for all;
  /// Words: of Test only, a register's bits as they were before, in a row of words.
  enum class Place : std::uint8_t { None, Register, Row, Store, Slot, Words };
  struct Value {
    Place place = Place::None;
    std::uint8_t index = 0;
    bool isShort = false;  ///< surely a 24-bit mantissa
    /// Of an addend that all share: slot of its exponent as a double's; kNoSlot: none.
    std::uint8_t exponent = kNoSlot;
  };

  enum class Do : std::uint8_t {
    Multiply,
    Add,
    Subtract,  ///< b - a
    Compare,   ///< flags of b - a
    Negate,
    Absolute,
    Round,  ///< a to the nearest single; its flags keep the Z of those before
    Move,
    Test,      ///< flags of the words b AND the word in slot a
    Select,    ///< a where the flags meet the condition
    Store,     ///< a, cut to a single word
    Exponent,  ///< of a, alone: the power of two that its alignment goes by
  };
  /// Work on every vector.
  struct Step {
    Do what = Do::Move;
    std::uint8_t d = kFlags;  ///< register; of Store: number of the word
    bool flags = false;       ///< the result is what later conditions look at
    NzCond cond = NzCond::Eq;
    bool last = false;  ///< of the last instruction that replaces V and UF
    Value b{};
    Value a{};

    /// Flags are all that comes out.
    [[nodiscard]] bool isCompare() const { return what == Do::Compare || what == Do::Test; }
    /// The register written; kFlags: none.
    [[nodiscard]] unsigned writes() const { return what == Do::Store ? kFlags : d; }
    [[nodiscard]] bool reads(unsigned r) const {
      const auto is = [r](const Value& v) { return v.place == Place::Register && v.index == r; };
      return is(a) || is(b) || (what == Do::Select && d == r) || (r == kFlags && looksAtFlags());
    }
    [[nodiscard]] bool looksAtFlags() const {
      return what == Do::Select || (what == Do::Round && flags);
    }
  };

  /// A word that all processors read from the bus.
  struct Read {
    std::uint8_t slot = 0;
    std::uint8_t reg = 0;     ///< address register, as an index of Rest
    bool exact = false;       ///< the word itself, which a double must be able to hold
    std::uint16_t cycle = 0;  ///< of its instruction, from the run's first one
    std::int32_t change = 0;  ///< of the address register since the run began
  };
  /// What is computed once: operands are slots.
  struct Shared {
    Do what = Do::Move;  ///< Store: cut
    std::uint8_t slot = 0;
    bool last = false;  ///< as Step::last
    Value b{};
    Value a{};
  };

  /// A row that is read, as the code expects it.
  struct Input {
    Row* row = nullptr;
    std::uint16_t offset = 0;  ///< of a word of RAM
    bool ram = false;
    bool uniform = false;
    bool words = false;      ///< the bits of a register, which differ
    bool isShort = false;    ///< must be; false: may be
    std::uint8_t index = 0;  ///< slot of a uniform row, else number of the row
  };
  struct Output {
    Row* row = nullptr;
    std::uint16_t offset = 0;
    bool uniform = false;  ///< `index` is a slot
    bool isShort = false;
    std::uint8_t index = 0;  ///< register, or number of the word stored
  };
  /// An address register, by its index in Rest.
  struct Address {
    std::uint8_t reg = 0;
    bool fixed = false;  ///< bits 23-0 must be `value`: it points into the RAM
    bool page = false;   ///< DP: bits 7-0 must be
    bool bus = false;    ///< value + least to value + most are read from the bus
    std::uint32_t value = 0;
    std::int32_t least = 0;
    std::int32_t most = 0;
    std::int32_t step = 0;  ///< change of the register over the run
  };
  struct Constant {
    std::uint8_t reg = 0;
    std::uint32_t value = 0;
  };
  /// A constant in the program.
  struct Immediate {
    std::uint8_t slot = 0;
    double value = 0;
  };
  /// A delayed branch under way: so many instructions are still in its slots.
  struct Delay {
    std::uint8_t slots = 0;
    bool taken = false;
    std::uint32_t target = 0;
  };
  /// What a branch on the carry inside takes for granted, of all lanes.
  enum class Carry : std::uint8_t { Any, Clear, Set };
  enum class FlagsAfter : std::uint8_t { Same, Row, Slot };

  std::uint32_t length = 0;  ///< instructions
  std::uint32_t end = 0;     ///< program counter behind it
  bool branches = false;     ///< `after` has to be told
  Delay before;
  Delay after;
  Carry carry = Carry::Any;
  std::uint32_t conflicts = 0;  ///< cycles of accesses that met in one block
  std::uint32_t needs = 0;      ///< registers beside R0-R7 that must have one value
  bool readsExactly = false;    ///< any Read::exact
  bool readsFlags = false;      ///< of before, which must be a row
  bool replacesFaults = false;
  FlagsAfter flagsAfter = FlagsAfter::Same;
  std::uint8_t flagsSlot = 0;
  std::vector<Input> inputs;
  std::vector<Read> reads;
  std::vector<Shared> shared;
  std::vector<Step> steps;
  /// Where the parts of `steps` end that go over all lanes one after the other. A part is short
  /// enough for the host to work on several vectors at once; in between, registers are in their
  /// rows.
  std::vector<std::uint16_t> parts;
  std::vector<Row*> stored;       ///< by number of a Store
  std::vector<Output> registers;  ///< written, each once
  std::vector<Output> words;      ///< of RAM, by number
  std::vector<Address> addresses;
  std::vector<Constant> constants;
  std::vector<Immediate> values;
};

/// What compiled code finds at a fixed register.
struct RunFrame {
  alignas(64) double slots[RunPlan::kSlots][kBlock];
  alignas(64) double stores[RunPlan::kStores][kBlock];
  double* rows[RunPlan::kRows];            ///< read: by RunPlan::Input::index
  double* registers[RunPlan::kFlags + 1];  ///< R0-R7 and the flags, as they are written
  double* words[RunPlan::kStores];
  std::uint64_t bytes;  ///< of a row
  /// Does the vector at so many bytes into the rows in this part of the run, one operation after
  /// the other.
  void (*plain)(RunFrame*, std::uint64_t at, std::uint32_t part);
  /// Does what all share.
  void (*plainShared)(RunFrame*);
  void* machine;
  const RunPlan* plan;
  Faults faults;  ///< of all its instructions
  Faults last;    ///< of those with Step::last
  std::uint32_t plainVectors;
};

}  // namespace rtvp::c32::simt
