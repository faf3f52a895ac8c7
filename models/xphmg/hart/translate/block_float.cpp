// Floating point of a block: rounding to nearest on the host's unit, which the hart has entered.
// What the interpreter gives to soft_float (NaN in or out, equal operands of a minimum, results
// that saturate) it executes itself: the host has raised no flag then that RISC-V does not raise.
// Blocks with such instructions run while mstatus.FS is dirty and frm is 0. The registers are those
// of block_code.cpp.
#include "models/xphmg/hart/translate/block_code.hpp"

namespace rtvp::rv64 {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

constexpr int kSign = 63, kSignOfSingle = 31;

Gp sized(const Gp& r, bool half) {
  return half ? Gp(r.r32()) : r;
}

}  // namespace

bool BlockCode::floating(const Decoded& d) {
  const bool single = row(d.op).extension == Extension::F;
  switch (d.op) {
    case Op::FADD_S:
    case Op::FADD_D:
      arithmetic(d, single ? Inst::kIdAddss : Inst::kIdAddsd, single);
      return true;
    case Op::FSUB_S:
    case Op::FSUB_D:
      arithmetic(d, single ? Inst::kIdSubss : Inst::kIdSubsd, single);
      return true;
    case Op::FMUL_S:
    case Op::FMUL_D:
      arithmetic(d, single ? Inst::kIdMulss : Inst::kIdMulsd, single);
      return true;
    case Op::FDIV_S:
    case Op::FDIV_D:
      arithmetic(d, single ? Inst::kIdDivss : Inst::kIdDivsd, single);
      return true;
    case Op::FSQRT_S:
    case Op::FSQRT_D:
      root(d, single);
      return true;
    case Op::FMADD_S:
    case Op::FMADD_D:
      fused(d, single ? Inst::kIdVfmadd213ss : Inst::kIdVfmadd213sd, single);
      return true;
    case Op::FMSUB_S:
    case Op::FMSUB_D:
      fused(d, single ? Inst::kIdVfmsub213ss : Inst::kIdVfmsub213sd, single);
      return true;
    case Op::FNMSUB_S:
    case Op::FNMSUB_D:
      fused(d, single ? Inst::kIdVfnmadd213ss : Inst::kIdVfnmadd213sd, single);
      return true;
    case Op::FNMADD_S:
    case Op::FNMADD_D:
      fused(d, single ? Inst::kIdVfnmsub213ss : Inst::kIdVfnmsub213sd, single);
      return true;
    case Op::FMIN_S:
    case Op::FMIN_D:
      smaller(d, single ? Inst::kIdMinss : Inst::kIdMinsd, single);
      return true;
    case Op::FMAX_S:
    case Op::FMAX_D:
      smaller(d, single ? Inst::kIdMaxss : Inst::kIdMaxsd, single);
      return true;
    case Op::FEQ_S:
    case Op::FEQ_D:
    case Op::FLT_S:
    case Op::FLT_D:
    case Op::FLE_S:
    case Op::FLE_D:
      comparison(d, single);
      return true;
    default:
      return false;
  }
}

bool BlockCode::floatMove(const Decoded& d) {
  const bool single = row(d.op).extension == Extension::F;
  switch (d.op) {
    case Op::FLW:
    case Op::FLD:
      address(d, single ? 4 : 8);
      a_.mov(sized(rcx, single), Mem(rbp, rax, 0, 0, single ? 4 : 8));
      a_.mov(f(d.rd, single ? 4 : 8), sized(rcx, single));
      if (single) box(d.rd);
      return true;
    case Op::FSW:
    case Op::FSD:
      address(d, single ? 4 : 8);
      checkStore();
      a_.mov(sized(rcx, single), f(d.rs2, single ? 4 : 8));
      a_.mov(Mem(rbp, rax, 0, 0, single ? 4 : 8), sized(rcx, single));
      return true;
    case Op::FSGNJ_S:
    case Op::FSGNJ_D:
      sign(d, false, false, single);
      return true;
    case Op::FSGNJN_S:
    case Op::FSGNJN_D:
      sign(d, true, false, single);
      return true;
    case Op::FSGNJX_S:
    case Op::FSGNJX_D:
      sign(d, false, true, single);
      return true;
    case Op::FMV_X_D:
      a_.mov(target(d.rd), f(d.rs1));
      write(d.rd, target(d.rd));
      return true;
    case Op::FMV_X_W:
      a_.movsxd(target(d.rd), f(d.rs1, 4));
      write(d.rd, target(d.rd));
      return true;
    case Op::FMV_D_X:
      a_.mov(f(d.rd), read(d.rs1, rax));
      return true;
    case Op::FMV_W_X:
      a_.mov(f(d.rd, 4), read(d.rs1, rax).r32());
      box(d.rd);
      return true;
    default:
      return false;
  }
}

bool BlockCode::floatConversion(const Decoded& d) {
  const bool single = row(d.op).extension == Extension::F;
  switch (d.op) {
    case Op::FCVT_S_W:
    case Op::FCVT_D_W:
      readInto(rax, d.rs1);
      a_.movsxd(rax, eax);
      fromInteger(d, single);
      return true;
    case Op::FCVT_S_WU:
    case Op::FCVT_D_WU:
      readInto(rax, d.rs1);
      a_.mov(eax, eax);
      fromInteger(d, single);
      return true;
    case Op::FCVT_S_L:
    case Op::FCVT_D_L:
      readInto(rax, d.rs1);
      fromInteger(d, single);
      return true;
    case Op::FCVT_W_S:
    case Op::FCVT_W_D:
      toInteger(d, true, single);
      return true;
    case Op::FCVT_L_S:
    case Op::FCVT_L_D:
      toInteger(d, false, single);
      return true;
    case Op::FCVT_S_D:
      a_.xorps(xmm0, xmm0);
      a_.cvtsd2ss(xmm0, f(d.rs1));
      notNan(xmm0, true);
      writeFloat(d.rd, xmm0, true);
      return true;
    case Op::FCVT_D_S:
      boxed(d.rs1);
      a_.xorps(xmm0, xmm0);
      a_.cvtss2sd(xmm0, f(d.rs1, 4));
      notNan(xmm0, false);
      writeFloat(d.rd, xmm0, false);
      return true;
    default:
      return false;
  }
}

// ---- registers

Mem BlockCode::f(unsigned n, unsigned size, unsigned offset) const {
  return Mem(rbx, around_.floats + static_cast<std::int32_t>(8 * n + offset), size);
}

/// A single that is not boxed is the interpreter's.
void BlockCode::boxed(unsigned n) {
  a_.cmp(f(n, 4, 4), -1);
  a_.jne(slow());
}

void BlockCode::box(unsigned n) {
  a_.mov(f(n, 4, 4), -1);
}

void BlockCode::readFloat(const Xmm& to, unsigned n, bool single) {
  if (single) {
    boxed(n);
    a_.movss(to, f(n, 4));
  } else {
    a_.movsd(to, f(n));
  }
}

void BlockCode::writeFloat(unsigned n, const Xmm& from, bool single) {
  if (single) {
    a_.movss(f(n, 4), from);
    box(n);
  } else {
    a_.movsd(f(n), from);
  }
}

void BlockCode::notNan(const Xmm& x, bool single) {
  if (single) {
    a_.ucomiss(x, x);
  } else {
    a_.ucomisd(x, x);
  }
  a_.jp(slow());
}

// ---- operations

void BlockCode::arithmetic(const Decoded& d, unsigned instruction, bool single) {
  if (single) boxed(d.rs2);
  readFloat(xmm0, d.rs1, single);
  a_.emit(instruction, xmm0, f(d.rs2, single ? 4 : 8));
  notNan(xmm0, single);
  writeFloat(d.rd, xmm0, single);
}

void BlockCode::root(const Decoded& d, bool single) {
  if (single) boxed(d.rs1);
  a_.emit(single ? Inst::kIdSqrtss : Inst::kIdSqrtsd, xmm0, f(d.rs1, single ? 4 : 8));
  notNan(xmm0, single);
  writeFloat(d.rd, xmm0, single);
}

void BlockCode::fused(const Decoded& d, unsigned instruction, bool single) {
  if (single) boxed(d.rs3);
  readFloat(xmm0, d.rs1, single);
  readFloat(xmm1, d.rs2, single);
  a_.emit(instruction, xmm0, xmm1, f(d.rs3, single ? 4 : 8));
  notNan(xmm0, single);
  writeFloat(d.rd, xmm0, single);
}

/// rs1 with the sign of rs2, its opposite, or the product of both.
void BlockCode::sign(const Decoded& d, bool negate, bool exclusive, bool single) {
  if (single) boxed(d.rs1);
  if (single) boxed(d.rs2);
  const unsigned size = single ? 4 : 8;
  const int bit = single ? kSignOfSingle : kSign;
  a_.mov(sized(rax, single), f(d.rs1, size));
  if (d.rs1 != d.rs2) {
    a_.mov(sized(rcx, single), f(d.rs2, size));
    if (exclusive) a_.xor_(sized(rcx, single), sized(rax, single));
    if (negate) a_.not_(sized(rcx, single));
    a_.btr(sized(rax, single), bit);
    a_.shr(sized(rcx, single), bit);
    a_.shl(sized(rcx, single), bit);
    a_.or_(sized(rax, single), sized(rcx, single));
  } else if (negate) {
    a_.btc(sized(rax, single), bit);
  } else if (exclusive) {
    a_.btr(sized(rax, single), bit);
  }
  a_.mov(f(d.rd, size), sized(rax, single));
  if (single) box(d.rd);
}

void BlockCode::smaller(const Decoded& d, unsigned instruction, bool single) {
  readFloat(xmm0, d.rs1, single);
  readFloat(xmm1, d.rs2, single);
  a_.emit(single ? Inst::kIdUcomiss : Inst::kIdUcomisd, xmm0, xmm1);
  a_.jp(slow());
  a_.je(slow());  // zeros of different signs
  a_.emit(instruction, xmm0, xmm1);
  writeFloat(d.rd, xmm0, single);
}

void BlockCode::comparison(const Decoded& d, bool single) {
  const bool equal = d.op == Op::FEQ_S || d.op == Op::FEQ_D;
  const bool less = d.op == Op::FLT_S || d.op == Op::FLT_D;
  readFloat(xmm0, d.rs2, single);
  readFloat(xmm1, d.rs1, single);
  a_.emit(single ? Inst::kIdUcomiss : Inst::kIdUcomisd, xmm0, xmm1);
  a_.jp(slow());
  if (d.rd == 0) return;
  if (equal) {
    a_.sete(al);
  } else if (less) {
    a_.seta(al);
  } else {
    a_.setae(al);
  }
  a_.movzx(target(d.rd).r32(), al);
  write(d.rd, target(d.rd));
}

/// Of rax.
void BlockCode::fromInteger(const Decoded& d, bool single) {
  a_.xorps(xmm0, xmm0);
  if (single) {
    a_.cvtsi2ss(xmm0, rax);
  } else {
    a_.cvtsi2sd(xmm0, rax);
  }
  writeFloat(d.rd, xmm0, single);
}

/// The host answers with the smallest integer whatever does not fit, as invalid and nothing else.
void BlockCode::toInteger(const Decoded& d, bool word, bool single) {
  constexpr unsigned kToZero = 1;
  const bool truncates = d.rm == kToZero;
  const unsigned instruction = single ? (truncates ? Inst::kIdCvttss2si : Inst::kIdCvtss2si)
                                      : (truncates ? Inst::kIdCvttsd2si : Inst::kIdCvtsd2si);
  if (single) boxed(d.rs1);
  a_.emit(instruction, sized(rax, word), f(d.rs1, single ? 4 : 8));
  if (word) {
    a_.movsxd(rax, eax);
    a_.cmp(rax, asmjit::Imm(std::int64_t{INT32_MIN}));
  } else {
    a_.mov(rcx, std::uint64_t{1} << kSign);
    a_.cmp(rax, rcx);
  }
  a_.je(slow());
  write(d.rd, rax);
}

}  // namespace rtvp::rv64
