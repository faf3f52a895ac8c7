// Sits between an initiator and a target and says where one of them leaves the TLM-2.0 base
// protocol (IEEE 1666-2011, clauses 11, 14 and 15): attributes that an initiator must set and a
// target must leave alone, response status, time that runs backwards, phases out of order,
// transactions without memory management, direct memory grants that do not cover what was asked
// for, debug access that claims more than it was given.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace rtvp::test {

template <unsigned kWidth = 32>
class TlmChecker : public sc_core::sc_module {
 public:
  using Payload = tlm::tlm_generic_payload;
  tlm_utils::passthrough_target_socket<TlmChecker, kWidth> tsock{"tsock"};
  tlm_utils::simple_initiator_socket<TlmChecker, kWidth> isock{"isock"};

  explicit TlmChecker(sc_core::sc_module_name name) : sc_module(name) {
    tsock.register_b_transport(this, &TlmChecker::blocking);
    tsock.register_nb_transport_fw(this, &TlmChecker::forward);
    tsock.register_get_direct_mem_ptr(this, &TlmChecker::pointer);
    tsock.register_transport_dbg(this, &TlmChecker::debug);
    isock.register_nb_transport_bw(this, &TlmChecker::backward);
    isock.register_invalidate_direct_mem_ptr(this, &TlmChecker::invalidate);
  }

  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  /// All at once, for a failing test.
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& one : problems_) all += one + "\n";
    return all;
  }

 private:
  struct Snapshot {
    explicit Snapshot(const Payload& p)
        : command(p.get_command()),
          address(p.get_address()),
          data(p.get_data_ptr()),
          enables(p.get_byte_enable_ptr()),
          length(p.get_data_length()),
          streaming(p.get_streaming_width()),
          period(p.get_byte_enable_length()) {
      if (data != nullptr) bytes.assign(data, data + length);
      if (enables != nullptr) pattern.assign(enables, enables + period);
    }
    tlm::tlm_command command;
    sc_dt::uint64 address;
    const unsigned char *data, *enables;
    unsigned length, streaming, period;
    std::vector<unsigned char> bytes, pattern;
  };
  struct Transaction {
    Snapshot before;
    tlm::tlm_phase phase;
  };

  void problem(const Payload& payload, const std::string& what) {
    if (problems_.size() >= 50) return;
    problems_.push_back(std::string(name()) + ": " + what + " (command " +
                        std::to_string(payload.get_command()) + ", address " +
                        std::to_string(payload.get_address()) + ", length " +
                        std::to_string(payload.get_data_length()) + ")");
  }

  /// What an initiator owes.
  void checkRequest(const Payload& p) {
    if (p.get_data_ptr() == nullptr && p.get_command() != tlm::TLM_IGNORE_COMMAND) {
      problem(p, "initiator: no data pointer");
    }
    if (p.get_data_length() == 0) problem(p, "initiator: data length 0");
    if (p.get_streaming_width() == 0) problem(p, "initiator: streaming width 0");
    if (p.get_byte_enable_ptr() != nullptr && p.get_byte_enable_length() == 0) {
      problem(p, "initiator: byte enables of length 0");
    }
    if (p.is_dmi_allowed()) problem(p, "initiator: DMI hint set");
    if (p.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
      problem(p, "initiator: response status is not incomplete");
    }
  }
  /// What a target owes when it has answered.
  void checkResponse(const Payload& p, const Snapshot& before) {
    if (p.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
      problem(p, "target: response status left incomplete");
    }
    checkUntouched(p, before);
    if (p.get_command() == tlm::TLM_READ_COMMAND && before.data != nullptr) {
      for (unsigned i = 0; i < before.length && before.enables != nullptr && before.period != 0;
           ++i) {
        if (before.pattern[i % before.period] != 0) continue;
        if (before.data[i] != before.bytes[i]) {
          problem(p, "target: read data in a byte that is not enabled");
          break;
        }
      }
    }
    if (p.is_response_error() && p.is_read() &&
        !std::equal(before.bytes.begin(), before.bytes.end(), before.data)) {
      dataOfErrors_ = true;  // allowed: the data of a failed read is undefined
    }
  }
  void checkUntouched(const Payload& p, const Snapshot& before) {
    if (p.get_command() != before.command) problem(p, "target: changed the command");
    if (p.get_address() != before.address) problem(p, "target: changed the address");
    if (p.get_data_ptr() != before.data) problem(p, "target: changed the data pointer");
    if (p.get_data_length() != before.length) problem(p, "target: changed the length");
    if (p.get_streaming_width() != before.streaming) problem(p, "target: changed the width");
    if (p.get_byte_enable_ptr() != before.enables || p.get_byte_enable_length() != before.period) {
      problem(p, "target: changed the byte enables' place");
    } else if (before.enables != nullptr &&
               !std::equal(before.pattern.begin(), before.pattern.end(), before.enables)) {
      problem(p, "target: changed the byte enables");
    }
    if (before.command != tlm::TLM_READ_COMMAND && before.data != nullptr &&
        !std::equal(before.bytes.begin(), before.bytes.end(), before.data)) {
      problem(p, "target: changed the data of what is no read");
    }
  }

  void blocking(Payload& p, sc_core::sc_time& delay) {
    ++calls_;
    checkRequest(p);
    const Snapshot before(p);
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    isock->b_transport(p, delay);
    if (sc_core::sc_time_stamp() + delay < at) problem(p, "target: time runs backwards");
    checkResponse(p, before);
  }

  bool pointer(Payload& p, tlm::tlm_dmi& dmi) {
    ++calls_;
    if (!p.is_read() && !p.is_write()) problem(p, "initiator: DMI for neither read nor write");
    const bool granted = isock->get_direct_mem_ptr(p, dmi);
    if (dmi.get_start_address() > dmi.get_end_address())
      problem(p, "target: DMI region ends first");
    if (!granted) return false;
    if (dmi.get_dmi_ptr() == nullptr) problem(p, "target: DMI granted without a pointer");
    if (p.get_address() < dmi.get_start_address() || p.get_address() > dmi.get_end_address()) {
      problem(p, "target: DMI region without the address that was asked for");
    }
    if (p.is_read() ? !dmi.is_read_allowed() : !dmi.is_write_allowed()) {
      problem(p, "target: DMI granted, but not for the command that was asked for");
    }
    return true;
  }

  unsigned debug(Payload& p) {
    ++calls_;
    const Snapshot before(p);
    const sc_core::sc_time at = sc_core::sc_time_stamp();
    const unsigned moved = isock->transport_dbg(p);
    if (sc_core::sc_time_stamp() != at) problem(p, "target: debug access takes time");
    if (moved > before.length) problem(p, "target: debug access moved more than it was given");
    checkUntouched(p, before);
    return moved;
  }

  tlm::tlm_sync_enum forward(Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    ++calls_;
    if (phase == tlm::BEGIN_REQ) {
      if (open_.contains(&p)) problem(p, "initiator: BEGIN_REQ of a transaction under way");
      if (requesting_ != nullptr) problem(p, "initiator: BEGIN_REQ before the last END_REQ");
      if (!p.has_mm() || p.get_ref_count() < 1) problem(p, "initiator: no memory management");
      checkRequest(p);
      open_.emplace(&p, Transaction{Snapshot(p), phase});
      requesting_ = &p;
    } else if (phase == tlm::END_RESP) {
      const auto found = open_.find(&p);
      if (found == open_.end() || found->second.phase != tlm::BEGIN_RESP) {
        problem(p, "initiator: END_RESP without BEGIN_RESP");
      }
      responding_ = nullptr;
      open_.erase(&p);
    } else {
      problem(p, "initiator: a phase that does not go forward");
    }
    const bool last = phase == tlm::END_RESP;
    const sc_core::sc_time before = delay;
    const tlm::tlm_sync_enum done = isock->nb_transport_fw(p, phase, delay);
    if (done == tlm::TLM_UPDATED && delay < before) problem(p, "target: time runs backwards");
    if (!last) returned(p, done, phase);
    return done;
  }
  /// What a call forward brought back.
  void returned(Payload& p, tlm::tlm_sync_enum done, const tlm::tlm_phase& phase) {
    if (done == tlm::TLM_COMPLETED) {
      close(p);
    } else if (done == tlm::TLM_UPDATED) {
      reach(p, phase);
    } else if (phase != tlm::BEGIN_REQ) {
      problem(p, "target: TLM_ACCEPTED with another phase");
    }
  }
  void close(Payload& p) {
    if (const auto found = open_.find(&p); found != open_.end())
      checkResponse(p, found->second.before);
    if (requesting_ == &p) requesting_ = nullptr;
    if (responding_ == &p) responding_ = nullptr;
    open_.erase(&p);
  }
  /// The target has taken the transaction to `phase`.
  void reach(Payload& p, const tlm::tlm_phase& phase) {
    const auto found = open_.find(&p);
    if (found == open_.end()) return problem(p, "target: a phase of no transaction");
    tlm::tlm_phase& now = found->second.phase;
    if (phase == tlm::END_REQ) {
      if (now != tlm::BEGIN_REQ) problem(p, "target: END_REQ without BEGIN_REQ");
    } else if (phase == tlm::BEGIN_RESP) {
      if (now != tlm::BEGIN_REQ && now != tlm::END_REQ) problem(p, "target: second BEGIN_RESP");
      if (responding_ != nullptr) problem(p, "target: BEGIN_RESP before the last END_RESP");
      responding_ = &p;
      checkResponse(p, found->second.before);
    } else {
      problem(p, "target: a phase that does not go backward");
    }
    if (requesting_ == &p) requesting_ = nullptr;
    now = phase;
  }

  tlm::tlm_sync_enum backward(Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    ++calls_;
    reach(p, phase);
    const tlm::tlm_phase sent = phase;
    const tlm::tlm_sync_enum done = tsock->nb_transport_bw(p, phase, delay);
    if (sent != tlm::BEGIN_RESP || done == tlm::TLM_ACCEPTED) return done;
    if (done == tlm::TLM_UPDATED && phase != tlm::END_RESP) {
      problem(p, "initiator: TLM_UPDATED without END_RESP");
    }
    responding_ = nullptr;
    open_.erase(&p);
    return done;
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
    tsock->invalidate_direct_mem_ptr(first, last);
  }

  std::vector<std::string> problems_;
  std::uint64_t calls_ = 0;
  std::map<const Payload*, Transaction> open_;
  const Payload* requesting_ = nullptr;
  const Payload* responding_ = nullptr;
  bool dataOfErrors_ = false;
};

}  // namespace rtvp::test
