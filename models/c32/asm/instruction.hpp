// From the text of one instruction, or of the two halves of a parallel pair, to its word.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/asm/expression.hpp"
#include "models/c32/isa.hpp"
#include "models/c32/link/object.hpp"

namespace rtvp::c32 {

/// One mnemonic with its operands, somewhere in a line.
struct Half {
  std::string line;
  std::string mnemonic;  ///< upper case
  std::size_t mnemonicAt = 0;
  std::size_t operandsAt = 0;
};

/// True if `upperName` is a mnemonic in any spelling (optional 3, condition synonyms, LDP).
bool isMnemonic(const std::string& upperName);

/// A field of a word whose number the linker fills in: the value without the type's own addend.
struct FieldRelocation {
  RelocationType type = RelocationType::Absolute;
  Value value;
  std::size_t at = 0;  ///< position of the operand
};

class InstructionAssembler {
 public:
  /// `ldiPages`: LDP is LDI, not LDIU.
  InstructionAssembler(SymbolLookup lookup, bool enhanced, bool ldiPages,
                       std::function<void(std::size_t, const std::string&)> warn)
      : lookup_(std::move(lookup)),
        enhanced_(enhanced),
        ldiPages_(ldiPages),
        warn_(std::move(warn)) {}

  /// Assembles at run address `pc`, or at offset `pc` of `section` in relocatable output. Throws
  /// SourceError; half() then tells which half its position refers to.
  std::uint32_t assemble(const Half& first, const std::optional<Half>& second, std::uint32_t pc,
                         int section = -1);
  /// What the linker has to add to the word; its field is left 0.
  const std::optional<FieldRelocation>& relocation() const { return relocation_; }
  /// Splits `|| ...` off the end of a line's operands; position of the bars or npos.
  static std::size_t findBars(const std::string& line, std::size_t from);
  int half() const { return half_; }

 private:
  /// An operand as written.
  struct Written {
    enum class Kind : std::uint8_t { Register, Indirect, Direct, Expression };
    Kind kind = Kind::Expression;
    std::size_t at = 0;
    std::uint8_t number = 0;  ///< register, or n of ARn
    std::uint8_t mode = 0;    ///< Indirect: mode with the sign of a written displacement folded in
    std::int32_t displacement = 1;
    Value value;
  };
  using Operands = std::vector<Written>;

  std::uint32_t assembleOne(const Half& half, std::uint32_t pc);
  std::uint32_t assemblePair(const Half& first, const Half& second);
  std::uint32_t build(const OpInfo& row, Cond cond, const Half& half, const Operands& o,
                      std::uint32_t pc);
  std::uint32_t loadPage(const Half& half);
  void buildThree(const OpInfo& row, const Operands& o, Instruction& i);
  void buildPair(const OpInfo& row, const std::array<Half, 2>& halves,
                 const std::array<int, 2>& order, const std::array<Operands, 2>& o, Instruction& i);
  void buildOpStore(const OpInfo& row, const Operands& operation, Instruction& i);

  int registerNamed(const std::string& name) const;
  void requireKnown(const std::string& name, std::size_t at) const;
  Operands readOperands(const Half& half);
  Written readOperand(Scanner& s);
  Written readIndirect(Scanner& s);
  void readIndirectTail(Scanner& s, Written& w, int step, bool post);

  void expectCount(const Half& half, const Operands& o, std::size_t least, std::size_t most);
  [[noreturn]] void wrong(const Written& w, const std::string& expected) const;
  std::uint8_t registerOf(const Written& w, RegClass cls) const;
  Operand source(const Written& w, const OpInfo& row);
  Operand immediate(const Written& w, Immediate kind, bool halves);
  Operand generalIndirect(const Written& w) const;
  Operand shortIndirect(const Written& w, Field field) const;
  Operand enhancedOperand(const Written& w, RegClass cls) const;
  Operand target(const Written& w, const OpInfo& row, std::uint32_t pc);
  bool relocate(const Written& w, RelocationType type, std::int32_t addend = 0);
  std::int32_t integer(const Written& w) const;

  SymbolLookup lookup_;
  bool enhanced_;
  bool ldiPages_;
  std::function<void(std::size_t, const std::string&)> warn_;
  const std::string* line_ = nullptr;
  int half_ = 0;
  int section_ = -1;
  std::optional<FieldRelocation> relocation_;
};

}  // namespace rtvp::c32
