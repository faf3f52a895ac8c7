// Whoever holds a hart between two instructions: a debugger.
#pragma once

namespace rtvp::xphmg {

class HartControl {
 public:
  virtual ~HartControl() = default;
  /// The hart has stopped (rv64::Stop::Breakpoint); it goes on when this returns.
  virtual void stopped() = 0;
  /// The hart stands between two stretches of its run, as it does now and then.
  virtual void between() = 0;
  /// The run is not to go on.
  [[nodiscard]] virtual bool left() const = 0;
};

}  // namespace rtvp::xphmg
