// Writes the host code of one run (run_code.hpp). What AVX2 and AVX-512 do differently is in
// run_writer_avx2.cpp and run_writer_avx512.cpp.
//
// Host registers: rbx the frame, r12 the place in the rows in bytes, r13 their end, rbp constants.
// Vectors 0 to 7 hold R0-R7, 8 the flags, 9 to 14 what is under way, 15 the lanes that are not good
// (AVX2). AVX-512: constants in 17 to 31, lanes that are not good in k1, the condition in k3.
#pragma once

#include <asmjit/x86.h>

#include <cstddef>
#include <cstdint>

#include "models/c32/simt/run_plan.hpp"

namespace rtvp::c32::simt {

class RunWriter {
 public:
  /// `zeros`: a result that is zero is good, too.
  RunWriter(asmjit::x86::Assembler& a, const RunPlan& plan, bool floorAlways, bool zeros)
      : a_(a), plan_(plan), floorAlways_(floorAlways), zeros_(zeros) {}
  virtual ~RunWriter() = default;
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;
  void write();

 protected:
  using Vec = asmjit::x86::Vec;
  using Mem = asmjit::x86::Mem;
  using Value = RunPlan::Value;
  using Step = RunPlan::Step;
  static constexpr unsigned kFlagsAt = 8;
  static constexpr unsigned kTemp = 9;  ///< and the four behind it
  static constexpr unsigned kMeets = 14;
  static constexpr unsigned kBad = 15;

  /// Constants, a whole vector each.
  enum Constant : unsigned {
    kExponentField,
    kGrid,
    kUnit,
    kLift21,
    kMask21,
    kLift29,
    kMask29,
    kUp126,  ///< surely<-126, 127>
    kSpan126,
    kUp120,  ///< surely<-120, 127>
    kSpan120,
    kSign,
    kNoSign,
    kSumLeast,  ///< quickByMagnitude
    kSumSpan,
    kApart,  ///< quickByExponents, and the others less one for "greater"
    kOver126,
    kOver120,
    kHalf,  ///< taken from an exponent: half a unit of the single format
    kOne,
    kConstants
  };
  static constexpr unsigned kWidest = 8;
  struct Table;
  static const Table& table();

  [[nodiscard]] virtual Vec v(unsigned i) const = 0;
  [[nodiscard]] virtual unsigned bytes() const = 0;
  virtual void loadConstants() {}
  virtual void beginVector() = 0;
  /// Jumps there if a lane was not good.
  virtual void branchIfBad(const asmjit::Label& plain) = 0;
  virtual void multiply(const Vec& d, const Value& b, const Value& a) = 0;
  virtual void sum(const Vec& d, const Value& b, const Value& a, bool subtract) = 0;
  virtual void compare(const Vec& d, const Value& b, const Value& a) = 0;
  virtual void round(const Vec& d, const Value& a) = 0;
  /// RND's flags: the lanes that have Z in `flags`, then what they become.
  virtual void keepZeros(const Vec& flags) = 0;
  virtual void roundFlags(const Vec& to, const Vec& result) = 0;
  virtual void test(const Vec& d, const Value& words, const Value& mask) = 0;
  virtual void changeSign(const Vec& d, const Value& a, bool negate) = 0;
  /// `known`: the lanes that meet the condition are where the last call has left them.
  virtual void select(const Vec& d, const Value& a, const Vec& flags, NzCond cond, bool known) = 0;
  /// Of the alignment, as a double's; only where RunCode::wantsExponents.
  virtual void exponentOf(const Vec& /*d*/, const Vec& /*x*/) {}
  /// Floor to a mantissa of 24 bits.
  virtual void cut(const Vec& d, const Vec& x) = 0;

  /// The value in a register: its own, or the one given after it was loaded.
  Vec inRegister(const Value& value, unsigned temp);
  [[nodiscard]] Mem slot(unsigned number) const;
  /// Words of a row, zero extended.
  void loadWords(const Vec& d, const Value& value);
  /// Where a value is that is in no register.
  Mem memory(const Value& value);
  [[nodiscard]] static bool isRegister(const Value& value) {
    return value.place == RunPlan::Place::Register;
  }
  [[nodiscard]] Mem constant(Constant c) const {
    return Mem(asmjit::x86::rbp, static_cast<std::int32_t>(c * kWidest * 8), bytes());
  }

  asmjit::x86::Assembler& a_;  // NOLINT: of derived classes
  const RunPlan& plan_;        // NOLINT
  bool floorAlways_;           // NOLINT
  bool zeros_;                 // NOLINT

 private:
  void shared();
  void part(std::uint32_t number);
  void step(std::size_t i);
  void operation(const Vec& d, const Step& s);
  void flagsFrom(std::size_t i);
  [[nodiscard]] std::size_t lastLook(std::size_t i) const;
  [[nodiscard]] bool needed(unsigned r) const;
  void commit();
  void load(unsigned r);
  [[nodiscard]] Mem storeSlot(unsigned number) const;
  [[nodiscard]] Mem row(std::size_t pointerAt);

  std::size_t begin_ = 0;  ///< the part under way
  std::size_t end_ = 0;
  std::size_t now_ = 0;  ///< the step under way
  bool loaded_[RunPlan::kFlags + 1] = {};
  bool written_[RunPlan::kFlags + 1] = {};
  unsigned flagsAt_ = kFlagsAt;
  bool chosen_ = false;  ///< select() has made the condition's lanes
  NzCond chosenCond_ = NzCond::Eq;
};

/// For one instruction set each.
class WideRunWriter final : public RunWriter {
 public:
  using RunWriter::RunWriter;

 private:
  [[nodiscard]] Vec v(unsigned i) const override { return asmjit::x86::zmm(i); }
  [[nodiscard]] unsigned bytes() const override { return 64; }
  void loadConstants() override;
  void beginVector() override;
  void branchIfBad(const asmjit::Label& plain) override;
  void multiply(const Vec& d, const Value& b, const Value& a) override;
  void sum(const Vec& d, const Value& b, const Value& a, bool subtract) override;
  void compare(const Vec& d, const Value& b, const Value& a) override;
  void round(const Vec& d, const Value& a) override;
  void keepZeros(const Vec& flags) override;
  void roundFlags(const Vec& to, const Vec& result) override;
  void test(const Vec& d, const Value& words, const Value& mask) override;
  void changeSign(const Vec& d, const Value& a, bool negate) override;
  void select(const Vec& d, const Value& a, const Vec& flags, NzCond cond, bool known) override;
  void cut(const Vec& d, const Vec& x) override;

  [[nodiscard]] Vec c(Constant c) const { return asmjit::x86::zmm(16U + c); }
  void floorTo(const Vec& d, const Vec& x, Constant lift, Constant mask);
  Vec floored(const Value& value, unsigned temp);
  void surely(const Vec& r, Constant up, Constant span);
  void onGrid(const Vec& x);
  void bad(const Vec& zeroIfGood);
};

class NarrowRunWriter final : public RunWriter {
 public:
  using RunWriter::RunWriter;

 private:
  [[nodiscard]] Vec v(unsigned i) const override { return asmjit::x86::ymm(i); }
  [[nodiscard]] unsigned bytes() const override { return 32; }
  void beginVector() override;
  void branchIfBad(const asmjit::Label& plain) override;
  void multiply(const Vec& d, const Value& b, const Value& a) override;
  void sum(const Vec& d, const Value& b, const Value& a, bool subtract) override;
  void compare(const Vec& d, const Value& b, const Value& a) override;
  void round(const Vec& d, const Value& a) override;
  void keepZeros(const Vec& flags) override;
  void roundFlags(const Vec& to, const Vec& result) override;
  void test(const Vec& d, const Value& words, const Value& mask) override;
  void changeSign(const Vec& d, const Value& a, bool negate) override;
  void select(const Vec& d, const Value& a, const Vec& flags, NzCond cond, bool known) override;
  void cut(const Vec& d, const Vec& x) override;

  void floorTo(const Vec& d, const Vec& x, unsigned temp, unsigned bits, Constant mask);
  Vec floored(const Value& value, unsigned temp, unsigned other);
  void exponentOf(const Vec& d, const Vec& x) override { exponent(d, x, kTemp + 4); }
  void exponent(const Vec& d, const Vec& x, unsigned temp);
  /// d = x, +0.0 if it is a zero; whether it is good.
  void surely(const Vec& d, const Vec& x, Constant up, Constant over);
};

}  // namespace rtvp::c32::simt
