// Integer instructions, loads and stores of a block. The registers are those of block_code.cpp.
#include "models/xphmg/hart/translate/block_code.hpp"

namespace rtvp::rv64 {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

bool BlockCode::integer(const Decoded& d) {
  switch (d.op) {
    case Op::ADD:
      threeOperands(d, Inst::kIdAdd, true);
      return true;
    case Op::SUB:
      threeOperands(d, Inst::kIdSub, false);
      return true;
    case Op::AND:
      threeOperands(d, Inst::kIdAnd, true);
      return true;
    case Op::OR:
      threeOperands(d, Inst::kIdOr, true);
      return true;
    case Op::XOR:
      threeOperands(d, Inst::kIdXor, true);
      return true;
    case Op::SLL:
      shift(d, Inst::kIdShl, false, true);
      return true;
    case Op::SRL:
      shift(d, Inst::kIdShr, false, true);
      return true;
    case Op::SRA:
      shift(d, Inst::kIdSar, false, true);
      return true;
    case Op::SLT:
      lessThan(d, true, true);
      return true;
    case Op::SLTU:
      lessThan(d, false, true);
      return true;
    case Op::ADDW:
      words(d, Inst::kIdAdd);
      return true;
    case Op::SUBW:
      words(d, Inst::kIdSub);
      return true;
    case Op::SLLW:
      shift(d, Inst::kIdShl, true, true);
      return true;
    case Op::SRLW:
      shift(d, Inst::kIdShr, true, true);
      return true;
    case Op::SRAW:
      shift(d, Inst::kIdSar, true, true);
      return true;
    default:
      return false;
  }
}

bool BlockCode::immediate(const Decoded& d) {
  switch (d.op) {
    case Op::ADDI:
      addImmediate(d);
      return true;
    case Op::ANDI:
      twoOperands(d, Inst::kIdAnd);
      return true;
    case Op::ORI:
      twoOperands(d, Inst::kIdOr);
      return true;
    case Op::XORI:
      twoOperands(d, Inst::kIdXor);
      return true;
    case Op::SLLI:
      shift(d, Inst::kIdShl, false, false);
      return true;
    case Op::SRLI:
      shift(d, Inst::kIdShr, false, false);
      return true;
    case Op::SRAI:
      shift(d, Inst::kIdSar, false, false);
      return true;
    case Op::SLTI:
      lessThan(d, true, false);
      return true;
    case Op::SLTIU:
      lessThan(d, false, false);
      return true;
    case Op::ADDIW:
      if (d.rd == 0) return true;
      readInto(rax, d.rs1);
      if (d.imm != 0) a_.add(eax, d.imm);
      a_.movsxd(target(d.rd), eax);
      write(d.rd, target(d.rd));
      return true;
    case Op::SLLIW:
      shift(d, Inst::kIdShl, true, false);
      return true;
    case Op::SRLIW:
      shift(d, Inst::kIdShr, true, false);
      return true;
    case Op::SRAIW:
      shift(d, Inst::kIdSar, true, false);
      return true;
    default:
      return false;
  }
}

bool BlockCode::multiply(const Decoded& d) {
  switch (d.op) {
    case Op::MUL:
      threeOperands(d, Inst::kIdImul, true);
      return true;
    case Op::MULW:
      words(d, Inst::kIdImul);
      return true;
    case Op::MULH:
    case Op::MULHU:
    case Op::MULHSU:
      highProduct(d);
      return true;
    case Op::DIV:
      divide(d, false, true, false);
      return true;
    case Op::DIVU:
      divide(d, false, false, false);
      return true;
    case Op::REM:
      divide(d, false, true, true);
      return true;
    case Op::REMU:
      divide(d, false, false, true);
      return true;
    case Op::DIVW:
      divide(d, true, true, false);
      return true;
    case Op::DIVUW:
      divide(d, true, false, false);
      return true;
    case Op::REMW:
      divide(d, true, true, true);
      return true;
    case Op::REMUW:
      divide(d, true, false, true);
      return true;
    default:
      return false;
  }
}

bool BlockCode::memory(const Decoded& d) {
  switch (d.op) {
    case Op::LB:
      load(d, 1, true);
      return true;
    case Op::LH:
      load(d, 2, true);
      return true;
    case Op::LW:
      load(d, 4, true);
      return true;
    case Op::LD:
      load(d, 8, false);
      return true;
    case Op::LBU:
      load(d, 1, false);
      return true;
    case Op::LHU:
      load(d, 2, false);
      return true;
    case Op::LWU:
      load(d, 4, false);
      return true;
    case Op::SB:
      store(d, 1);
      return true;
    case Op::SH:
      store(d, 2);
      return true;
    case Op::SW:
      store(d, 4);
      return true;
    case Op::SD:
      store(d, 8);
      return true;
    default:
      return false;
  }
}

// ---- operations

/// to := to OP x.
void BlockCode::apply(unsigned instruction, const Gp& to, unsigned x) {
  if (x == 0) {
    readInto(rcx, 0);
    a_.emit(instruction, to, rcx);
  } else if (mapped(x)) {
    a_.emit(instruction, to, host(x));
  } else {
    a_.emit(instruction, to, home(x));
  }
}

void BlockCode::threeOperands(const Decoded& d, unsigned instruction, bool commutes) {
  if (d.rd == 0) return;
  unsigned first = d.rs1;
  unsigned second = d.rs2;
  if (commutes && d.rd == second) std::swap(first, second);
  // A result's place may not be overwritten as long as it is an operand.
  const Gp to = d.rd == second && first != second ? Gp(rax) : target(d.rd);
  const bool sum =
      instruction == Inst::kIdAdd && to != rax && d.rd != first && mapped(first) && mapped(second);
  if (sum) {
    a_.lea(to, ptr(host(first), host(second)));
    return;
  }
  readInto(to, first);
  apply(instruction, to, second);
  write(d.rd, to);
}

void BlockCode::twoOperands(const Decoded& d, unsigned instruction) {
  if (d.rd == 0) return;
  const Gp to = target(d.rd);
  readInto(to, d.rs1);
  a_.emit(instruction, to, asmjit::Imm(d.imm));
  write(d.rd, to);
}

void BlockCode::addImmediate(const Decoded& d) {
  if (d.rd == 0) return;
  const Gp to = target(d.rd);
  if (d.rs1 == 0) {
    constant(to, static_cast<std::uint64_t>(std::int64_t{d.imm}));
  } else if (d.rd == d.rs1 && !mapped(d.rd)) {
    a_.add(home(d.rd), d.imm);
    return;
  } else if (mapped(d.rs1) && d.rd != d.rs1 && d.imm != 0) {
    a_.lea(to, ptr(host(d.rs1), d.imm));
  } else {
    readInto(to, d.rs1);
    if (d.imm != 0) a_.add(to, d.imm);
  }
  write(d.rd, to);
}

void BlockCode::words(const Decoded& d, unsigned instruction) {
  if (d.rd == 0) return;
  readInto(rax, d.rs1);
  const Gp second = read(d.rs2, rcx);
  a_.emit(instruction, eax, second.r32());
  a_.movsxd(target(d.rd), eax);
  write(d.rd, target(d.rd));
}

/// The host takes as many bits of the amount as the instruction.
void BlockCode::shift(const Decoded& d, unsigned instruction, bool word, bool by_register) {
  if (d.rd == 0) return;
  if (by_register) readInto(rcx, d.rs2);
  const Gp to = word ? Gp(rax) : target(d.rd);
  readInto(to, d.rs1);
  const Gp operand = word ? Gp(to.r32()) : to;
  if (by_register) {
    a_.emit(instruction, operand, cl);
  } else {
    a_.emit(instruction, operand, asmjit::Imm(d.imm));
  }
  if (word) a_.movsxd(target(d.rd), eax);
  write(d.rd, target(d.rd));
}

/// The host's flags as of a - b.
void BlockCode::compare(unsigned a, unsigned b) {
  const Gp first = read(a, rax);
  if (b == 0) {
    a_.cmp(first, 0);
  } else if (mapped(b)) {
    a_.cmp(first, host(b));
  } else {
    a_.cmp(first, home(b));
  }
}

void BlockCode::lessThan(const Decoded& d, bool is_signed, bool by_register) {
  if (d.rd == 0) return;
  if (by_register) {
    compare(d.rs1, d.rs2);
  } else {
    a_.cmp(read(d.rs1, rax), d.imm);
  }
  if (is_signed) {
    a_.setl(al);
  } else {
    a_.setb(al);
  }
  a_.movzx(target(d.rd).r32(), al);
  write(d.rd, target(d.rd));
}

/// By 0 and by -1 (the host would trap for one dividend) the interpreter divides.
void BlockCode::divide(const Decoded& d, bool word, bool is_signed, bool remainder) {
  if (d.rd == 0) return;
  readInto(rcx, d.rs2);
  const auto sized = [word](const Gp& r) -> Gp { return word ? Gp(r.r32()) : r; };
  if (is_signed) {
    a_.lea(rdx, ptr(rcx, 1));
    a_.cmp(sized(rdx), 1);
    a_.jbe(slow());
  } else {
    a_.test(sized(rcx), sized(rcx));
    a_.jz(slow());
  }
  readInto(rax, d.rs1);
  if (!is_signed) {
    a_.xor_(edx, edx);
    a_.div(sized(rcx));
  } else if (word) {
    a_.cdq();
    a_.idiv(ecx);
  } else {
    a_.cqo();
    a_.idiv(rcx);
  }
  const Gp result = remainder ? Gp(rdx) : Gp(rax);
  if (word) a_.movsxd(result, result.r32());
  write(d.rd, result);
}

void BlockCode::highProduct(const Decoded& d) {
  if (d.rd == 0) return;
  constexpr int kSign = 63;
  readInto(rax, d.rs1);
  const Gp second = read(d.rs2, rcx);
  if (d.op == Op::MULH) {
    a_.imul(second);
  } else {
    a_.mul(second);
  }
  if (d.op == Op::MULHSU) {  // a negative first operand was 2^64 too large
    readInto(rax, d.rs1);
    a_.sar(rax, kSign);
    a_.and_(rax, second);
    a_.sub(rdx, rax);
  }
  write(d.rd, rdx);
}

// ---- memory

/// rax: from the begin of the RAM, in which all bytes lie.
void BlockCode::address(const Decoded& d, unsigned size) {
  if (d.rs1 == 0) {
    a_.lea(rax, ptr(r14, d.imm));
  } else {
    a_.lea(rax, ptr(read(d.rs1, rax), r14, 0, d.imm));
  }
  a_.cmp(rax, static_cast<std::int32_t>(around_.limit - size));
  a_.ja(slow());
}

void BlockCode::load(const Decoded& d, unsigned size, bool is_signed) {
  address(d, size);
  if (d.rd == 0) return;
  const Gp to = target(d.rd);
  const Mem from(rbp, rax, 0, 0, size);
  if (size == 8) {
    a_.mov(to, from);
  } else if (size == 4 && is_signed) {
    a_.movsxd(to, from);
  } else if (size == 4) {
    a_.mov(to.r32(), from);
  } else if (is_signed) {
    a_.movsx(to, from);
  } else {
    a_.movzx(to.r32(), from);
  }
  write(d.rd, to);
}

/// Nobody wants to know of a store at rax. Changes rcx and rdx.
void BlockCode::checkStore() {
  a_.mov(rdx, frame(offsetof(CodeFrame, lines)));
  a_.mov(ecx, eax);
  a_.shr(ecx, around_.line_bits);
  a_.cmp(byte_ptr(rdx, rcx), 0);
  a_.jne(slow());
}

void BlockCode::store(const Decoded& d, unsigned size) {
  address(d, size);
  checkStore();
  const Mem to(rbp, rax, 0, 0, size);
  if (d.rs2 == 0) {
    a_.mov(to, 0);
    return;
  }
  const Gp value = read(d.rs2, rcx);
  switch (size) {
    case 1:
      a_.mov(to, value.r8());
      break;
    case 2:
      a_.mov(to, value.r16());
      break;
    case 4:
      a_.mov(to, value.r32());
      break;
    default:
      a_.mov(to, value);
      break;
  }
}

}  // namespace rtvp::rv64
