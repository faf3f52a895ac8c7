// Writes the host code of a routine (routine_plan.hpp), for AVX2 or AVX-512VL on 128 and 256 bits.
//
// Host registers: rdi the core's register array, eax, ecx and edx what is under way; the code
// returns the number of its ending. Vectors hold registers of the core as they are ("raw") and
// widened with their signs to 64 bits, found by State; a register that was written is stored where
// the routine is left, or when its vector is needed for another. So what is overwritten before is
// never stored, and an exit in front of a row leaves everything as the row finds it.
//
// Arithmetic is kernels_body.hpp's, which explains it; what that gives to Loop::rare leaves here in
// front of the row.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/theia/fast/routine_plan.hpp"

namespace rtvp::theia::fast {

class RoutineWriter {
 public:
  /// `wide`: the host has AVX-512VL.
  RoutineWriter(asmjit::x86::Assembler& a, const RoutinePlan& plan, bool wide);
  /// Once; endings by the number that the code returns.
  std::vector<Ending> write();

 private:
  using Mem = asmjit::x86::Mem;
  using Gp = asmjit::x86::Gp;
  static constexpr unsigned kVectors = 16;
  static constexpr std::int8_t kNowhere = -1;

  /// Where the core's registers are, at one place of the code.
  struct State {
    std::array<std::int8_t, kPlaces> raw, wide;   ///< vectors
    std::bitset<kPlaces> stored;                  ///< memory has it, too
    std::bitset<kPlaces> exact;                   ///< within the multiplier's exact range
    std::array<std::uint32_t, kVectors> used{};   ///< row that used a vector last
    std::array<std::uint16_t, kVectors> holds{};  ///< entries of raw and wide that name it
    struct Lane {
      std::uint16_t offset;
      std::uint32_t value;
    };
    std::vector<Lane> known;  ///< lanes that are constant
    State();
  };
  /// What is written when the way under way has ended.
  struct Branch {
    asmjit::Label label;
    State state;
    Segment::Next next;
  };
  /// Constants that lie behind the code, four or eight words each.
  enum class Constant : std::uint8_t {
    Ones,
    OneX,
    OneY,
    OneZ,
    Fraction,
    Signs,
    Large,
    Lanes,  ///< the sign bits of three lanes
    WideSign,
    Above,
    Scale,  ///< 2^17
    Turned,
    Count
  };

  void segment(std::int32_t number);
  void row(const Row& row);
  void come(const Segment::Next& next);
  void leave(const Ending& ending);
  asmjit::Label later(const Segment::Next& next);
  void branch(const Segment& s, const Row& row);
  [[nodiscard]] asmjit::Operand operandOf(unsigned offset, const Gp& into);
  void branchIfSame(const Row& row, bool same, const asmjit::Label& there,
                    const asmjit::Label& here);
  void constants();

  // ---- registers ----
  static unsigned placeOf(unsigned offset) { return static_cast<unsigned>(offset / sizeof(Lanes)); }
  static std::uint16_t offsetOf(unsigned place, unsigned lane) {
    return static_cast<std::uint16_t>(sizeof(Lanes) * place + sizeof(std::uint32_t) * lane);
  }
  static Mem memory(unsigned place, unsigned bytes) {
    return Mem(asmjit::x86::rdi, static_cast<std::int32_t>(place * sizeof(Lanes)), bytes);
  }
  static asmjit::x86::Xmm x(unsigned v) { return asmjit::x86::xmm(v); }
  static asmjit::x86::Ymm y(unsigned v) { return asmjit::x86::ymm(v); }
  [[nodiscard]] Mem constant(Constant c, unsigned bytes) const;
  unsigned take();
  void use(unsigned v) { state_.used[v] = now_; }
  void evict(unsigned v);
  void store(unsigned place);
  unsigned rawOf(unsigned place);
  unsigned wideOf(unsigned place);
  /// A new register with what `instruction` makes of a place's three numbers, wherever they are.
  unsigned fromRaw(asmjit::x86::Inst::Id instruction, unsigned place, bool wide);
  void becomes(unsigned place, unsigned v);
  void copy(unsigned d, unsigned a);
  void forget(unsigned place);
  void keepLanes(unsigned d, unsigned old, unsigned lane, std::uint32_t value);
  [[nodiscard]] std::optional<std::uint32_t> known(unsigned offset) const;
  Gp lane(unsigned offset, const Gp& into);

  // ---- arithmetic: of places, into a vector that the row has taken ----
  void requireExact(unsigned place);
  void exitIf(asmjit::x86::CondCode condition);
  void sum(unsigned d, unsigned a, unsigned b, bool subtract);
  void step(unsigned d, unsigned a, Constant by, bool subtract);
  void product(unsigned d, unsigned a, unsigned b, bool lifted);
  void multiply(unsigned d, unsigned a, unsigned b);
  void cross(unsigned d, unsigned a, unsigned b);
  void dot(unsigned d, unsigned a, unsigned b);
  void divide(unsigned d, unsigned a, unsigned b);
  void select(unsigned low, unsigned high);
  void setLane(unsigned d, unsigned old, unsigned lane, std::uint32_t value);
  void simple(const Row& row, unsigned d);

  asmjit::x86::Assembler& a_;
  const RoutinePlan& plan_;
  bool wide_;
  State state_;
  std::uint32_t segment_ = 0;  ///< the one under way
  std::uint32_t row_ = 0;      ///< of it
  std::uint32_t now_ = 0;      ///< rows written so far
  std::bitset<kVectors> taken_;
  std::vector<Branch> branches_;
  std::vector<Ending> endings_;
  asmjit::Label constants_, out_;
};

}  // namespace rtvp::theia::fast
