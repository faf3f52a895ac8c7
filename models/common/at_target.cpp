// See at_target.hpp.
#include "models/common/at_target.hpp"

#include <utility>

#include "models/common/report_ids.hpp"

namespace rtvp::common {

using sc_core::sc_time;

AtTarget::AtTarget(Blocking blocking, Backward backward)
    : blocking_(std::move(blocking)), backward_(std::move(backward)) {}

AtTarget::~AtTarget() = default;

AtTarget::Link& AtTarget::link(int id) {
  std::unique_ptr<Link>& found = links_[id];
  if (!found) {
    found = std::make_unique<Link>();
    sc_core::sc_spawn([this, id, made = found.get()] { serve(id, *made); });
  }
  return *found;
}

tlm::tlm_sync_enum AtTarget::forward(int id, tlm::tlm_generic_payload& payload,
                                     tlm::tlm_phase& phase, sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    Link& to = link(id);
    if (payload.has_mm()) payload.acquire();
    to.requests.push_back({&payload, sc_core::sc_time_stamp() + delay});
    to.arrived.notify();
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  if (phase == tlm::END_RESP) {
    Link& to = link(id);
    if (to.responding == &payload) {
      to.responding = nullptr;
      to.ended.notify(delay);
      return tlm::TLM_COMPLETED;
    }
  }
  if (phase == tlm::END_RESP || phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
    const std::string text = "found phase " + std::string(phase.get_name()) +
                             " on the forward path, expected BEGIN_REQ or the END_RESP of a "
                             "transaction that waits for it";
    SC_REPORT_ERROR(report_ids::kTlmPhase, text.c_str());
  }
  return tlm::TLM_ACCEPTED;
}

void AtTarget::serve(int id, Link& link) {
  for (;;) {
    while (link.requests.empty()) sc_core::wait(link.arrived);
    const Request request = link.requests.front();
    link.requests.pop_front();
    if (request.begin > sc_core::sc_time_stamp()) {
      sc_core::wait(request.begin - sc_core::sc_time_stamp());
    }
    sc_time delay = sc_core::SC_ZERO_TIME;
    blocking_(id, *request.payload, delay);
    // Also without a delay: the response must not overtake the return of the request's call.
    sc_core::wait(delay);
    answer(id, link, *request.payload);
    if (request.payload->has_mm()) request.payload->release();
  }
}

void AtTarget::answer(int id, Link& link, tlm::tlm_generic_payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_time delay = sc_core::SC_ZERO_TIME;
  link.responding = &payload;
  const tlm::tlm_sync_enum done = backward_(id, payload, phase, delay);
  if (done == tlm::TLM_ACCEPTED) {
    if (link.responding != nullptr) sc_core::wait(link.ended);
    return;
  }
  link.responding = nullptr;
  if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
}

}  // namespace rtvp::common
