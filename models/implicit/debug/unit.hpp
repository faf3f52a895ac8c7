// A unit that evaluates tapes, for the debug core: one evaluation at a time, its instruction, the
// numbers that it holds, and what it is for.
//
// Registers are single floats. Rows of the register form are r0, r1, ...; entries of the stacks
// F0, V2_0.x, V3_0.x and so on, the bottom first. Over a box a number is a range: r3 its lower
// end, r3.hi its upper one (V3_0.x_hi); with derivatives r3.dx, r3.dy, r3.dz. A register keeps
// what it held until it is written again, in the next evaluation too.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/debug/unit.hpp"
#include "models/implicit/debug/codes.hpp"

namespace rtvp::implicit {

class DebugUnit final : public debug::Unit {
 public:
  /// `codes` outlive it.
  DebugUnit(std::string name, const DebugCodes& codes);

  /// An evaluation begins that is looked at.
  void begins(const render::Evaluation& what);
  /// In front of its instruction `at`.
  void stands(std::size_t at, RunValues& values);
  /// That instruction is executed.
  void executes();
  /// Evaluations that nobody looked at are over, `what` was the last of them.
  void passes(const render::Evaluation& what, std::uint64_t count);
  /// Nothing is under way; the registers cannot be changed.
  void ends() { values_ = nullptr; }

  /// Targets are "ray" or "pixel".
  std::function<std::string_view()> target;
  /// Clock that the unit has come to; empty: the instructions' own are added up.
  std::function<std::uint64_t()> clock;
  [[nodiscard]] const render::Evaluation& evaluation() const { return what_; }
  /// What it does, in a line; empty: nothing is under way.
  [[nodiscard]] std::string situation() const;

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::span<const debug::Register> registers() const override { return registers_; }
  [[nodiscard]] std::uint64_t value(unsigned reg) const override;
  /// Of the values that the run holds; others stay as they are.
  void setValue(unsigned reg, std::uint64_t raw) override;
  [[nodiscard]] std::string registerText() const override;
  [[nodiscard]] std::uint64_t addressMask() const override { return 0xFFFF'FFFF; }
  [[nodiscard]] unsigned addressDigits() const override { return codes_.addressDigits(); }
  [[nodiscard]] unsigned wordBits() const override { return 32; }
  /// Words of tapes, opcodes of programs; they cannot be changed: the code was checked.
  [[nodiscard]] std::optional<std::uint64_t> peek(std::uint64_t address) const override;
  bool poke(std::uint64_t /*address*/, std::uint64_t /*word*/) override { return false; }
  [[nodiscard]] double real(std::uint64_t raw, unsigned bits) const override;
  [[nodiscard]] std::uint64_t rawOf(double value, unsigned bits) const override;
  [[nodiscard]] std::uint64_t pc() const override { return pc_; }
  /// Tapes have no jumps.
  void setPc(std::uint64_t /*pc*/) override {}
  [[nodiscard]] std::uint64_t cycle() const override { return clock ? clock() : cycles_; }
  /// Executed, as the unit's statistics count them.
  [[nodiscard]] std::uint64_t instructions() const override;
  [[nodiscard]] std::uint64_t stackPointer() const override { return 0; }
  [[nodiscard]] bool outside(std::uint64_t /*now*/, std::uint64_t /*then*/) const override {
    return true;
  }
  [[nodiscard]] std::vector<std::uint64_t> callers() const override { return {}; }
  [[nodiscard]] debug::Effects next() const override { return {}; }
  /// With the clause of the code that runs, if it has a register form.
  [[nodiscard]] std::string disassemble(std::uint64_t address) const override;

 private:
  enum class Part : std::uint8_t { Context, Point, Low, High, Dx, Dy, Dz };
  /// A register: a number of slots_, or of the context.
  struct Place {
    Part part = Part::Context;
    std::size_t index = 0;
  };
  /// A number that runs hold.
  struct Slot {
    bool row = false;
    Type type = Type::F;
    std::size_t entry = 0;
    unsigned component = 0;
    SeenNumber last{};  ///< as it was written latest
  };
  void declare(std::string name, Part part, std::size_t index);
  void declareContext();
  void declareRows(std::size_t rows);
  void declareStacks(const std::array<std::size_t, kStackTypes>& depths);
  void collect(std::size_t at);
  [[nodiscard]] bool holds(const Slot& slot) const;
  [[nodiscard]] std::string valuesText() const;
  [[nodiscard]] std::string placeText() const;
  [[nodiscard]] std::string numberText(const SeenNumber& number) const;
  [[nodiscard]] bool ranged() const;

  std::string name_;
  const DebugCodes& codes_;
  std::deque<std::string> names_;
  std::vector<debug::Register> registers_;
  std::vector<Place> places_;  ///< by register
  std::vector<Slot> slots_;    ///< rows first, then the stacks
  std::size_t rows_ = 0;
  std::array<std::size_t, kStackTypes> stackAt_{}, depth_{};

  render::Evaluation what_;
  RunValues* values_ = nullptr;
  std::array<SeenNumber, 3> query_{};
  std::vector<bool> written_;  ///< rows, in this evaluation
  bool begun_ = false, inRows_ = true;
  std::size_t at_ = 0;
  std::optional<std::uint64_t> passed_;  ///< where evaluations of what_.object end; not known yet
  std::uint64_t pc_ = 0, steps_ = 0;
  std::uint64_t finished_ = 0;  ///< instructions of evaluations that are over
  std::uint64_t present_ = 0;   ///< all that the present one has
  std::uint64_t cycles_ = 0;
};

}  // namespace rtvp::implicit
