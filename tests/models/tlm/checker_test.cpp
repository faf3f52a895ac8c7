// The protocol checker finds what it is for: each rule broken once, on purpose.
#include <functional>

#include "tests/models/tlm/battery.hpp"

namespace rtvp::test {
namespace {

/// A target that does as it is told.
struct Bad : sc_core::sc_module {
  tlm_utils::passthrough_target_socket<Bad, 32> tsock{"tsock"};
  std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> transport;
  std::function<bool(tlm::tlm_generic_payload&, tlm::tlm_dmi&)> grant;
  explicit Bad(sc_core::sc_module_name name) : sc_module(name) {
    tsock.register_b_transport(this, &Bad::blocking);
    tsock.register_get_direct_mem_ptr(this, &Bad::pointer);
    tsock.register_transport_dbg(this, &Bad::debug);
  }
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    transport(payload, delay);
  }
  bool pointer(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) { return grant(payload, dmi); }
  unsigned debug(tlm::tlm_generic_payload& payload) { return payload.get_data_length() + 1; }
};

/// What the checker says of one access of a target that behaves like `transport`.
std::string said(const std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)>& transport,
                 const std::function<void(tlm::tlm_generic_payload&)>& change = {},
                 bool write = false) {
  Bad bad("bad");
  TlmChecker<32> checker("checker");
  Master master("master");
  master.isock.bind(checker.tsock);
  checker.isock.bind(bad.tsock);
  bad.transport = transport;
  Script script("script", [&] {
    std::uint32_t word = 0x01020304;
    tlm::tlm_generic_payload p;
    common::prepare(p, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, 8,
                    reinterpret_cast<std::uint8_t*>(&word), 4);
    if (change) change(p);
    sc_core::sc_time delay(5, sc_core::SC_NS);
    master.isock->b_transport(p, delay);
  });
  sc_core::sc_start();
  return checker.text();
}

void expectSaid(const std::string& words, const std::function<std::string()>& ask) {
  inChild([&] {
    const std::string text = ask();
    if (words.empty()) {
      EXPECT_EQ(text, "");
    } else {
      EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
    }
  });
}

TEST(TlmChecker, FindsTargetsThatBreakTheRules) {
  using P = tlm::tlm_generic_payload;
  using T = sc_core::sc_time;
  const auto good = [](P&, T&) {};
  expectSaid("", [&] { return said(good); });
  expectSaid("left incomplete", [] {
    return said([](P& p, T&) { p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE); });
  });
  expectSaid("changed the address", [] { return said([](P& p, T&) { p.set_address(9); }); });
  expectSaid("changed the length", [] { return said([](P& p, T&) { p.set_data_length(2); }); });
  expectSaid("changed the command", [] { return said([](P& p, T&) { p.set_write(); }); });
  expectSaid("changed the width", [] { return said([](P& p, T&) { p.set_streaming_width(1); }); });
  expectSaid("time runs backwards",
             [] { return said([](P&, T& t) { t = sc_core::SC_ZERO_TIME; }); });
  expectSaid("data of what is no read",
             [] { return said([](P& p, T&) { *p.get_data_ptr() ^= 1; }, {}, true); });
  expectSaid("not enabled", [] {
    static std::uint8_t enables[4] = {0xFF, 0, 0xFF, 0xFF};
    return said([](P& p, T&) { p.get_data_ptr()[1] ^= 1; },
                [](P& p) {
                  p.set_byte_enable_ptr(enables);
                  p.set_byte_enable_length(4);
                });
  });
}

TEST(TlmChecker, FindsInitiatorsThatBreakTheRules) {
  using P = tlm::tlm_generic_payload;
  const auto with = [](const std::function<void(P&)>& change) {
    return said([](P&, sc_core::sc_time&) {}, change);
  };
  expectSaid("streaming width 0", [&] { return with([](P& p) { p.set_streaming_width(0); }); });
  expectSaid("data length 0", [&] { return with([](P& p) { p.set_data_length(0); }); });
  expectSaid("DMI hint set", [&] { return with([](P& p) { p.set_dmi_allowed(true); }); });
  expectSaid("not incomplete",
             [&] { return with([](P& p) { p.set_response_status(tlm::TLM_OK_RESPONSE); }); });
  expectSaid("byte enables of length 0", [&] {
    return with([](P& p) {
      static std::uint8_t one = 0xFF;
      p.set_byte_enable_ptr(&one);
      p.set_byte_enable_length(0);
    });
  });
}

TEST(TlmChecker, FindsGrantsAndDebugAccessesThatClaimTooMuch) {
  inChild([] {
    Bad bad("bad");
    TlmChecker<32> checker("checker");
    Master master("master");
    master.isock.bind(checker.tsock);
    checker.isock.bind(bad.tsock);
    std::array<unsigned char, 16> cells{};
    std::uint32_t word = 0;
    tlm::tlm_generic_payload p;
    common::prepare(p, tlm::TLM_WRITE_COMMAND, 32, reinterpret_cast<std::uint8_t*>(&word), 4);
    bad.grant = [&](tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
      dmi.set_dmi_ptr(cells.data());
      dmi.set_start_address(0);
      dmi.set_end_address(15);
      dmi.allow_read();
      return true;
    };
    Script script("script", [&] {
      tlm::tlm_dmi dmi;
      (void)master.isock->get_direct_mem_ptr(p, dmi);
      (void)master.isock->transport_dbg(p);
    });
    sc_core::sc_start();
    for (const char* words : {"without the address", "not for the command", "moved more"}) {
      EXPECT_NE(checker.text().find(words), std::string::npos) << words << checker.text();
    }
  });
}

/// A target whose phases come in any order.
struct WrongPhases : sc_core::sc_module {
  tlm_utils::passthrough_target_socket<WrongPhases, 32> tsock{"tsock"};
  tlm::tlm_phase answer = tlm::BEGIN_RESP;
  explicit WrongPhases(sc_core::sc_module_name name) : sc_module(name) {
    tsock.register_nb_transport_fw(this, &WrongPhases::forward);
  }
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                             sc_core::sc_time&) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    phase = answer;
    return tlm::TLM_UPDATED;
  }
};

TEST(TlmChecker, FindsPhasesOutOfOrder) {
  inChild([] {
    WrongPhases target("target");
    TlmChecker<32> checker("checker");
    AtMaster<32> master("master");
    master.isock.bind(checker.tsock);
    checker.isock.bind(target.tsock);
    target.answer = tlm::END_RESP;
    Script script("script", [&] {
      std::uint32_t word = 0;
      master.request(master.payload(false, 0, &word, 4));
      // One without memory management, and a request while the first is open.
      tlm::tlm_generic_payload bare;
      common::prepare(bare, tlm::TLM_READ_COMMAND, 0, reinterpret_cast<std::uint8_t*>(&word), 4);
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_core::sc_time delay;
      (void)master.isock->nb_transport_fw(bare, phase, delay);
      target.answer = tlm::END_REQ;
      phase = tlm::BEGIN_REQ;
      (void)master.isock->nb_transport_fw(bare, phase, delay);
    });
    sc_core::sc_start();
    for (const char* words :
         {"does not go backward", "END_RESP without BEGIN_RESP", "no memory management"}) {
      EXPECT_NE(checker.text().find(words), std::string::npos) << words << "\n" << checker.text();
    }
  });
}

}  // namespace
}  // namespace rtvp::test
