// Frame of a block, branches and ways out. Host registers while code runs: rbx the hart's x0, rbp
// the first byte of RAM, r14 minus its address, r15 the instructions until the hart's limit, and
// kHosts; rax, rcx, rdx and xmm0, xmm1 are free.
#include "models/xphmg/hart/translate/block_code.hpp"

#include <array>

#include "models/hostcode/convention.hpp"

namespace rtvp::rv64 {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

/// Registers of the hart that are in the host's while code runs: those that compilers use most, a0
/// to a5, s0 and t1.
constexpr std::array<std::uint8_t, 8> kMapped{10, 11, 12, 13, 14, 15, 8, 6};
const std::array<Gp, kMapped.size()> kHosts{r8, r9, r10, r11, rsi, rdi, r12, r13};
constexpr std::int8_t kInMemory = -1;
constexpr std::array<std::int8_t, 32> kPlaces = [] {
  std::array<std::int8_t, 32> places{};
  places.fill(kInMemory);
  std::int8_t place = 0;
  for (const std::uint8_t x : kMapped) places[x] = place++;
  return places;
}();

std::uint64_t signExtended(std::int32_t imm) {
  return static_cast<std::uint64_t>(std::int64_t{imm});
}

}  // namespace

/// In: rdi the block, rsi the room, rdx x0, rcx the CodeFrame. Out: rax and rdx (Translator::Left).
void SharedCode::make(hostcode::Piece& to) {
  Assembler& a = to.to();
  const hostcode::Saved saved(hostcode::callersRegisters(), hostcode::Saved::Inside::NoCalls);
  const auto frame = [](std::size_t offset) {
    return qword_ptr(rcx, static_cast<std::int32_t>(offset));
  };
  const auto home = [](std::size_t n) { return qword_ptr(rbx, 8 * kMapped[n]); };
  saved.enter(a);
  for (std::size_t at = kFrameOnStack; at > 0; at -= 8) a.push(frame(at - 8));
  a.mov(rbp, frame(offsetof(CodeFrame, data)));
  a.mov(r14, frame(offsetof(CodeFrame, minus_base)));
  a.mov(r15, rsi);
  a.mov(rbx, rdx);
  a.mov(rax, rdi);
  for (std::size_t n = 0; n < kHosts.size(); ++n) a.mov(kHosts[n], home(n));
  a.jmp(rax);
  leave = to.entry();
  for (std::size_t n = 0; n < kHosts.size(); ++n) a.mov(home(n), kHosts[n]);
  a.mov(rdx, r15);
  a.add(rsp, kFrameOnStack);
  saved.leave(a);
  a.ret();
}

BlockCode::BlockCode(Assembler& to, const CodeSurroundings& around)
    : a_(to), around_(around), start_(to.newLabel()) {}

void BlockCode::make(std::uint64_t pc, std::span<const Decoded> instructions, bool aside) {
  first_ = pc_ = pc;
  count_ = static_cast<std::uint32_t>(instructions.size());
  head();
  for (const Decoded& d : instructions) {
    if (row(d.op).extension == Extension::F || row(d.op).extension == Extension::D) {
      a_.cmp(frame(offsetof(CodeFrame, floats_ready)), 0);
      a_.je(away(first_ | 1U, count_));
      break;
    }
  }
  bool gone = false;
  for (const Decoded& d : instructions) {
    gone = courseOf(d) == Course::Jump;
    instruction(d);
    pc_ += d.length;
    ++done_;
  }
  if (!gone && aside) {
    constant(rax, pc_ | 1U);
    a_.jmp(around_.leave);
  } else if (!gone) {
    chain(pc_);
  }
  ways();
}

/// No block begins that would run beyond the hart's limit.
void BlockCode::head() {
  a_.bind(start_);
  a_.sub(r15, count_);
  a_.jb(away(first_ | 1U, count_));
}

/// It is counted when it has been executed and not left to the interpreter.
void BlockCode::instruction(const Decoded& d) {
  const Course course = courseOf(d.op);
  if (course == Course::On) straight(d);
  count();
  if (course == Course::Branch) branch(d);
  if (d.op == Op::JALR) jumpRegister(d);
  if (d.op == Op::JAL) {
    constant(target(d.rd), pc_ + d.length);
    write(d.rd, target(d.rd));
    chain(pc_ + signExtended(d.imm));
  }
}

void BlockCode::count() {
  const std::uint64_t* const counter = around_.counter(pc_);
  if (counter == nullptr) return;
  a_.mov(rax, reinterpret_cast<std::uint64_t>(counter));
  a_.inc(qword_ptr(rax));
}

void BlockCode::straight(const Decoded& d) {
  switch (d.op) {
    case Op::FENCE:
      break;
    case Op::LUI:
      constant(target(d.rd), signExtended(d.imm));
      write(d.rd, target(d.rd));
      break;
    case Op::AUIPC:
      constant(target(d.rd), pc_ + signExtended(d.imm));
      write(d.rd, target(d.rd));
      break;
    default:
      integer(d) || immediate(d) || multiply(d) || memory(d) || floating(d) || floatMove(d) ||
          floatConversion(d);
      break;
  }
}

void BlockCode::branch(const Decoded& d) {
  compare(d.rs1, d.rs2);
  const Label taken = away(pc_ + signExtended(d.imm), count_ - done_ - 1);
  switch (d.op) {
    case Op::BEQ:
      return void(a_.je(taken));
    case Op::BNE:
      return void(a_.jne(taken));
    case Op::BLT:
      return void(a_.jl(taken));
    case Op::BGE:
      return void(a_.jge(taken));
    case Op::BLTU:
      return void(a_.jb(taken));
    default:
      return void(a_.jae(taken));
  }
}

/// The target's page has a table of its half words; where nothing is known, it names `leave`.
void BlockCode::jumpRegister(const Decoded& d) {
  readInto(rax, d.rs1);
  if (d.imm != 0) a_.add(rax, d.imm);
  a_.and_(rax, -2);
  if (d.rd != 0) {
    const Gp link = mapped(d.rd) ? host(d.rd) : Gp(rcx);
    constant(link, pc_ + d.length);
    write(d.rd, link);
  }
  a_.lea(rcx, ptr(rax, r14));
  a_.cmp(rcx, static_cast<std::int32_t>(around_.limit - 2));
  a_.ja(around_.leave);
  a_.mov(edx, ecx);
  a_.shr(edx, around_.page_bits);
  a_.shl(edx, 3);
  a_.add(rdx, frame(offsetof(CodeFrame, directory)));
  a_.mov(rdx, qword_ptr(rdx));
  a_.and_(ecx, (1U << around_.page_bits) - 2);
  a_.jmp(qword_ptr(rdx, rcx, 2));
}

// ---- registers

bool BlockCode::mapped(unsigned x) {
  return kPlaces[x] != kInMemory;
}

Gp BlockCode::host(unsigned x) {
  return kHosts[static_cast<std::size_t>(kPlaces[x])];
}

Mem BlockCode::home(unsigned x, unsigned size) {
  return Mem(rbx, static_cast<std::int32_t>(8 * x), size);
}

Mem BlockCode::frame(std::size_t offset, unsigned size) {
  return Mem(rsp, static_cast<std::int32_t>(offset), size);
}

/// Where the register is, or `spare` with its value.
Gp BlockCode::read(unsigned x, const Gp& spare) {
  if (x != 0 && mapped(x)) return host(x);
  readInto(spare, x);
  return spare;
}

void BlockCode::readInto(const Gp& to, unsigned x) {
  if (x == 0) {
    a_.xor_(to.r32(), to.r32());
  } else if (!mapped(x)) {
    a_.mov(to, home(x));
  } else if (host(x) != to) {
    a_.mov(to, host(x));
  }
}

void BlockCode::write(unsigned x, const Gp& from) {
  if (x == 0) return;
  if (!mapped(x)) {
    a_.mov(home(x), from);
  } else if (host(x) != from) {
    a_.mov(host(x), from);
  }
}

/// Leaves the host's flags alone.
void BlockCode::constant(const Gp& to, std::uint64_t value) {
  if (value <= 0xFFFFFFFFU) {
    a_.mov(to.r32(), static_cast<std::uint32_t>(value));
  } else {
    a_.mov(to, value);
  }
}

/// Where a result is made: at its place, or in rax on its way there.
Gp BlockCode::target(unsigned rd) const {
  return rd != 0 && mapped(rd) ? host(rd) : Gp(rax);
}

// ---- ways out

/// In front of the instruction in progress; the interpreter executes it.
asmjit::Label BlockCode::slow() {
  return away(pc_ | 1U, count_ - done_);
}

asmjit::Label BlockCode::away(std::uint64_t target, std::uint32_t undone) {
  const Label from = a_.newLabel();
  ways_.push_back({from, target, undone});
  return from;
}

void BlockCode::chain(std::uint64_t target) {
  if (target == first_) {
    a_.jmp(start_);
    return;
  }
  constant(rax, target);
  if (const void* const* entry = around_.entry(target)) {
    a_.mov(rcx, reinterpret_cast<std::uint64_t>(entry));
    a_.jmp(qword_ptr(rcx));
  } else {
    a_.jmp(around_.leave);
  }
}

void BlockCode::ways() {
  for (const Way& way : ways_) {
    a_.bind(way.from);
    if (way.undone != 0) a_.add(r15, way.undone);
    if ((way.target & 1U) == 0) {
      chain(way.target);
    } else {
      constant(rax, way.target);
      a_.jmp(around_.leave);
    }
  }
}

}  // namespace rtvp::rv64
