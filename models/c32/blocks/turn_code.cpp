#include "models/c32/blocks/turn_code.hpp"

#include <asmjit/x86.h>

#include <cstddef>

#include "models/c32/blocks/turn_writer.hpp"
#include "models/c32/flags.hpp"

namespace rtvp::c32::blocks {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

/// A member of the frame and the host register it is in while passages run.
struct Kept {
  std::size_t offset;
  Gp host;
};
const Kept kKept[] = {
    {offsetof(TurnFrame, in), r12},    {offsetof(TurnFrame, out), r13},
    {offsetof(TurnFrame, cycle), r14}, {offsetof(TurnFrame, transfer), rbp},
    {offsetof(TurnFrame, empty), r8},  {offsetof(TurnFrame, last), r9},
};

Mem at(std::size_t offset) {
  return Mem(rbx, static_cast<std::int32_t>(offset), 8);
}

/// An instruction that the host does not have as it was asked for.
struct Errors final : asmjit::ErrorHandler {
  bool any = false;
  void handleError(asmjit::Error /*code*/, const char* /*text*/,
                   asmjit::BaseEmitter* /*origin*/) override {
    any = true;
  }
};

/// The way in.
void enter(Assembler& a) {
  for (const Gp& r : {rbx, rbp, r12, r13, r14, r15}) a.push(r);
  a.mov(rbx, rdi);
  for (const Kept& k : kKept) a.mov(k.host, at(k.offset));
  a.mov(r15, at(offsetof(TurnFrame, ram)));
  a.jmp(rsi);
}

/// And out.
void leave(Assembler& a) {
  for (const Kept& k : kKept) a.mov(at(k.offset), k.host);
  for (const Gp& r : {r15, r14, r13, r12, rbp, rbx}) a.pop(r);
  a.ret();
}

}  // namespace

struct TurnCode::Runtime {
  asmjit::JitRuntime jit;
  std::array<int, TurnFrame::kPlaces> ends{};  ///< number of a place's last passage; -1: none
};

TurnCode::TurnCode() {
  for (unsigned flags = 0; flags < frame_.flagsOf.size(); ++flags) {
    // SF, ZF and CF as LAHF leaves them.
    frame_.flagsOf[flags] = static_cast<std::uint8_t>((flags >> 7 & 1u) * kN |
                                                      (flags >> 6 & 1u) * kZ | (flags & 1u) * kC);
  }
}

TurnCode::~TurnCode() = default;

bool TurnCode::possible(std::uint64_t cycles, std::uint64_t edges) {
  // Products with a word's bits are constants of 32 bits.
  constexpr std::uint64_t kMost = 1u << 25;
  const auto& has = asmjit::CpuInfo::host().features().x86();
  return asmjit::Environment::host().arch() == asmjit::Arch::kX64 && has.hasBMI() &&
         has.hasBMI2() && has.hasAVX() && has.hasLAHFSAHF() && cycles < kMost && edges < kMost;
}

Cycle TurnCode::latest(const TurnSetting& setting) {
  constexpr Cycle kLatest = Cycle{1} << 61;  // beyond are not the times of a simulation
  if (setting.cycles > kSmallDivisor && setting.edges > kSmallDivisor) return kLatest;
  return kMostDivided / 2 / setting.edges;
}

void TurnCode::forget(const TurnSetting& setting) {
  runtime_ = std::make_unique<Runtime>();
  runtime_->ends.fill(-1);
  frame_.edgeMagic = divisorOf(setting.cycles, kMostDivided).magic;
  frame_.cycleMagic = divisorOf(setting.edges, kMostDivided).magic;
  asmjit::CodeHolder holder;
  holder.init(runtime_->jit.environment());
  Assembler a(&holder);
  enter(a);
  a.align(asmjit::AlignMode::kCode, 16);
  const std::size_t out = a.offset();
  leave(a);
  const std::uint8_t* code = nullptr;
  const bool done = runtime_->jit.add(&code, &holder) == asmjit::kErrorOk;
  leave_ = done ? code + out : nullptr;  // without memory for code there is none to go on from
  enter_ =
      reinterpret_cast<void (*)(TurnFrame*, const void*)>(reinterpret_cast<std::uintptr_t>(code));
  frame_.heads.fill(leave_);
  frame_.nexts.fill(leave_);
  frame_.usable.fill(0);
}

bool TurnCode::add(const Passage& passage, const TurnSetting& setting) {
  if (leave_ == nullptr) return false;
  asmjit::CodeHolder holder;
  holder.init(runtime_->jit.environment());
  Errors errors;
  holder.setErrorHandler(&errors);
  Assembler a(&holder);
  // The first piece from a place stays the first: who comes there later jumps straight to it.
  const void* const head = frame_.heads[passage.toPlace];
  const bool again = passage.fromPlace == passage.toPlace && head == leave_;
  const GoOn goOn{head == leave_ ? nullptr : head, again};
  if (!TurnWriter(a, passage, setting, goOn).write() || errors.any) return false;
  const void* code = nullptr;
  if (runtime_->jit.add(&code, &holder) != asmjit::kErrorOk) return false;
  int& end = runtime_->ends[passage.fromPlace];
  (end < 0 ? frame_.heads[passage.fromPlace] : frame_.nexts[static_cast<unsigned>(end)]) = code;
  end = static_cast<int>(passage.number);
  return true;
}

}  // namespace rtvp::c32::blocks
