// The tapes and programs that a unit runs, as the debugger has them. An address is an instruction:
// of a tape its position, of a program that has no tape the number of its clause; the codes of
// several objects lie kCodeRoom apart.
//
// A tape in register form keeps its addresses: each clause comes from one instruction. Those that
// move values on the stacks alone leave none, and are no code then.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/debug/program.hpp"
#include "models/implicit/registers/program.hpp"
#include "models/implicit/render/evaluation_watch.hpp"

namespace rtvp::implicit {

inline constexpr std::uint64_t kCodeRoom = 0x1'0000;

/// One of them.
struct DebugCode {
  std::string name;                                   ///< its symbol, the first executed
  std::string file;                                   ///< of `lines`
  std::shared_ptr<const Tape> tape;                   ///< or
  std::shared_ptr<const registers::Program> program;  ///< as decode() numbers its clauses
  std::vector<std::uint32_t> lines;                   ///< of each instruction; empty: not known

  std::uint64_t stop = 0;  ///< where OPStop is, which may stand behind all that is written
  /// Where a clause comes from, of a program made of this.
  [[nodiscard]] std::uint64_t origin(const registers::Clause& clause) const;
};

/// How tapes run.
enum class DebugForm : std::uint8_t {
  Stacks,  ///< on stacks
  Masks,   ///< on stacks, but for derivatives, which run the register form
  Rows,    ///< in register form, but for materials
};

class DebugCodes {
 public:
  explicit DebugCodes(DebugForm form) : form_(form) {}
  /// Of one object more, in the order of the object table.
  void add(DebugCode code);
  /// The next object runs what object `other` does.
  void addSame(std::size_t other) { ofObject_.push_back(ofObject_.at(other)); }

  [[nodiscard]] const std::vector<DebugCode>& all() const { return codes_; }
  [[nodiscard]] DebugForm form() const { return form_; }
  [[nodiscard]] unsigned addressDigits() const { return codes_.size() > 1 ? 6 : 4; }
  /// Of an object's code.
  [[nodiscard]] std::uint64_t start(std::uint32_t object) const {
    return kCodeRoom * ofObject_.at(object);
  }
  [[nodiscard]] const DebugCode& of(std::uint32_t object) const {
    return codes_.at(ofObject_.at(object));
  }
  /// Null: there is none.
  [[nodiscard]] const DebugCode* at(std::uint64_t address) const {
    const std::uint64_t number = address / kCodeRoom;
    return number < codes_.size() ? &codes_[number] : nullptr;
  }
  [[nodiscard]] debug::Program program() const;

  // ---- what an evaluation executes of them

  /// It runs the register form.
  [[nodiscard]] static bool inRows(const render::Evaluation& what);
  /// The address of what the run calls `at` (RunWatch::before).
  [[nodiscard]] std::uint64_t address(const render::Evaluation& what, std::size_t at) const;
  /// The reverse, for a place in the object's code; empty: the evaluation does not execute the
  /// instruction there.
  [[nodiscard]] std::optional<std::size_t> executed(const render::Evaluation& what,
                                                    std::uint64_t place) const;

 private:
  DebugForm form_;
  std::vector<DebugCode> codes_;
  std::vector<std::size_t> ofObject_;
};

}  // namespace rtvp::implicit
