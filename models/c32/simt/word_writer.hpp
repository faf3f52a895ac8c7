// Writes the host code of one run of words (word_runs.hpp), for AVX2 or AVX-512: eight or sixteen
// words a vector, the same operations by other names.
//
// Host registers: rbx the frame, r12 the place in the rows in bytes, r13 their end, r14 the table.
// Vectors 0 to 7 hold R0-R7, 8 and 9 registers beside them, 10 to 14 what is under way; in 15 the
// highest bit of a word is set if its lane has not been done.
#pragma once

#include <asmjit/x86.h>

#include "models/c32/simt/word_plan.hpp"

namespace rtvp::c32::simt {

class WordWriter {
 public:
  WordWriter(asmjit::x86::Assembler& a, const WordPlan& plan, bool wide)
      : a_(a), plan_(plan), wide_(wide) {}
  void write();

 private:
  using Vec = asmjit::x86::Vec;
  using Mem = asmjit::x86::Mem;
  using Id = asmjit::InstId;
  using Operand = asmjit::Operand;
  using Value = WordPlan::Value;
  using Step = WordPlan::Step;
  static constexpr unsigned kTemp = 10;  ///< and the four behind it
  static constexpr unsigned kBad = 15;

  [[nodiscard]] Vec v(unsigned i) const;
  [[nodiscard]] unsigned bytes() const { return wide_ ? 64 : 32; }
  [[nodiscard]] Mem frame(std::size_t offset, unsigned size) const;
  [[nodiscard]] Mem slot(unsigned number) const;
  Mem row(std::size_t pointerAt);
  Mem output(unsigned number);
  /// Where a value is, for one instruction: memory is addressed by rax.
  Operand where(const Value& value);
  Vec inRegister(const Value& value, unsigned temp);
  [[nodiscard]] Vec destination(const Step& s) const;

  void loop();
  void step(const Step& s);
  void copy(const Step& s);
  void bitwise(const Step& s);
  void sum(const Step& s);
  void multiply(const Step& s);
  void shiftByOne(const Step& s, int count);
  void carryOfShift(const Vec& x, int count, bool isSigned);
  void checkShift(const Vec& x, const Vec& result, int count);
  void shiftByMany(const Step& s);
  void lookUp(const Step& s);
  void exactProduct(const Vec& d, const Vec& x, const Vec& y);
  Vec cut(const Value& value, unsigned temp);
  void carry(const Vec& x);
  void bad(const Vec& x) { op(orId(), v(kBad), v(kBad), x); }
  void branchIfBad(const asmjit::Label& plain);

  void op(Id id, const Vec& d, const Vec& x, const Operand& y) { a_.emit(id, d, x, y); }
  void move(const Vec& d, const Operand& x);
  void load(const Vec& d, const Mem& from);
  void store(const Mem& to, const Vec& x);
  [[nodiscard]] Id andId() const;
  [[nodiscard]] Id andnId() const;
  [[nodiscard]] Id orId() const;
  [[nodiscard]] Id xorId() const;
  void zero(const Vec& d) { op(xorId(), d, d, d); }
  void ones(const Vec& d);

  asmjit::x86::Assembler& a_;
  const WordPlan& plan_;
  bool wide_;
};

}  // namespace rtvp::c32::simt
