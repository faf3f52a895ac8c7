// Where a bus monitor or a protocol checker can stand between any two sockets that this library
// binds itself: within a board, at the PCI bus, at a computer's interconnect.
//
// A process has at most one tap. Set it before the modules are made; while there is none, sockets
// are bound to each other as usual. A tap must pass everything on and add no time.
#pragma once

#include <tlm>

namespace rtvp::common {

class SocketTap {
 public:
  using Target = tlm::tlm_target_socket<32>;
  using Initiator = tlm::tlm_initiator_socket<32>;
  /// What stands between two sockets: `target` for the initiator, `initiator` for the target. Both
  /// outlive the simulation.
  struct Between {
    Target& target;
    Initiator& initiator;
  };
  /// The sockets' full names.
  virtual Between between(const char* initiator, const char* target) = 0;

  [[nodiscard]] static SocketTap* current() { return current_; }
  /// Null: none any more.
  static void set(SocketTap* tap) { current_ = tap; }

 protected:
  ~SocketTap() = default;

 private:
  inline static SocketTap* current_ = nullptr;
};

/// initiator.bind(target), through the tap if there is one.
template <class Initiator, class Target>
void bindSockets(Initiator& initiator, Target& target) {
  SocketTap* const tap = SocketTap::current();
  if (tap == nullptr) return initiator.bind(target);
  const SocketTap::Between between =
      tap->between(initiator.get_base_port().name(), target.get_base_export().name());
  initiator.bind(between.target);
  between.initiator.bind(target);
}

}  // namespace rtvp::common
