// The SL shading unit under the debugger: every pipeline is a unit.
//
// Free run: a batch of requests is worked off ahead of simulated time, as without a debugger, up to
// the control's limit. Stepping: each piece of work waits for its time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/debug/program.hpp"
#include "models/sl/debug/sl_pipeline_unit.hpp"
#include "models/sl/unit/core_control.hpp"
#include "models/sl/unit/sl_unit.hpp"
#include "platform/debug/port.hpp"

namespace rtvp::platform {

/// The shader programs in their store, at the addresses that the debugger has for it.
[[nodiscard]] debug::Program storeProgram(const debug::Program& shaders,
                                          const sl::unit::ShadingCore& core);

class SlPort final : public DebugPort, private sl::unit::CoreControl {
 public:
  struct Picture {
    std::uint32_t width = 0, height = 0;
    std::function<std::uint32_t(std::uint32_t slot)> pixelOf;
  };
  /// `unit` outlives it; `prefix`: begins the units' names ("sl." or "sl1."); `shaders`: addresses
  /// are words of the store.
  SlPort(sl::unit::SlUnit& unit, const std::string& prefix, const debug::Program& shaders,
         Picture picture);

  [[nodiscard]] std::vector<debug::Unit*> units() override;
  [[nodiscard]] debug::Program program() const override { return program_; }
  [[nodiscard]] double hertz() const override;
  [[nodiscard]] bool reaches(std::uint64_t address) const override;
  void attach(DebugControl& control) override;
  /// Whatever began before the limit has been done when that time comes.
  void comeTo(const sc_core::sc_time& /*time*/) override {}
  [[nodiscard]] sc_core::sc_time furthest() override;
  [[nodiscard]] sc_core::sc_time timeOf(std::uint64_t cycle) const override {
    return unit_.clock().of(cycle);
  }
  bool setStops(const std::vector<std::uint64_t>& addresses,
                const std::vector<bool>& units) override;

 private:
  static constexpr sl::unit::Clock kEndless = ~sl::unit::Clock{0};
  // CoreControl
  unsigned permit(sl::unit::Clock begin) override;
  [[nodiscard]] bool stepping() const override { return control_->stepping(); }
  void taken(std::uint32_t slot, bool isNew) override;
  void before(unsigned pipeline) override { control_->begins(*this, pipeline); }
  void after(unsigned pipeline, sl::unit::Clock begin) override;
  void arrived(unsigned pipeline, sl::unit::Clock begin) override {
    control_->arrived(*this, pipeline, momentOf(begin));
  }
  [[nodiscard]] bool armed() const override { return !places_.empty() || end_ != kEndless; }
  [[nodiscard]] bool halts(unsigned pipeline, std::uint32_t word, sl::unit::Clock clock) override;

  struct Halt {
    unsigned pipeline = 0;
    sl::unit::Clock clock = 0;
  };
  void tell(const Halt& halt);
  [[nodiscard]] sc_core::sc_time momentOf(sl::unit::Clock begin) const;
  [[nodiscard]] sl::RunPurpose purposeOf(std::uint32_t slot) const;

  sl::unit::SlUnit& unit_;
  debug::Program program_;
  Picture picture_;
  DebugControl* control_ = nullptr;
  std::vector<std::unique_ptr<sl::PipelineUnit>> units_;
  std::vector<bool> places_;         ///< by word of the store; empty: none
  std::vector<bool> halting_;        ///< by pipeline: places halt it
  std::vector<std::uint64_t> pass_;  ///< by pipeline: word that it may execute next all the same
  std::optional<Halt> waiting_;      ///< just now
  bool halted_ = false;
  sl::unit::Clock latest_ = 0;       ///< begin of the latest piece of work
  sl::unit::Clock end_ = 0;          ///< not stepping: the control's limit
  std::vector<std::uint32_t> runs_;  ///< by pixel: new runs taken
  std::vector<std::int64_t> runOf_;  ///< by slot: which of its pixel's
};

}  // namespace rtvp::platform
