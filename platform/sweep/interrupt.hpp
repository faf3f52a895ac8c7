// Ctrl-C in a sweep: what has run is kept, what runs is ended.
#pragma once

#include <csignal>

namespace rtvp::sweep {

/// While it lives, SIGINT and SIGTERM are noted instead of ending the process; a second one ends
/// it. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that came, or 0.
  [[nodiscard]] static int signal();

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

}  // namespace rtvp::sweep
