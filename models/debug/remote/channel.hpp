// Messages to and from one client of the debugger, whole, whatever carries them.
#pragma once

#include <optional>
#include <string>

namespace rtvp::debug {

class Channel {
 public:
  virtual ~Channel() = default;
  /// The client's next message, waited for; empty: it is gone.
  virtual std::optional<std::string> receive() = 0;
  /// receive() would not wait. Costs next to nothing: simulations ask often.
  [[nodiscard]] virtual bool waiting() const = 0;
  virtual void send(const std::string& message) = 0;
};

}  // namespace rtvp::debug
