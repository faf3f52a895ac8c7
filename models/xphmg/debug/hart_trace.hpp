// Signals of a hart for `--trace`: where it is, what it does or waits for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/trace.hpp"
#include "models/debug/program.hpp"
#include "models/xphmg/hart/elf.hpp"
#include "models/xphmg/hart_module.hpp"

namespace rtvp::xphmg {

/// Watches a hart, and nothing of it changes. Times are those of its cycles.
class HartTrace final : public rv64::Observer {
 public:
  /// Declares the signals; `module` outlives the trace.
  HartTrace(const HartModule& module, const rv64::ElfImage& image, const common::TraceScope& scope);

  /// One of the signals is traced.
  [[nodiscard]] bool wanted() const { return pc_ || function_ || state_ || custom_; }

  bool before(const rv64::Hart& hart, const rv64::Decoded& instruction) override;
  void after(const rv64::Hart& hart, const rv64::Decoded& instruction, bool retired) override;
  void stalled(rv64::Spent cause, std::uint64_t cycles) override;

 private:
  /// Values of `state`, in the order of its names.
  enum class State : std::uint8_t { Running, Trap, Wfi, Queue, Device, InlineRt };
  void show(const common::TraceSignal& signal, std::uint64_t cycle, std::uint64_t value) const;
  void showState(std::uint64_t cycle, State state);
  [[nodiscard]] std::size_t functionAt(std::uint64_t pc) const;

  const HartModule& module_;
  debug::Program places_;
  common::TraceSignal pc_, function_, state_, custom_;
  State shown_ = State::Running;
  std::size_t inFunction_ = 0, inCustom_ = 0;
  bool inTrap_ = false;
  std::optional<std::uint64_t> next_;  ///< PC that follows, unless an interrupt is taken
};

}  // namespace rtvp::xphmg
