// Ports' units beside a driver that runs its own one after the other (models/debug/beside.hpp).
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "models/debug/beside.hpp"
#include "platform/debug/port.hpp"

namespace rtvp::platform {

/// Code of units of another kind than those before them in a conversation.
void addProgram(debug::Program& all, const debug::Program& more, std::size_t first,
                std::size_t units);

class PortBeside final : public debug::Beside, private DebugControl {
 public:
  explicit PortBeside(std::vector<std::unique_ptr<DebugPort>> ports) : ports_(std::move(ports)) {}

  [[nodiscard]] std::vector<debug::Unit*> units() override;
  void attach(debug::BesideHost& host) override;
  void describe(debug::Program& program, std::size_t first) const override;
  void setHalts(const std::vector<std::vector<std::uint64_t>>& halts) override;

 private:
  // DebugControl
  [[nodiscard]] bool stepping() const override { return host_->looking(); }
  [[nodiscard]] const sc_core::sc_time& limit() const override { return limit_; }
  [[nodiscard]] const sc_core::sc_event& changed() const override { return changed_; }
  [[nodiscard]] const sc_core::sc_time& moment() const override { return moment_; }
  void advancing() override { host_->unitsAdvance(); }
  void halted(tigershark::LockstepArray& /*array*/, c32::Cycle /*cycle*/) override {}
  void before(tigershark::LockstepArray& /*array*/, c32::Cycle /*cycle*/) override {}
  void after(tigershark::LockstepArray& /*array*/, c32::Cycle /*cycle*/) override {}
  bool haltedAt(const DebugPort& port, std::size_t unit, const sc_core::sc_time& time) override;
  void begins(const DebugPort& port, std::size_t unit) override;
  void ended(const DebugPort& port, std::size_t unit, const sc_core::sc_time& moment) override;
  void arrived(const DebugPort& port, std::size_t unit, const sc_core::sc_time& moment) override;

  [[nodiscard]] std::size_t numberOf(const DebugPort& port, std::size_t unit) const;

  std::vector<std::unique_ptr<DebugPort>> ports_;
  debug::BesideHost* host_ = nullptr;
  sc_core::sc_time limit_ = sc_core::sc_max_time(), moment_;
  sc_core::sc_event changed_;
};

}  // namespace rtvp::platform
