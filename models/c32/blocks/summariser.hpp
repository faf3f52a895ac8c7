// The maker of summaries: internal to summarise.cpp and summarise_memory.cpp.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "models/c32/blocks/summary.hpp"
#include "models/c32/memory_map.hpp"

namespace rtvp::c32::blocks {

/// A value and where a turn finds it; known: the same in every turn.
struct Value {
  std::uint32_t now = 0;
  std::uint8_t at = kConstant;

  [[nodiscard]] bool known() const { return at == kConstant; }
};

class Summariser {
 public:
  Summariser(const Woken& woken, const Surroundings& around) : woken_(woken), around_(around) {}

  /// One pass over the turn; `live` tells for each instruction whether its flags are asked for.
  bool pass(const std::vector<bool>& live);
  /// The same for the next pass.
  [[nodiscard]] std::vector<bool> liveFlags() const;
  std::unique_ptr<Summary> finish();

 private:
  void begin();
  bool turn();
  bool sleep();
  bool interrupt();
  bool block(const Block& b, std::uint32_t& pc, Residue& residue, bool& idle);
  bool end(const Step& step, std::uint8_t& exit, std::uint32_t& pc, bool& idle);
  bool data(const Step& step);
  bool source(const Step& step, Value& word);
  bool store(const Step& step);
  bool loadIf(const Step& step, const Value& a);
  bool compute(const Step& step, const Value& a);
  bool place(const Step& step, const Value& value);

  // Values.
  std::uint8_t emit(Operation op);
  Value result(Operation op, std::uint32_t now) { return {now, emit(op)}; }
  void operand(std::uint8_t Operation::*field, Operation& op, const Value& v) const;
  void pin(Value& value);
  Value registerAt(unsigned number);
  bool decide(unsigned cond, bool& holds);
  void settleStatus();
  void setKnownFlags(std::uint32_t flags, std::uint32_t mask);

  // Memory.
  struct Place {
    Value base;
    std::uint32_t displacement = 0;  ///< address = base + displacement
    std::uint32_t address = 0;
    bool modifies = false;
    unsigned reg = 0;
    Value updated;
  };
  bool address(const OperandSpec& spec, Place& place);
  bool indexed(const OperandSpec& spec, Place& place);
  Value loadRam(Place& place);
  void storeRam(Place& place, const Value& word);
  Value loadKnown(std::uint32_t offset);
  void storeKnown(std::uint32_t offset, const Value& word);
  void writeBack();
  bool push(const Value& word);
  bool pop(Value& word);

  // The port.
  bool attend(Cycle at);
  bool happenings(Cycle now);
  void quiet();
  /// What was under way at the wake-up has happened in the look at `by`.
  void happened(Summary::Window& window, Cycle by) const {
    if (window.by == kNever) window = {looked_, by};
  }
  [[nodiscard]] std::uint32_t status() const;
  Value readWord();
  bool write(const Value& word, Cycle at);
  [[nodiscard]] Cycle nextArrival() const {
    return arrived_ < woken_.arrivals.size() ? woken_.arrivals[arrived_].arrival : kNever;
  }

  void dropUnused();

  const Woken& woken_;
  const Surroundings& around_;

  std::unique_ptr<Summary> s_;
  std::array<Value, reg::kCount> reg_{};
  std::uint32_t st_ = 0;
  std::uint32_t kept_ = ~0u;  ///< ST bits that are as the last operation left them; others: set_
  std::uint32_t set_ = 0;
  std::array<std::uint32_t, kRamWords> ram_{};
  struct Slot {
    Value value;
    bool written = false;
  };
  std::map<std::uint32_t, Slot> slots_;  ///< RAM words whose value is at hand
  unsigned temporaries_ = kFirstTemporary;
  Wire wire_;
  std::size_t arrived_ = 0;
  Cycle looked_ = kNever;  ///< when the port was last looked at and nothing happened to it
  bool mustBeQuiet_ = false;
  bool tooLong_ = false;

  Exit sum_;                            ///< of the blocks so far
  std::vector<std::uint32_t> vectors_;  ///< RAM words asked for by EqualInRam, as they still are
  std::vector<Step> walked_;
  std::vector<Summary::Cost> costs_;
  const std::vector<bool>* live_ = nullptr;
};

}  // namespace rtvp::c32::blocks
