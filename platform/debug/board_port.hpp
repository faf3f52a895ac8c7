// TigerSHARK boards under the debugger: every DSP is a unit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/debug/unit.hpp"
#include "models/tigershark/board.hpp"
#include "platform/debug/port.hpp"

namespace rtvp::platform {

class BoardPort final : public DebugPort {
 public:
  /// `boards` and `program` outlive it; `instance`: begins the units' names where there are several
  /// machines of the kind ("tigershark1.").
  BoardPort(const std::vector<std::unique_ptr<tigershark::Board>>& boards,
            const c32::Image& program, const std::string& instance);
  ~BoardPort() override;

  [[nodiscard]] std::vector<debug::Unit*> units() override;
  [[nodiscard]] debug::Program program() const override;
  [[nodiscard]] double hertz() const override;
  [[nodiscard]] std::vector<debug::EventKind> events() const override;
  [[nodiscard]] bool reaches(std::uint64_t address) const override {
    return address <= c32::kAddressMask;
  }
  void attach(DebugControl& control) override;
  void comeTo(const sc_core::sc_time& time) override;
  [[nodiscard]] sc_core::sc_time furthest() override;
  [[nodiscard]] sc_core::sc_time timeOf(std::uint64_t cycle) const override;
  bool setStops(const std::vector<std::uint64_t>& addresses,
                const std::vector<bool>& units) override;
  bool before(const tigershark::LockstepArray& array, std::size_t first,
              DebugObserver& observer) override;
  void after(const tigershark::LockstepArray& array, std::size_t first,
             DebugObserver& observer) override;
  [[nodiscard]] bool polled() const override { return true; }
  void poll(std::size_t first, DebugObserver& observer) override;

  /// A processor that a report of failure names.
  struct Suspect {
    std::size_t unit = 0;  ///< of units()
    /// The cycle of its failure; empty: it has not failed.
    std::optional<c32::Cycle> failed;
    /// Internal address of a word that is no instruction.
    std::optional<std::uint64_t> word;
  };
  /// Those that have failed; where none has, one for each place that DSPs stand at, four at most.
  [[nodiscard]] std::vector<Suspect> suspects() const;

 private:
  class Lane;
  struct Group;
  void parts(const Group& group, std::size_t first, DebugObserver& observer) const;
  const std::vector<std::unique_ptr<tigershark::Board>>& boards_;
  const c32::Image& program_;
  const DebugControl* control_ = nullptr;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<std::unique_ptr<Group>> groups_;  ///< a board each
  std::unique_ptr<c32::StopPlaces> places_;     ///< null: none
};

}  // namespace rtvp::platform
