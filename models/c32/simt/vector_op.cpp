#include "models/c32/simt/vector_op.hpp"

#include <algorithm>

#include "models/c32/decode.hpp"
#include "models/c32/flags.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32::simt {
namespace {

using Word = std::uint32_t;
constexpr IntegerMode kMode{};  // OVM = 0: the machine hands back otherwise

IntegerResult add(Word b, Word a, Word) {
  return addi(b, a, 0, kMode);
}
IntegerResult addCarry(Word b, Word a, Word c) {
  return addi(b, a, c, kMode);
}
IntegerResult sub(Word b, Word a, Word) {
  return subi(b, a, 0, kMode);
}
IntegerResult subBorrow(Word b, Word a, Word c) {
  return subi(b, a, c, kMode);
}
IntegerResult subReverse(Word b, Word a, Word) {
  return subi(a, b, 0, kMode);
}
IntegerResult subReverseBorrow(Word b, Word a, Word c) {
  return subi(a, b, c, kMode);
}
IntegerResult negate(Word, Word a, Word) {
  return subi(0, a, 0, kMode);
}
IntegerResult negateBorrow(Word, Word a, Word c) {
  return subi(0, a, c, kMode);
}
IntegerResult absolute(Word, Word a, Word) {
  return absi(a, kMode);
}
IntegerResult multiply(Word b, Word a, Word) {
  return mpyi(b, a, kMode);
}
IntegerResult bitAnd(Word b, Word a, Word) {
  return logical(b & a);
}
IntegerResult bitAndn(Word b, Word a, Word) {
  return logical(b & ~a);
}
IntegerResult bitOr(Word b, Word a, Word) {
  return logical(b | a);
}
IntegerResult bitXor(Word b, Word a, Word) {
  return logical(b ^ a);
}
IntegerResult bitNot(Word, Word a, Word) {
  return logical(~a);
}
IntegerResult shiftA(Word b, Word a, Word) {
  return ash(b, a);
}
IntegerResult shiftL(Word b, Word a, Word) {
  return lsh(b, a);
}
IntegerResult subtractC(Word b, Word a, Word) {
  return {subc(b, a), 0};
}
IntegerResult load(Word, Word a, Word) {
  return logical(a);
}

struct IntegerRow {
  Op op;
  VectorOp::IntegerFn fn;
  std::uint32_t mask;
  bool binary;
  bool compare;
  bool carry;
  bool three;
  Kernels::Bitwise Kernels::*bitwise;
};

constexpr Kernels::Bitwise Kernels::*kNone = nullptr;
constexpr IntegerRow kIntegers[] = {
    {Op::ABSI, absolute, kMaskNoCarry, false, false, false, false, kNone},
    {Op::ADDC, addCarry, kMaskArithmetic, true, false, true, false, kNone},
    {Op::ADDI, add, kMaskArithmetic, true, false, false, false, kNone},
    {Op::AND, bitAnd, kMaskNoCarry, true, false, false, false, &Kernels::bitAnd},
    {Op::ANDN, bitAndn, kMaskNoCarry, true, false, false, false, &Kernels::bitAndn},
    {Op::ASH, shiftA, kMaskArithmetic, true, false, false, false, kNone},
    {Op::CMPI, sub, kMaskArithmetic, true, true, false, false, kNone},
    {Op::LDI, load, kMaskNoCarry, false, false, false, false, kNone},
    {Op::LSH, shiftL, kMaskArithmetic, true, false, false, false, kNone},
    {Op::MPYI, multiply, kMaskNoCarry, true, false, false, false, kNone},
    {Op::NEGB, negateBorrow, kMaskArithmetic, false, false, true, false, kNone},
    {Op::NEGI, negate, kMaskArithmetic, false, false, false, false, kNone},
    {Op::NOT, bitNot, kMaskNoCarry, false, false, false, false, &Kernels::bitXor},
    {Op::OR, bitOr, kMaskNoCarry, true, false, false, false, &Kernels::bitOr},
    {Op::SUBB, subBorrow, kMaskArithmetic, true, false, true, false, kNone},
    {Op::SUBC, subtractC, 0, true, false, false, false, kNone},
    {Op::SUBI, sub, kMaskArithmetic, true, false, false, false, kNone},
    {Op::SUBRB, subReverseBorrow, kMaskArithmetic, true, false, true, false, kNone},
    {Op::SUBRI, subReverse, kMaskArithmetic, true, false, false, false, kNone},
    {Op::TSTB, bitAnd, kMaskNoCarry, true, true, false, false, &Kernels::bitAnd},
    {Op::XOR, bitXor, kMaskNoCarry, true, false, false, false, &Kernels::bitXor},
    {Op::ADDC3, addCarry, kMaskArithmetic, true, false, true, true, kNone},
    {Op::ADDI3, add, kMaskArithmetic, true, false, false, true, kNone},
    {Op::AND3, bitAnd, kMaskNoCarry, true, false, false, true, &Kernels::bitAnd},
    {Op::ANDN3, bitAndn, kMaskNoCarry, true, false, false, true, &Kernels::bitAndn},
    {Op::ASH3, shiftA, kMaskArithmetic, true, false, false, true, kNone},
    {Op::CMPI3, sub, kMaskArithmetic, true, true, false, true, kNone},
    {Op::LSH3, shiftL, kMaskArithmetic, true, false, false, true, kNone},
    {Op::MPYI3, multiply, kMaskNoCarry, true, false, false, true, kNone},
    {Op::OR3, bitOr, kMaskNoCarry, true, false, false, true, &Kernels::bitOr},
    {Op::SUBB3, subBorrow, kMaskArithmetic, true, false, true, true, kNone},
    {Op::SUBI3, sub, kMaskArithmetic, true, false, false, true, kNone},
    {Op::TSTB3, bitAnd, kMaskNoCarry, true, true, false, true, &Kernels::bitAnd},
    {Op::XOR3, bitXor, kMaskNoCarry, true, false, false, true, &Kernels::bitXor},
};

/// The integer half of a pair with STI is this general operation; `registerFirst` as in FloatRow.
struct PairRow {
  Op op;
  Op half;
  bool registerFirst;
  bool quiet;
};
constexpr PairRow kPairs[] = {
    {Op::ABSI_STI, Op::ABSI, false, false},  {Op::ADDI3_STI, Op::ADDI, false, false},
    {Op::AND3_STI, Op::AND, false, false},   {Op::ASH3_STI, Op::ASH, true, false},
    {Op::LDI_STI, Op::LDI, false, true},     {Op::LSH3_STI, Op::LSH, true, false},
    {Op::MPYI3_STI, Op::MPYI, false, false}, {Op::NEGI_STI, Op::NEGI, false, false},
    {Op::NOT_STI, Op::NOT, false, false},    {Op::OR3_STI, Op::OR, false, false},
    {Op::SUBI3_STI, Op::SUBI, true, false},  {Op::XOR3_STI, Op::XOR, false, false},
};

struct FloatRow {
  Op op;
  Kind kind;
  FloatOp fn;
  bool binary;
  bool three;
  bool registerFirst;
  bool quiet;
};

constexpr FloatRow kFloats[] = {
    {Op::ADDF, Kind::Float, FloatOp::Add, true, false, false, false},
    {Op::SUBF, Kind::Float, FloatOp::Sub, true, false, false, false},
    {Op::SUBRF, Kind::Float, FloatOp::SubReverse, true, false, false, false},
    {Op::MPYF, Kind::Float, FloatOp::Multiply, true, false, false, false},
    {Op::CMPF, Kind::Float, FloatOp::Compare, true, false, false, false},
    {Op::ADDF3, Kind::Float, FloatOp::Add, true, true, false, false},
    {Op::SUBF3, Kind::Float, FloatOp::Sub, true, true, false, false},
    {Op::MPYF3, Kind::Float, FloatOp::Multiply, true, true, false, false},
    {Op::CMPF3, Kind::Float, FloatOp::Compare, true, true, false, false},
    {Op::LDF, Kind::Float, FloatOp::Load, false, false, false, false},
    {Op::NEGF, Kind::Float, FloatOp::Neg, false, false, false, false},
    {Op::ABSF, Kind::Float, FloatOp::Abs, false, false, false, false},
    {Op::RND, Kind::Float, FloatOp::Round, false, false, false, false},
    {Op::ADDF3_STF, Kind::FloatAndStore, FloatOp::Add, true, false, false, false},
    {Op::SUBF3_STF, Kind::FloatAndStore, FloatOp::Sub, true, false, true, false},
    {Op::MPYF3_STF, Kind::FloatAndStore, FloatOp::Multiply, true, false, false, false},
    {Op::LDF_STF, Kind::FloatAndStore, FloatOp::Load, false, false, false, true},
    {Op::NEGF_STF, Kind::FloatAndStore, FloatOp::Neg, false, false, false, false},
    {Op::ABSF_STF, Kind::FloatAndStore, FloatOp::Abs, false, false, false, false},
    {Op::LDFcond, Kind::FloatIf, FloatOp::Load, false, false, false, true},
    {Op::MPYF3_ADDF3, Kind::MultiplyAdd, FloatOp::Multiply, true, false, false, false},
    {Op::MPYF3_SUBF3, Kind::MultiplyAdd, FloatOp::Multiply, true, false, false, false},
    {Op::LDF_LDF, Kind::LoadLoad, FloatOp::Load, false, false, false, true},
    {Op::STF, Kind::StoreFloat, FloatOp::Load, false, false, false, true},
    {Op::STF_STF, Kind::StoreStore, FloatOp::Load, false, false, false, true},
};

struct PlainRow {
  Op op;
  Kind kind;
};
constexpr PlainRow kPlain[] = {
    {Op::LDIcond, Kind::IntegerIf},
    {Op::STI, Kind::StoreWord},
    {Op::NOP, Kind::Nop},
    {Op::BR, Kind::Branch},
    {Op::Bcond, Kind::Branch},
    {Op::BRD, Kind::BranchLater},
    {Op::BcondD, Kind::BranchLater},
    {Op::DBcond, Kind::Decrement},
    {Op::DBcondD, Kind::DecrementLater},
    {Op::RPTB, Kind::Repeat},
    {Op::RPTS, Kind::RepeatSingle},
    {Op::CALL, Kind::Call},
    {Op::RETScond, Kind::Return},
};

/// Registers whose reading or writing reaches beyond the register file.
constexpr std::uint32_t kBeyond = 1u << reg::ST | 1u << reg::IE | 1u << reg::IF;

bool names(const MicroOp& m, std::uint32_t registers) {
  for (const OperandSpec* s : {&m.low, &m.high}) {
    if (s->access == Access::Register && (registers >> s->reg & 1u) != 0) return true;
  }
  return (registers >> m.reg & 1u) != 0;
}

/// The vector form of an operation that is not bitwise; null: it has none.
void chooseArithmetic(VectorOp& v) {
  using Form = Kernels::Integer Kernels::*;
  struct Row {
    VectorOp::IntegerFn fn;
    Form form;
    bool swapped;
  };
  static constexpr Row kForms[] = {
      {add, &Kernels::addWords, false},
      {sub, &Kernels::subtractWords, false},
      {subReverse, &Kernels::subtractWords, true},
      {negate, &Kernels::subtractWords, false},
      {multiply, &Kernels::multiplyWords, false},
      {shiftL, &Kernels::shiftWords, false},
      {shiftA, &Kernels::shiftSigned, false},
  };
  for (const Row& row : kForms) {
    if (row.fn != v.integer) continue;
    v.arithmetic = row.form;
    v.swapped = row.swapped;
  }
}

bool decodeInteger(Op op, VectorOp& v) {
  const auto* row = std::find_if(std::begin(kIntegers), std::end(kIntegers),
                                 [&](const IntegerRow& r) { return r.op == op; });
  if (row == std::end(kIntegers)) return false;
  v.kind = Kind::Integer;
  std::fill_n(v.words, kBlock, static_cast<std::uint32_t>(v.m.low.value));
  v.integer = row->fn;
  v.flagMask = row->mask;
  v.binary = row->binary;
  v.compare = row->compare;
  v.usesCarry = row->carry;
  v.threeOperand = row->three;
  v.bitwise = row->bitwise;
  v.copy = row->fn == load;
  v.fixedB = row->fn == bitNot ? ~0u : 0u;
  chooseArithmetic(v);
  v.quiet = row->mask == 0 || (!row->compare && v.m.reg >= 8);
  v.setsFlags = !v.quiet && !row->carry;
  return true;
}

void chooseKernels(const Kernels& k, unsigned policy, VectorOp& v) {
  switch (v.floatOp) {
    case FloatOp::Add:
      std::fill_n(v.binaryFn, 4, k.addf[policy]);
      break;
    case FloatOp::Sub:
    case FloatOp::SubReverse:
      std::fill_n(v.binaryFn, 4, k.subf[policy]);
      break;
    case FloatOp::Multiply:
      std::copy_n(k.mpyf, 4, v.binaryFn);
      break;
    case FloatOp::Compare:
      std::fill_n(v.binaryFn, 4, k.cmpf[policy]);
      break;
    case FloatOp::Load:
      v.unaryFn = k.ldf;
      break;
    case FloatOp::Neg:
      v.unaryFn = k.negf;
      break;
    case FloatOp::Abs:
      v.unaryFn = k.absf;
      break;
    case FloatOp::Round:
      v.unaryFn = k.rnd;
      break;
  }
}

/// Both halves of MPYF3 || ADDF3 or SUBF3 read before either writes: which order does that.
void orderPair(const Kernels& k, unsigned policy, bool subtract, VectorOp& v) {
  const auto registerOf = [](const OperandSpec& s) -> unsigned {
    return s.access == Access::Register ? s.reg : 8;
  };
  const unsigned from[4] = {registerOf(v.m.low), registerOf(v.m.high), v.m.reg3, v.m.reg4};
  const auto reads = [&](PairHalf h, unsigned r) {
    return from[h.first] == r || from[h.second] == r;
  };
  v.sumFirst = !reads(kPairProduct[v.p], v.m.reg2);
  v.entangled = !v.sumFirst && reads(kPairSum[v.p], v.m.reg);
  std::fill_n(v.sumFn, 4, subtract ? k.subf[policy] : k.addf[policy]);
}

void fillConstant(VectorOp& v) {
  const Float40 x{v.m.low.exponent, static_cast<std::uint32_t>(v.m.low.value)};
  std::fill_n(v.constant, kBlock, exactDouble(x));
}

bool decodeFloat(const Instruction& i, VectorOp& v) {
  const auto* row = std::find_if(std::begin(kFloats), std::end(kFloats),
                                 [&](const FloatRow& r) { return r.op == i.op; });
  if (row == std::end(kFloats)) return false;
  v.kind = row->kind;
  v.floatOp = row->fn;
  v.binary = row->binary;
  v.threeOperand = row->three;
  v.registerFirst = row->registerFirst;
  v.quiet = row->quiet;
  v.compare = row->fn == FloatOp::Compare;
  v.p = i.parallel;
  // RND leaves Z alone, so it looks at what was there.
  v.setsFlags = !row->quiet && row->fn != FloatOp::Round;
  if (v.m.low.access == Access::Constant) fillConstant(v);
  return true;
}

void decodeConversion(bool toInteger, VectorOp& v) {
  if (v.m.reg >= 8 || names(v.m, kBeyond)) return;
  v.kind = toInteger ? Kind::Fix : Kind::FloatFrom;
  v.flagMask = kMaskNoCarry;
  v.setsFlags = true;
  if (!toInteger) return;
  if (v.m.low.access == Access::Constant) fillConstant(v);
  if (v.m.low.access == Access::Register) v.m.low.reg &= 7u;
}

}  // namespace

void decodeVector(std::uint32_t word, const Kernels& k, unsigned policy, VectorOp& op) {
  op = {};
  op.m = makeMicroOp(word);
  const std::optional<Instruction> i = decode(word);
  if (!i) return;
  const auto* pair = std::find_if(std::begin(kPairs), std::end(kPairs),
                                  [&](const PairRow& r) { return r.op == i->op; });
  if (pair != std::end(kPairs)) {
    decodeInteger(pair->half, op);
    op.kind = Kind::IntegerAndStore;
    op.registerFirst = pair->registerFirst;
    op.quiet = pair->quiet;
    op.setsFlags = !pair->quiet;
  } else if (i->op == Op::LDM) {
    op.kind = Kind::Integer;
    op.integer = load;
    op.copy = true;
    op.quiet = true;
  } else if (i->op == Op::FIX || i->op == Op::FLOAT) {
    decodeConversion(i->op == Op::FIX, op);
  } else if (decodeInteger(i->op, op)) {
    if (names(op.m, kBeyond)) op.kind = Kind::Other;
  } else if (decodeFloat(*i, op)) {
    chooseKernels(k, policy, op);
    if (op.kind == Kind::MultiplyAdd) orderPair(k, policy, i->op == Op::MPYF3_SUBF3, op);
  } else {
    const auto* row = std::find_if(std::begin(kPlain), std::end(kPlain),
                                   [&](const PlainRow& r) { return r.op == i->op; });
    if (row == std::end(kPlain)) return;
    op.kind = row->kind;
    const bool data = op.kind == Kind::IntegerIf || op.kind == Kind::StoreWord;
    if (data && names(op.m, kBeyond | 1u << reg::IOF)) op.kind = Kind::Other;
  }
}

}  // namespace rtvp::c32::simt
