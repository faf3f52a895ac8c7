// Writes the host code of one block. Internal to the hart.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/hostcode/piece.hpp"
#include "models/xphmg/hart/isa.hpp"
#include "models/xphmg/hart/translate/code_frame.hpp"
#include "models/xphmg/hart/translate/course.hpp"

namespace rtvp::rv64 {

/// What blocks depend on besides their instructions.
struct CodeSurroundings {
  std::uint64_t base = 0;   ///< of the RAM
  std::uint64_t limit = 0;  ///< its bytes, below 2^31
  std::int32_t floats = 0;  ///< bytes from x0 to f0
  const void* leave = nullptr;
  unsigned line_bits = 0;  ///< Hart::kLineBits
  unsigned page_bits = 0;  ///< Hart::kPageBits
  /// Where the address of the code at a PC is kept; null: nowhere.
  std::function<const void* const*(std::uint64_t pc)> entry;
  /// Where executions of the instruction at a PC are counted; null: nowhere.
  std::function<std::uint64_t*(std::uint64_t pc)> counter;
};

/// Code that all blocks share: the way in, and the way out at `leave`.
struct SharedCode {
  std::size_t leave = 0;  ///< bytes from the begin
  void make(hostcode::Piece& to);
};

class BlockCode {
 public:
  BlockCode(asmjit::x86::Assembler& to, const CodeSurroundings& around);

  /// The instructions follow each other from `pc` on; only the last may be Course::Jump, and what
  /// is behind it is the interpreter's if `aside`.
  void make(std::uint64_t pc, std::span<const Decoded> instructions, bool aside);

 private:
  using Gp = asmjit::x86::Gp;
  using Mem = asmjit::x86::Mem;
  using Xmm = asmjit::x86::Xmm;
  using Label = asmjit::Label;
  /// Code behind the block that is seldom needed.
  struct Way {
    Label from;
    std::uint64_t target;  ///< bit 0: the interpreter's
    std::uint32_t undone;  ///< instructions that have been counted and do not run
  };

  void head();
  void instruction(const Decoded& d);
  void straight(const Decoded& d);
  void count();
  bool integer(const Decoded& d);
  bool immediate(const Decoded& d);
  bool multiply(const Decoded& d);
  bool memory(const Decoded& d);
  void branch(const Decoded& d);
  void jumpRegister(const Decoded& d);
  bool floating(const Decoded& d);
  bool floatMove(const Decoded& d);
  bool floatConversion(const Decoded& d);

  // --- registers of the hart
  static bool mapped(unsigned x);
  static Gp host(unsigned x);
  static Mem home(unsigned x, unsigned size = 8);
  static Mem frame(std::size_t offset, unsigned size = 8);
  Gp read(unsigned x, const Gp& spare);
  void readInto(const Gp& to, unsigned x);
  void write(unsigned x, const Gp& from);
  void constant(const Gp& to, std::uint64_t value);
  Gp target(unsigned rd) const;

  // --- operations
  void threeOperands(const Decoded& d, unsigned instruction, bool commutes);
  void apply(unsigned instruction, const Gp& to, unsigned x);
  void twoOperands(const Decoded& d, unsigned instruction);
  void words(const Decoded& d, unsigned instruction);
  void shift(const Decoded& d, unsigned instruction, bool word, bool by_register);
  void lessThan(const Decoded& d, bool is_signed, bool by_register);
  void compare(unsigned a, unsigned b);
  void addImmediate(const Decoded& d);
  void divide(const Decoded& d, bool word, bool is_signed, bool remainder);
  void highProduct(const Decoded& d);
  void address(const Decoded& d, unsigned size);
  void checkStore();
  void load(const Decoded& d, unsigned size, bool is_signed);
  void store(const Decoded& d, unsigned size);

  // --- floating point
  Mem f(unsigned n, unsigned size = 8, unsigned offset = 0) const;
  void boxed(unsigned n);
  void box(unsigned n);
  void readFloat(const Xmm& to, unsigned n, bool single);
  void writeFloat(unsigned n, const Xmm& from, bool single);
  void notNan(const Xmm& x, bool single);
  void arithmetic(const Decoded& d, unsigned instruction, bool single);
  void root(const Decoded& d, bool single);
  void fused(const Decoded& d, unsigned instruction, bool single);
  void sign(const Decoded& d, bool negate, bool exclusive, bool single);
  void smaller(const Decoded& d, unsigned instruction, bool single);
  void comparison(const Decoded& d, bool single);
  void fromInteger(const Decoded& d, bool single);
  void toInteger(const Decoded& d, bool word, bool single);

  // --- ways out
  Label slow();
  Label away(std::uint64_t target, std::uint32_t undone);
  void chain(std::uint64_t target);
  void ways();

  asmjit::x86::Assembler& a_;
  const CodeSurroundings& around_;
  Label start_;
  std::uint64_t first_ = 0;  ///< PC of the block
  std::uint64_t pc_ = 0;     ///< of the instruction in progress
  std::uint32_t count_ = 0;  ///< instructions of the block
  std::uint32_t done_ = 0;   ///< in front of the one in progress
  std::vector<Way> ways_;
};

}  // namespace rtvp::rv64
