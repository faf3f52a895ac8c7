// What any initiator of the base protocol may ask of any target: loosely and approximately timed,
// debug, direct memory, byte enables, streaming, bytes that are not there. Through the checker.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "models/common/bus_width.hpp"
#include "models/common/interconnect.hpp"
#include "models/common/tlm_payload.hpp"
#include "tests/models/common/bus_test_support.hpp"
#include "tests/support/at_master.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/tlm_checker.hpp"

namespace rtvp::test {

/// Where a target may be asked, and what it is.
struct Place {
  std::uint64_t address = 0;      ///< of 16 bytes that may be read
  bool storage = false;           ///< what is written there is read back, whole words of 4 bytes
  bool bytes = false;             ///< storage that takes any number of bytes, and byte enables
  bool debug = true;              ///< storage answers debug transport
  unsigned size = 4;              ///< bytes of an access that is taken for sure
  std::uint64_t nowhere = ~0ULL;  ///< an address where nothing is; ~0: there is none
};

/// Binds `bind` to a checker of each width and an initiator of each kind, and asks.
class Battery {
 public:
  explicit Battery(const Place& place) : place_(place) {
    loose_.isock.bind(checkLoose_.tsock);
    approximate_.isock.bind(checkApproximate_.tsock);
    wide_.bind(checkWide_.tsock);
    checkWide_.isock.bind(narrow_.tsock);
    narrow_.isock.bind(checkNarrow_.tsock);
  }
  /// For a target that takes several initiators.
  template <class Socket>
  void bindAll(Socket& socket) {
    checkLoose_.isock.bind(socket);
    checkApproximate_.isock.bind(socket);
    checkNarrow_.isock.bind(socket);
  }
  /// For a target with one socket: they share an interconnect that adds nothing.
  template <class Socket>
  void bindThrough(common::Interconnect& bus, Socket& socket, std::uint64_t size) {
    bindAll(bus.bus_tsock);
    behind_ = std::make_unique<TlmChecker<32>>("behind");
    bus.attach(behind_->tsock, "target", 0, size);
    behind_->isock.bind(socket);
  }

  /// The loosely timed initiator, for what a driver does first.
  [[nodiscard]] Master& host() { return loose_; }

  void run() {
    askLoose();
    askDebug();
    askPointer();
    askApproximate(AtMaster<32>::Ends::ByReturn);
    askApproximate(AtMaster<32>::Ends::ByCall);
    askWide();
    for (const std::string& text :
         {checkLoose_.text(), checkApproximate_.text(), checkWide_.text(), checkNarrow_.text(),
          behind_ ? behind_->text() : std::string()}) {
      EXPECT_EQ(text, "");
    }
    EXPECT_GT(checkLoose_.calls() + checkApproximate_.calls(), 10U);
  }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Wide : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Wide, 64> isock{"isock"};
    explicit Wide(sc_core::sc_module_name name) : sc_module(name) {}
    template <class Socket>
    void bind(Socket& socket) {
      isock.bind(socket);
    }
  };

  /// One b_transport of `length` bytes, as `change` wants it.
  tlm::tlm_response_status ask(bool write, std::uint64_t address, void* data, std::size_t length,
                               const std::function<void(Payload&)>& change = {}) {
    Payload p;
    common::prepare(p, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address,
                    static_cast<std::uint8_t*>(data), static_cast<unsigned>(length));
    if (change) change(p);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    loose_.isock->b_transport(p, delay);
    sc_core::wait(delay);
    return p.get_response_status();
  }

  void askLoose() {
    std::array<std::uint8_t, 16> data{};
    EXPECT_EQ(ask(false, place_.address, data.data(), place_.size), tlm::TLM_OK_RESPONSE);
    const auto ignore = [](Payload& p) { p.set_command(tlm::TLM_IGNORE_COMMAND); };
    (void)ask(false, place_.address, data.data(), 4, ignore);
    for (const std::size_t length : {1U, 2U, 3U, 7U, 8U, 16U}) {
      (void)ask(false, place_.address, data.data(), length);
      (void)ask(false, place_.address + 1, data.data(), length - length / 8);
    }
    askStreaming();
    askEnables();
    if (place_.nowhere != ~0ULL) {
      EXPECT_NE(ask(false, place_.nowhere, data.data(), 4), tlm::TLM_OK_RESPONSE);
      EXPECT_NE(ask(true, place_.nowhere, data.data(), 4), tlm::TLM_OK_RESPONSE);
    }
    if (!place_.storage) return;
    std::uint32_t word = 0x11223344, back = 0;
    EXPECT_EQ(ask(true, place_.address, &word, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(ask(false, place_.address, &back, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(back, word);
  }

  /// A streaming width below the length: refused, or the same words again and again.
  void askStreaming() {
    std::array<std::uint32_t, 2> twice{1, 2};
    std::uint32_t once = 0;
    if (ask(false, place_.address, &once, 4) != tlm::TLM_OK_RESPONSE) return;
    const auto narrow = [](Payload& p) { p.set_streaming_width(4); };
    if (ask(false, place_.address, twice.data(), 8, narrow) != tlm::TLM_OK_RESPONSE) return;
    EXPECT_EQ(twice[0], once);
    EXPECT_EQ(twice[1], once);
  }

  void askEnables() {
    std::array<std::uint8_t, 4> pattern{0xFF, 0, 0, 0xFF};
    const auto some = [&](Payload& p) {
      p.set_byte_enable_ptr(pattern.data());
      p.set_byte_enable_length(4);
    };
    std::uint32_t word = 0xAAAAAAAA;
    (void)ask(false, place_.address, &word, 4, some);
    EXPECT_EQ(word & 0x00FFFF00U, 0x00AAAA00U) << "bytes that are not enabled";
    if (!place_.bytes) return;
    std::uint32_t zero = 0, value = 0x44332211, back = 0;
    EXPECT_EQ(ask(true, place_.address, &zero, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(ask(true, place_.address, &value, 4, some), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(ask(false, place_.address, &back, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(back, 0x44000011U);
    // A pattern shorter than the data repeats.
    pattern = {0, 0xFF, 0, 0};
    const auto repeats = [&](Payload& p) {
      p.set_byte_enable_ptr(pattern.data());
      p.set_byte_enable_length(2);
    };
    EXPECT_EQ(ask(true, place_.address, &value, 4, repeats), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(ask(false, place_.address, &back, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(back, 0x44002211U);
  }

  void askDebug() {
    std::uint32_t word = 0;
    Payload p;
    common::prepare(p, tlm::TLM_READ_COMMAND, place_.address,
                    reinterpret_cast<std::uint8_t*>(&word), 4);
    // What debug transport does not have (14.2): stale attributes of an earlier access.
    p.set_streaming_width(0);
    std::uint8_t none = 0;
    p.set_byte_enable_ptr(&none);
    p.set_byte_enable_length(1);
    const unsigned moved = loose_.isock->transport_dbg(p);
    EXPECT_TRUE(moved == 0 || moved == 4) << moved;
    if (place_.storage && place_.debug) {
      std::uint32_t real = 0;
      EXPECT_EQ(ask(false, place_.address, &real, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(moved, 4U);
      EXPECT_EQ(word, real);
    }
    if (place_.nowhere == ~0ULL) return;
    p.set_address(place_.nowhere);
    EXPECT_EQ(loose_.isock->transport_dbg(p), 0U);
  }

  /// Pointers are granted for what was asked, and are the target's own bytes.
  void askPointer() {
    for (const tlm::tlm_command command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
      std::uint32_t word = 0x55667788;
      const bool write = command == tlm::TLM_WRITE_COMMAND;
      bool hint = false;
      Payload p;
      common::prepare(p, command, place_.address, reinterpret_cast<std::uint8_t*>(&word), 4);
      if (!write || place_.storage) {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        loose_.isock->b_transport(p, delay);
        hint = p.is_dmi_allowed();
      }
      tlm::tlm_dmi dmi;
      const bool granted = loose_.isock->get_direct_mem_ptr(p, dmi);
      EXPECT_TRUE(granted || !hint) << "hint without a grant, command " << command;
      if (!granted) continue;
      std::uint32_t& cell = *reinterpret_cast<std::uint32_t*>(
          dmi.get_dmi_ptr() + (place_.address - dmi.get_start_address()));
      std::uint32_t seen = 0;
      if (write) cell = 0x0BADCAFE;
      EXPECT_EQ(ask(false, place_.address, &seen, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(seen, cell);
      if (write) {
        EXPECT_EQ(seen, 0x0BADCAFEU) << "a granted write is not ignored";
      }
    }
  }

  void askApproximate(AtMaster<32>::Ends ends) {
    approximate_.ends = ends;
    std::array<std::uint32_t, 6> data{};
    EXPECT_EQ(approximate_.access(false, place_.address, data.data(), place_.size),
              tlm::TLM_OK_RESPONSE);
    if (place_.storage) {
      std::uint32_t word = 0x99AABBCC, back = 0;
      EXPECT_EQ(approximate_.access(true, place_.address, &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(ask(false, place_.address, &back, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(back, word);
    }
    // Several under way: answered, in order.
    std::array<Payload*, 3> all{};
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = &approximate_.payload(false, place_.address, &data[2 * i], place_.size);
      approximate_.request(*all[i]);
    }
    sc_core::wait(sc_core::sc_time(100, sc_core::SC_US));
    ASSERT_EQ(approximate_.answered.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(approximate_.answered[i], all[i]);
    const unsigned before = approximate_.freed;
    for (Payload* p : all) p->release();
    EXPECT_EQ(approximate_.freed, before + all.size()) << "somebody kept a reference";
    approximate_.answered.clear();
  }

  /// 64 bits: one access of 8 bytes is two words.
  void askWide() {
    if (!place_.storage) return;
    std::uint64_t value = 0x8877665544332211, back = 0;
    Payload p;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    common::prepare(p, tlm::TLM_WRITE_COMMAND, place_.address,
                    reinterpret_cast<std::uint8_t*>(&value), 8);
    wide_.isock->b_transport(p, delay);
    EXPECT_EQ(p.get_response_status(), tlm::TLM_OK_RESPONSE);
    std::uint32_t low = 0, high = 0;
    EXPECT_EQ(ask(false, place_.address, &low, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(ask(false, place_.address + 4, &high, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(low, 0x44332211U);
    EXPECT_EQ(high, 0x88776655U);
    common::prepare(p, tlm::TLM_READ_COMMAND, place_.address,
                    reinterpret_cast<std::uint8_t*>(&back), 8);
    wide_.isock->b_transport(p, delay);
    EXPECT_EQ(back, value);
  }

  Place place_;
  Master loose_{"loose"};
  AtMaster<32> approximate_{"approximate"};
  Wide wide_{"wide"};
  common::BusWidth<64, 32> narrow_{"narrow"};
  TlmChecker<32> checkLoose_{"check_loose"}, checkApproximate_{"check_approximate"},
      checkNarrow_{"check_narrow"};
  TlmChecker<64> checkWide_{"check_wide"};
  std::unique_ptr<TlmChecker<32>> behind_;
};

}  // namespace rtvp::test
