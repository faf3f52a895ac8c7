// Writes the code of one passage: internal to turn_code.cpp and turn_writer*.cpp.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/c32/blocks/turn_code.hpp"

namespace rtvp::c32::blocks {

/// Division by a constant: x / d = (x * magic >> 64) >> shift for x below `end`, at most 2^63; a
/// power of two has no magic and is a shift. There is no shift where d `end` is at most 2^64.
struct Divisor {
  std::uint64_t magic = 0;
  unsigned shift = 0;
};
[[nodiscard]] Divisor divisorOf(std::uint64_t d, std::uint64_t end = std::uint64_t{1} << 63);

class TurnWriter {
 public:
  TurnWriter(asmjit::x86::Assembler& to, const Passage& passage, const TurnSetting& setting);
  /// False: something has no translation, or cannot happen.
  bool write();
  /// A function for a lap (TurnCode::Lap): the passage's `to` is a summary of all its turns.
  bool writeLap();

 private:
  using Gp = asmjit::x86::Gp;
  using Mem = asmjit::x86::Mem;

  // The port, as far as it is known while code is made.
  struct Port {
    bool transfer = false;  ///< is under way
    bool empty = false;
    bool drrFull = false;
    bool rsrFull = false;
    std::uint32_t flags = 0;
  };
  /// Where a value is while the passage runs.
  struct Where {
    enum class Kind : std::uint8_t { Slot, Constant, Inbox, Drr, Rsr, Ram, Vector };
    Kind kind = Kind::Slot;
    /// Number of the slot, word or host's vector register, the constant, offset in RAM.
    std::uint32_t at = 0;

    [[nodiscard]] bool constant() const { return kind == Kind::Constant; }
    friend bool operator==(const Where&, const Where&) = default;
  };
  enum Event : std::uint8_t { kTransfer, kEmpty, kArrival, kEvents };

  bool begin();
  bool sleep();
  void readFacts();
  void findLiveFlags();

  // turn_writer_values.cpp: what changes words, and the guards on them.
  bool values();
  bool value(const Operation& op);
  bool compute(const Operation& op);
  bool emitInto(const Operation& op);
  bool shift(const Operation& op);
  void circular(const Operation& op);
  bool step(const Operation& op);
  bool guard(const Operation& op);
  void condition(const Operation& op);
  void ramOffset(const Operation& op);
  void load(const Operation& op);
  void store(const Operation& op);
  void storeAt(const Operation& op);
  void materialise();
  void put(const Mem& to, const Where& w);
  [[nodiscard]] std::uint32_t liveAfter(const Operation& op) const;
  [[nodiscard]] Mem statusMemory() const;
  void finalStatus();
  void commitValues();
  [[nodiscard]] bool usedLater(std::uint8_t slot) const { return used_[slot]; }
  [[nodiscard]] Where operand(std::uint8_t at, const Operation& op) const;
  [[nodiscard]] Mem memory(const Where& w) const;
  void fetch(const Gp& to, const Where& w);
  void combine(asmjit::x86::Inst::Id instruction, const Gp& to, const Where& w);
  void keep(std::uint8_t to);

  // turn_writer.cpp: when things happen.
  bool times();
  void wakeUp();
  bool happening(const Operation& op);
  void send(const Operation& op);

  // turn_writer_lap.cpp: laps, whose times are known.
  void lapBegins();
  void lapSends(const std::vector<Where>& words);
  void lapEnds();
  void cycleOf(const Gp& to, const Gp& edge, std::int32_t more);
  void divide(const Gp& to, const Divisor& by, std::size_t magic);
  /// Nothing of the kind happens up to base + `at`: asked before it happens, or at the end.
  void demandQuiet(std::int32_t at);
  void ask(Event event);
  void askAll();
  void notAfter(Event event, std::int32_t at);
  [[nodiscard]] bool pending(Event event) const;
  void fail(asmjit::x86::CondCode when) { a_.j(when, failures_[stores_]); }
  void commitTimes();
  void failures();
  void takeBack();

  [[nodiscard]] static Mem field(std::size_t offset, unsigned size = 8);
  [[nodiscard]] static Mem slot(unsigned number);
  [[nodiscard]] Mem word(std::uint32_t number, bool arrival) const;

  asmjit::x86::Assembler& a_;
  const Passage& passage_;
  const TurnSetting& setting_;
  const Summary& from_;
  const Summary& to_;
  Divisor byCycles_;
  Divisor byEdges_;

  Port port_;
  std::array<Where, 256> where_{};
  std::array<bool, 256> used_{};
  std::vector<std::uint32_t> live_;  ///< by operation: liveAfter()
  std::uint32_t vectors_ = 0;        ///< host's vector registers in use
  std::uint32_t mostVectors_ = 16;
  std::optional<Where> inEax_;  ///< what the operation before has left there
  bool storesInOperations_ = false;
  bool storesAnywhere_ = false;  ///< at a computed address
  Where drr_{Where::Kind::Drr, 0};
  Where rsr_{Where::Kind::Rsr, 0};
  std::uint32_t arrivals_ = 0;  ///< words taken from the inbox
  std::uint32_t sent_ = 0;
  unsigned stores_ = 0;
  std::array<asmjit::Label, TurnFrame::kStores + 1> failures_;
  std::vector<std::optional<std::uint32_t>> undo_;  ///< offsets that are known

  // ST in the middle of a turn: (memory and kept_) or set_ or the flags of an operation.
  bool statusMoved_ = false;  ///< memory is TurnFrame::statusNow
  std::uint32_t kept_ = ~0u;
  std::uint32_t set_ = 0;
  const Operation* flags_ = nullptr;
  const Operation* hostFlags_ = nullptr;  ///< the host's flags are those of this operation

  // Times.
  std::array<std::optional<std::int32_t>, kEvents> quiet_{};  ///< demanded, and not asked yet
  std::optional<std::int32_t> limit_;                         ///< rax is base + this
  bool transferMoved_ = false;                                ///< it is in another register now
  bool emptyMoved_ = false;
  bool lastMoved_ = false;
};

}  // namespace rtvp::c32::blocks
