// Frame of a block, branches and ways out. Host registers while code runs: rbx the hart's x0, rbp
// the first byte of RAM, r14 minus its address, r15 the instructions until the hart's limit, and
// kMapped; rax, rcx, rdx and xmm0, xmm1 are free.
#include "models/xphmg/hart/translate/block_code.hpp"

#include <array>

namespace rtvp::rv64 {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

/// Registers of the hart that are in the host's while code runs: those that compilers use most.
struct Mapping {
  unsigned x;
  Gp host;
};
constexpr unsigned kA0 = 10, kS0 = 8, kT1 = 6;
const std::array<Mapping, 8> kMapped{{{kA0, r8},
                                      {kA0 + 1, r9},
                                      {kA0 + 2, r10},
                                      {kA0 + 3, r11},
                                      {kA0 + 4, rsi},
                                      {kA0 + 5, rdi},
                                      {kS0, r12},
                                      {kT1, r13}}};
constexpr std::array<std::int8_t, 32> kPlaces = [] {
  std::array<std::int8_t, 32> places{};
  places.fill(-1);
  for (std::int8_t n = 0; n < 6; ++n) places[kA0 + static_cast<unsigned>(n)] = n;
  places[kS0] = 6;
  places[kT1] = 7;
  return places;
}();

const std::array<Gp, 6> kSaved{rbx, rbp, r12, r13, r14, r15};

std::uint64_t signExtended(std::int32_t imm) {
  return static_cast<std::uint64_t>(std::int64_t{imm});
}

}  // namespace

void SharedCode::make(Assembler& a) {
  for (const Gp& r : kSaved) a.push(r);
  const auto frame = [](std::int32_t offset) { return qword_ptr(rcx, offset); };
  a.push(frame(16));
  a.push(frame(8));
  a.push(frame(0));
  a.mov(rbp, frame(24));
  a.mov(r14, frame(32));
  a.mov(r15, rsi);
  a.mov(rbx, rdx);
  a.mov(rax, rdi);
  for (const Mapping& m : kMapped) a.mov(m.host, qword_ptr(rbx, static_cast<int>(8 * m.x)));
  a.jmp(rax);
  a.align(asmjit::AlignMode::kCode, 16);
  leave = a.offset();
  for (const Mapping& m : kMapped) a.mov(qword_ptr(rbx, static_cast<int>(8 * m.x)), m.host);
  a.mov(rdx, r15);
  a.add(rsp, CodeFrame::kBytes);
  for (std::size_t n = kSaved.size(); n-- > 0;) a.pop(kSaved[n]);
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
      a_.cmp(dword_ptr(rsp, CodeFrame::kFloatsReady), 0);
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
  a_.add(rdx, qword_ptr(rsp, CodeFrame::kDirectory));
  a_.mov(rdx, qword_ptr(rdx));
  a_.and_(ecx, (1U << around_.page_bits) - 2);
  a_.jmp(qword_ptr(rdx, rcx, 2));
}

// ---- registers

bool BlockCode::mapped(unsigned x) {
  return kPlaces[x] >= 0;
}

Gp BlockCode::host(unsigned x) {
  return kMapped[static_cast<std::size_t>(kPlaces[x])].host;
}

Mem BlockCode::home(unsigned x, unsigned size) {
  return Mem(rbx, static_cast<std::int32_t>(8 * x), size);
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
