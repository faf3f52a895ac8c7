// A pipeline of the shading unit as the debugger sees it: the run that it executes, and whose that
// is. Its address space is the program store.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "models/sl/debug/sl_run_unit.hpp"
#include "models/sl/unit/shading_core.hpp"

namespace rtvp::sl {

/// Instruction n of the program store lies at this address + n for a debugger: where no processor
/// of the platform has code, so that one conversation can be about all of them.
inline constexpr std::uint64_t kStoreSpace = std::uint64_t{0x51} << 32U;

/// What a run in a slot is for.
struct RunPurpose {
  std::int64_t x = -1, y = -1;  ///< pixel; -1: not known
  std::int64_t run = -1;        ///< which of the pixel's runs, from 0 on
};

class PipelineUnit final : public RunUnit {
 public:
  struct Surroundings {
    std::function<std::uint64_t()> cycle;  ///< of the unit, at the moment that is shown
    std::function<RunPurpose(std::uint32_t slot)> purpose;
  };
  /// `core` outlives the unit.
  PipelineUnit(std::string name, unit::ShadingCore& core, unsigned pipeline, Surroundings around);

  [[nodiscard]] std::uint64_t value(unsigned reg) const override;
  void setValue(unsigned reg, std::uint64_t raw) override;
  [[nodiscard]] std::string registerText() const override;
  [[nodiscard]] std::uint64_t addressMask() const override { return 0xFF'FFFF'FFFF; }
  [[nodiscard]] unsigned addressDigits() const override { return 10; }
  [[nodiscard]] std::optional<std::uint64_t> peek(std::uint64_t address) const override;
  /// nowhere(): there is no run.
  [[nodiscard]] std::uint64_t pc() const override;
  /// Throws debug::CommandError for a place outside the run's program.
  void setPc(std::uint64_t pc) override;
  [[nodiscard]] std::uint64_t cycle() const override { return around_.cycle(); }
  [[nodiscard]] std::uint64_t instructions() const override {
    return core_.pipelines()[pipeline_].instructions;
  }
  [[nodiscard]] std::string disassemble(std::uint64_t address) const override;

  /// Where a pipeline without a run stands: behind the store.
  [[nodiscard]] static std::uint64_t nowhere(const unit::ShadingCore& core) {
    return kStoreSpace + core.programWords();
  }
  static constexpr const char* kNowhere = "(no run)";

 private:
  [[nodiscard]] Vm* run() const override;

  unit::ShadingCore& core_;
  unsigned pipeline_;
  Surroundings around_;
};

}  // namespace rtvp::sl
