// See interrupt.hpp.
#include "platform/sweep/interrupt.hpp"

#include <atomic>

namespace rtvp::sweep {
namespace {

std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free, "set in a signal handler");

void note(int signal) {
  noted = signal;
}

}  // namespace

Interrupt::Interrupt() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note;
  // The second one does what it always does: somebody is in a hurry.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

int Interrupt::signal() {
  return noted;
}

}  // namespace rtvp::sweep
