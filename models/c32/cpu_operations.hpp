// The operations of the C32 as types: sources, result, flag class. One definition serves the
// general, three-operand and parallel forms; the result is always `b OP a` in written order
// (isa.hpp). Internal to the engine.
#pragma once

#include "models/c32/cpu_execute.hpp"

namespace rtvp::c32::operations {

/// What every operation says about itself.
template <bool FloatSource, bool FloatResult, std::uint32_t FlagMask, bool Binary,
          bool Compare = false>
struct Traits {
  static constexpr bool kFloatSource = FloatSource;
  static constexpr bool kFloatResult = FloatResult;
  static constexpr std::uint32_t kMask = FlagMask;  ///< 0: no flags
  static constexpr bool kBinary = Binary;
  static constexpr bool kCompare = Compare;  ///< flags only, and always
};

/// What an operation may know of the processor.
struct Context {
  std::uint32_t st;
  IntegerMode mode;
  Alignment alignment;
  [[nodiscard]] std::uint32_t carry() const { return st & kC; }
};

using IntArithmetic = Traits<false, false, kMaskArithmetic, true>;
using IntUnary = Traits<false, false, kMaskArithmetic, false>;
using Logical = Traits<false, false, kMaskNoCarry, true>;
using FloatBinary = Traits<true, true, kMaskNoCarry, true>;
using FloatUnary = Traits<true, true, kMaskNoCarry, false>;
using Word = std::uint32_t;
using Ctx = const Context&;

struct Addi : IntArithmetic {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word b, Word a) {
    return addi(b, a, 0, c.mode);
  }
};
struct Addc : IntArithmetic {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word b, Word a) {
    return addi(b, a, c.carry(), c.mode);
  }
};
struct Subi : IntArithmetic {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word b, Word a) {
    return subi(b, a, 0, c.mode);
  }
};
struct Subb : IntArithmetic {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word b, Word a) {
    return subi(b, a, c.carry(), c.mode);
  }
};
struct Subri : IntArithmetic {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word b, Word a) {
    return subi(a, b, 0, c.mode);
  }
};
struct Subrb : IntArithmetic {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word b, Word a) {
    return subi(a, b, c.carry(), c.mode);
  }
};
struct Cmpi : Traits<false, false, kMaskArithmetic, true, true> {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word b, Word a) {
    return subi(b, a, 0, c.mode);
  }
};
struct Negi : IntUnary {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word /*b*/, Word a) {
    return subi(0, a, 0, c.mode);
  }
};
struct Negb : IntUnary {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word /*b*/, Word a) {
    return subi(0, a, c.carry(), c.mode);
  }
};
struct Absi : Traits<false, false, kMaskNoCarry, false> {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word /*b*/, Word a) {
    return absi(a, c.mode);
  }
};
struct Mpyi : Traits<false, false, kMaskNoCarry, true> {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word b, Word a) {
    return mpyi(b, a, c.mode);
  }
};
struct And : Logical {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word b, Word a) { return logical(b & a); }
};
struct Andn : Logical {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word b, Word a) { return logical(b & ~a); }
};
struct Or : Logical {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word b, Word a) { return logical(b | a); }
};
struct Xor : Logical {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word b, Word a) { return logical(b ^ a); }
};
struct Not : Traits<false, false, kMaskNoCarry, false> {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word /*b*/, Word a) { return logical(~a); }
};
struct Tstb : Traits<false, false, kMaskNoCarry, true, true> {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word b, Word a) { return logical(b & a); }
};
struct Ash : IntArithmetic {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word b, Word a) { return ash(b, a); }
};
struct Lsh : IntArithmetic {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word b, Word a) { return lsh(b, a); }
};
struct Subc : Traits<false, false, 0, true> {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word b, Word a) { return {subc(b, a), 0}; }
};
struct Ldi : Traits<false, false, kMaskNoCarry, false> {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word /*b*/, Word a) { return logical(a); }
};
/// LDI inside a pair: no flags.
struct LdiQuiet : Traits<false, false, 0, false> {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word /*b*/, Word a) { return {a, 0}; }
};
struct Rol : IntUnary {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word /*b*/, Word a) {
    return rol(a, a >> 31);
  }
};
struct Rolc : IntUnary {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word /*b*/, Word a) {
    return rol(a, c.carry());
  }
};
struct Ror : IntUnary {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Word /*b*/, Word a) {
    return ror(a, a & 1u);
  }
};
struct Rorc : IntUnary {
  [[gnu::always_inline]] static IntegerResult apply(Ctx c, Word /*b*/, Word a) {
    return ror(a, c.carry());
  }
};

struct Addf : FloatBinary {
  [[gnu::always_inline]] static FloatResult apply(Ctx c, Float40 b, Float40 a) {
    return addf(b, a, c.alignment);
  }
};
struct Subf : FloatBinary {
  [[gnu::always_inline]] static FloatResult apply(Ctx c, Float40 b, Float40 a) {
    return subf(b, a, c.alignment);
  }
};
struct Subrf : FloatBinary {
  [[gnu::always_inline]] static FloatResult apply(Ctx c, Float40 b, Float40 a) {
    return subf(a, b, c.alignment);
  }
};
struct Cmpf : Traits<true, true, kMaskNoCarry, true, true> {
  [[gnu::always_inline]] static FloatResult apply(Ctx c, Float40 b, Float40 a) {
    return {{}, compareFlags(b, a, c.alignment)};
  }
};
struct Mpyf : FloatBinary {
  [[gnu::always_inline]] static FloatResult apply(Ctx, Float40 b, Float40 a) { return mpyf(b, a); }
};
struct Negf : FloatUnary {
  [[gnu::always_inline]] static FloatResult apply(Ctx, Float40 /*b*/, Float40 a) { return negf(a); }
};
struct Absf : FloatUnary {
  [[gnu::always_inline]] static FloatResult apply(Ctx, Float40 /*b*/, Float40 a) { return absf(a); }
};
struct Norm : FloatUnary {
  [[gnu::always_inline]] static FloatResult apply(Ctx, Float40 /*b*/, Float40 a) { return norm(a); }
};
struct Rnd : Traits<true, true, kMaskRnd, false> {
  [[gnu::always_inline]] static FloatResult apply(Ctx, Float40 /*b*/, Float40 a) { return rnd(a); }
};
struct Ldf : FloatUnary {
  [[gnu::always_inline]] static FloatResult apply(Ctx, Float40 /*b*/, Float40 a) {
    return {a, a.isZero() ? kZ : signFlag(a)};
  }
};
struct LdfQuiet : Traits<true, true, 0, false> {
  [[gnu::always_inline]] static FloatResult apply(Ctx, Float40 /*b*/, Float40 a) { return {a, 0}; }
};
struct Lde : Traits<true, true, 0, true> {
  [[gnu::always_inline]] static FloatResult apply(Ctx, Float40 b, Float40 a) {
    return {lde(b, a), 0};
  }
};
struct Fix : Traits<true, false, kMaskNoCarry, false> {
  [[gnu::always_inline]] static IntegerResult apply(Ctx, Float40 /*b*/, Float40 a) {
    return fix(a);
  }
};
struct Float : Traits<false, true, kMaskNoCarry, false> {
  [[gnu::always_inline]] static FloatResult apply(Ctx, Word /*b*/, Word a) {
    return floatFromInteger(a);
  }
};

}  // namespace rtvp::c32::operations
