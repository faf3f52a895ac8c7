// The non-blocking calls of TLM-2.0 for a target that is written as b_transport: initiators that
// are approximately timed (base protocol, four phases) may then bind to it, too.
//
// A request is accepted at once (TLM_UPDATED with END_REQ). When its time has come b_transport is
// called by a process of the link's own, which may wait; the response follows when the delay that
// it returned has passed. A link's requests are answered in order, one response at a time. The
// processes are made when the first non-blocking call arrives: a platform that is loosely timed has
// none.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <systemc>
#include <tlm>

namespace rtvp::common {

class AtTarget {
 public:
  /// The target's b_transport; `id` as multi sockets number what is bound to them.
  using Blocking = std::function<void(int id, tlm::tlm_generic_payload&, sc_core::sc_time&)>;
  /// nb_transport_bw of the initiator that is bound as `id`.
  using Backward = std::function<tlm::tlm_sync_enum(int id, tlm::tlm_generic_payload&,
                                                    tlm::tlm_phase&, sc_core::sc_time&)>;

  AtTarget(Blocking blocking, Backward backward);
  ~AtTarget();
  AtTarget(const AtTarget&) = delete;
  AtTarget& operator=(const AtTarget&) = delete;

  /// For register_nb_transport_fw(). Throws sc_report (/rtvp/tlm/phase) for a phase that the base
  /// protocol does not have there; phases of other protocols are ignored, as it demands.
  tlm::tlm_sync_enum forward(int id, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);

 private:
  struct Request {
    tlm::tlm_generic_payload* payload;
    sc_core::sc_time begin;
  };
  struct Link {
    std::deque<Request> requests;
    tlm::tlm_generic_payload* responding = nullptr;  ///< BEGIN_RESP sent, END_RESP not yet here
    sc_core::sc_event arrived, ended;
  };

  Link& link(int id);
  void serve(int id, Link& link);
  void answer(int id, Link& link, tlm::tlm_generic_payload& payload);

  Blocking blocking_;
  Backward backward_;
  std::map<int, std::unique_ptr<Link>> links_;
};

}  // namespace rtvp::common
