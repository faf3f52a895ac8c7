// A piece of host code: written with asmjit, then put where the host executes it.
#pragma once

#include <asmjit/x86.h>

#include <cstddef>
#include <cstdint>

namespace rtvp::hostcode {

/// Whatever goes wrong on the way - an instruction that the host does not have as it was asked for,
/// a label that nothing binds, no memory for code - there is no code, and the plain twin goes on.
class Piece {
 public:
  /// `memory`: where it will be kept, of which it takes the environment only.
  explicit Piece(const asmjit::JitRuntime& memory);
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  [[nodiscard]] asmjit::x86::Assembler& to() { return to_; }
  /// What follows is jumped to from elsewhere: how many bytes it is from the begin.
  std::size_t entry();
  /// In the memory, once all is written; null: there is no code.
  [[nodiscard]] const std::uint8_t* keep(asmjit::JitRuntime& memory);
  /// Bytes of what was kept.
  [[nodiscard]] std::size_t size() const { return holder_.codeSize(); }

 private:
  struct Errors final : asmjit::ErrorHandler {
    bool any = false;
    void handleError(asmjit::Error code, const char* text, asmjit::BaseEmitter* origin) override;
  };

  Errors errors_;
  asmjit::CodeHolder holder_;
  asmjit::x86::Assembler to_;
};

/// Code as a function of the type `F`.
template <class F>
[[nodiscard]] F asFunction(const void* code) {
  return reinterpret_cast<F>(reinterpret_cast<std::uintptr_t>(code));
}

}  // namespace rtvp::hostcode
