// Host registers while translated code runs: rbx the Cpu, r12 the Context, r13 the clock, r14 the
// first word of plain memory. r15 and ebp hold what a block has put there (block_floats.cpp).
//
// Sums that block_floats.cpp does not make itself, in integers as float40.hpp has it: a's mantissa
// field in eax and exponent in edx, b's in esi and edi; b OP a comes back in eax and edx, carry
// set. Carry clear: a result (or an alignment) that is for the run loop. rcx and r8 are lost, r9 to
// r11 stay.
#include "models/c32/translate/shared_code.hpp"

#include <cstddef>

#include "models/c32/cpu_ops.hpp"
#include "models/hostcode/convention.hpp"
#include "models/hostcode/piece.hpp"

namespace rtvp::c32::translate {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers
using asmjit::Label;

namespace {

constexpr int kZeroExponent = -128;
constexpr unsigned kImplied = 31;  ///< bit of the explicit mantissa that the field inverts

Mem at(const Gp& base, std::size_t offset, unsigned size = 8) {
  return Mem(base, static_cast<std::int32_t>(offset), size);
}

class Writer {
 public:
  explicit Writer(Assembler& a) : a_(a) {}

  void enter() {
    saved_.enter(a_);
    a_.mov(rbx, rdi);
    a_.mov(r12, rsi);
    a_.mov(r14, rdx);
    a_.mov(r13, at(r12, offsetof(Context, clock)));
    a_.mov(at(r12, offsetof(Context, instructions)), 0);
    a_.jmp(rcx);
  }

  void leave(Why why) {
    a_.mov(at(r12, offsetof(Context, where), 4), eax);
    a_.mov(at(r12, offsetof(Context, why), 4), static_cast<std::uint32_t>(why));
    if (why == Why::Dynamic) a_.mov(at(r12, offsetof(Context, where), 4), edx);
    a_.mov(at(r12, offsetof(Context, clock)), r13);
    saved_.leave(a_);
    a_.ret();
  }

  /// rax: a nonzero mantissa with its point at bit 31, edx its exponent.
  void normalise() {
    a_.mov(rcx, rax);
    a_.sar(rcx, 63);
    a_.xor_(rcx, rax);
    a_.lea(rcx, ptr(rcx, rcx, 0, 1));
    a_.lzcnt(rcx, rcx);
    a_.shlx(rax, rax, rcx);
    a_.shr(rax, 31);
    a_.btc(eax, kImplied);
    a_.sub(edx, ecx);
    a_.add(edx, 31);
    a_.lea(ecx, ptr(rdx, 127));
    a_.cmp(ecx, 255);
    a_.ret();
  }

  void zero() {
    a_.mov(edx, kZeroExponent);
    a_.xor_(eax, eax);
    a_.stc();
    a_.ret();
  }

  /// Of operands one of which is 0, or 32 binades and more apart.
  void addf(bool subtract, bool ignoreFrom32) {
    const Label zeroA = a_.newLabel(), zeroB = a_.newLabel(), none = a_.newLabel();
    a_.cmp(edx, kZeroExponent);
    a_.je(zeroA);
    a_.cmp(edi, kZeroExponent);
    a_.je(zeroB);
    if (subtract || !ignoreFrom32) {
      a_.clc();
    } else {  // the larger one alone
      a_.cmp(edx, edi);
      a_.cmovl(eax, esi);
      a_.cmovl(edx, edi);
      a_.stc();
    }
    a_.ret();
    a_.bind(none);
    zero();
    a_.bind(zeroA);  // b, if that is not 0 as well
    a_.cmp(edi, kZeroExponent);
    a_.je(none);
    a_.mov(eax, esi);
    a_.mov(edx, edi);
    a_.stc();
    a_.ret();
    a_.bind(zeroB);
    if (subtract) {  // 0 - a
      a_.movsxd(rax, eax);
      a_.btc(rax, kImplied);
      a_.neg(rax);
      normalise();
    } else {
      a_.stc();
      a_.ret();
    }
  }

 private:
  Assembler& a_;
  hostcode::Saved saved_{hostcode::callersRegisters(), hostcode::Saved::Inside::Calls};
};

}  // namespace

SharedCode::SharedCode(asmjit::JitRuntime& runtime, Context& context, bool ignoreFrom32) {
  hostcode::Piece piece(runtime);
  Writer writer(piece.to());
  writer.enter();
  const std::size_t missing = piece.entry();
  writer.leave(Why::Missing);
  const std::size_t limit = piece.entry();
  writer.leave(Why::Limit);
  const std::size_t leave = piece.entry();
  writer.leave(Why::Leave);
  const std::size_t dynamic = piece.entry();
  writer.leave(Why::Dynamic);
  const std::size_t addf = piece.entry();
  writer.addf(false, ignoreFrom32);
  const std::size_t subf = piece.entry();
  writer.addf(true, ignoreFrom32);
  const std::uint8_t* const code = piece.keep(runtime);
  if (code == nullptr) return;
  enter_ = hostcode::asFunction<Enter>(code);
  context.missing = code + missing;
  context.limit = code + limit;
  context.leave = code + leave;
  context.dynamic = code + dynamic;
  context.addf = code + addf;
  context.subf = code + subf;
}

}  // namespace rtvp::c32::translate
