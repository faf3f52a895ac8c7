#include "models/c32/blocks/turn_code.hpp"

#include <asmjit/x86.h>

#include <cstddef>

#include "models/c32/blocks/turn_writer.hpp"
#include "models/c32/host_flags.hpp"
#include "models/hostcode/convention.hpp"
#include "models/hostcode/piece.hpp"

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

/// Passages call nobody.
hostcode::Saved saved() {
  return {hostcode::callersRegisters(), hostcode::Saved::Inside::NoCalls};
}

/// The way in.
void enter(Assembler& a) {
  saved().enter(a);
  a.mov(rbx, rdi);
  for (const Kept& k : kKept) a.mov(k.host, at(k.offset));
  a.mov(r15, at(offsetof(TurnFrame, ram)));
  a.jmp(rsi);
}

/// And out.
void leave(Assembler& a) {
  for (const Kept& k : kKept) a.mov(at(k.offset), k.host);
  saved().leave(a);
  a.ret();
}

}  // namespace

struct TurnCode::Runtime {
  asmjit::JitRuntime jit;
  std::array<int, TurnFrame::kPlaces> ends{};  ///< number of a place's last passage; -1: none
};

TurnCode::TurnCode() {
  frame_.flagsOf = flagsOfHost();
}

TurnCode::~TurnCode() = default;

bool TurnCode::possible(std::uint64_t cycles, std::uint64_t edges) {
  // Products with a word's bits are constants of 32 bits.
  constexpr std::uint64_t kMost = 1u << 25;
  using Has = asmjit::CpuFeatures::X86;
  return hostcode::hostHas({Has::kBMI, Has::kBMI2, Has::kAVX, Has::kLAHFSAHF}) && cycles < kMost &&
         edges < kMost;
}

bool TurnCode::lapsPossible() {
  return hostcode::hostHas({asmjit::CpuFeatures::X86::kAVX2});
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
  hostcode::Piece piece(runtime_->jit);
  enter(piece.to());
  const std::size_t out = piece.entry();
  leave(piece.to());
  const std::uint8_t* const code = piece.keep(runtime_->jit);
  leave_ = code != nullptr ? code + out : nullptr;  // without memory there is none to go on from
  enter_ = hostcode::asFunction<decltype(enter_)>(code);
  frame_.heads.fill(leave_);
  firsts_.fill(leave_);
  stops_.fill(false);
  frame_.nexts.fill(leave_);
  frame_.usable.fill(0);
}

bool TurnCode::add(const Passage& passage, const TurnSetting& setting) {
  if (leave_ == nullptr) return false;
  hostcode::Piece piece(runtime_->jit);
  if (!TurnWriter(piece.to(), passage, setting).write()) return false;
  const void* const code = piece.keep(runtime_->jit);
  if (code == nullptr) return false;
  int& end = runtime_->ends[passage.fromPlace];
  if (end < 0) {
    firsts_[passage.fromPlace] = code;
    if (!stops_[passage.fromPlace]) frame_.heads[passage.fromPlace] = code;
  } else {
    frame_.nexts[static_cast<unsigned>(end)] = code;
  }
  end = static_cast<int>(passage.number);
  return true;
}

TurnCode::Lap TurnCode::addLap(const Summary& from, const Summary& lap,
                               const TurnSetting& setting) {
  if (leave_ == nullptr || !lapsPossible()) return nullptr;
  hostcode::Piece piece(runtime_->jit);
  Passage passage;
  passage.from = &from;
  passage.to = &lap;
  if (!TurnWriter(piece.to(), passage, setting).writeLap()) return nullptr;
  const void* const code = piece.keep(runtime_->jit);
  return code == nullptr ? nullptr : hostcode::asFunction<Lap>(code);
}

}  // namespace rtvp::c32::blocks
