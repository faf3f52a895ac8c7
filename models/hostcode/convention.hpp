// What host code may count on: the host's instructions, and the registers of those who call it
// (System V, x86-64).
#pragma once

#include <asmjit/x86.h>

#include <initializer_list>
#include <span>

namespace rtvp::hostcode {

/// This host is one that code can be made for, and has all of these.
[[nodiscard]] bool hostHas(std::initializer_list<asmjit::CpuFeatures::X86::Id> features);

/// The registers that a function must leave as they were, but for the stack's.
[[nodiscard]] std::span<const asmjit::x86::Gp> callersRegisters();

/// Kept on the stack from the way into a piece of code to the way out.
class Saved {
 public:
  /// Calls: the code calls functions, which find the stack aligned to 16 bytes as they expect.
  enum class Inside : bool { NoCalls, Calls };
  Saved(std::span<const asmjit::x86::Gp> registers, Inside inside);
  /// First of all: nothing else may lie on the stack between the caller and what is kept.
  void enter(asmjit::x86::Assembler& a) const;
  /// Last but for the return.
  void leave(asmjit::x86::Assembler& a) const;

 private:
  std::span<const asmjit::x86::Gp> registers_;
  bool pads_;
};

}  // namespace rtvp::hostcode
