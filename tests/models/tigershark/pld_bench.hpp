// SRAM, array and PLD without PCI: the bench plays the S5933's add-on side and the host.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/tigershark/pld.hpp"
#include "models/tigershark/pld_registers.hpp"
#include "tests/models/tigershark/array_bench.hpp"

namespace rtvp::tigershark::test {

class FakeFifo : public AddOnFifo {
 public:
  [[nodiscard]] bool p2aEmpty() const override { return in.empty(); }
  [[nodiscard]] bool p2aComing() const override { return coming; }
  std::uint32_t p2aPop() override {
    const std::uint32_t word = in.front();
    if (!brokenStrobe) in.pop_front();
    return word;
  }
  [[nodiscard]] bool a2pFull() const override { return out.size() >= capacity; }
  bool a2pPush(std::uint32_t word) override {
    if (a2pFull()) return false;
    out.push_back(word);
    outTimes.push_back(sc_core::sc_time_stamp());
    return true;
  }
  [[nodiscard]] const sc_core::sc_event& p2aFilled() const override { return filled; }
  [[nodiscard]] const sc_core::sc_event& a2pDrained() const override { return drained; }
  bool postMailbox(unsigned, std::uint32_t value) override {
    events.push_back(value);
    return true;
  }
  [[nodiscard]] bool mailboxFull(unsigned) const override { return false; }
  void push(std::uint32_t word) {
    in.push_back(word);
    filled.notify(sc_core::SC_ZERO_TIME);
  }

  std::deque<std::uint32_t> in;
  std::vector<std::uint32_t> out;
  std::vector<sc_core::sc_time> outTimes;
  std::vector<std::uint32_t> events;
  std::size_t capacity = 8;
  bool coming = false;
  bool brokenStrobe = false;  ///< board.md 4.4, F1: RDFIFO# takes no word
  sc_core::sc_event filled;
  sc_core::sc_event drained;
};

/// The prelude of array_bench.hpp with `program` behind it.
inline c32::Image assembled(const std::string& program) {
  const auto result = c32::assemble("test.asm", std::string(kPrelude) + program + "\nhotend:\n");
  EXPECT_TRUE(result.image) << result.report();
  return result.image.value_or(c32::Image{});
}

/// SRAM, array and PLD; the test body runs as an SC_THREAD and plays the host.
class PldBench : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kWords = 8192;

  explicit PldBench(c32::Image program, int dsps = 4, bool doubleBuffer = false,
                    std::uint64_t bitHz = 11'500'000,
                    const sc_core::sc_module_name& name = sc_core::sc_module_name("bench"),
                    std::shared_ptr<common::WorkPool> pool = {})
      : sc_module(name), clock(30'000'000, bitHz), image(std::move(program)) {
    SC_HAS_PROCESS(PldBench);
    LockstepArrayConfig config;
    config.array.lanes = dsps;
    config.array.cpu.serialBitClockHz = bitHz;
    config.sramWords = kWords;
    config.pool = std::move(pool);
    sram =
        std::make_unique<Sram>("sram", SramConfig{.words = kWords, .doubleBuffer = doubleBuffer});
    array = std::make_unique<LockstepArray>("array", config, clock);
    pld = std::make_unique<Pld>("pld", PldConfig{.dsps = dsps, .doubleBuffer = doubleBuffer}, clock,
                                *array, *sram, fifo);
    array->bus_isock.bind(sram->array_tsock);
    pld->sram_isock.bind(sram->host_tsock);
    host.bind(pld->passthru_tsock);
    pld->addon_isock.bind(addon);
    addon.register_b_transport(this, &PldBench::addonWrite);
    pld->addon_reset_i.bind(addonReset);
    SC_THREAD(run);
  }

  /// One word through the pass-thru path; returns the response.
  tlm::tlm_response_status access(bool write, unsigned region, std::uint32_t offset,
                                  std::uint32_t& value) {
    tlm::tlm_generic_payload p;
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address((std::uint64_t{region} << S5933::kRegionShift) | offset);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(4);
    p.set_streaming_width(4);
    sc_core::sc_time delay;
    host->b_transport(p, delay);
    return p.get_response_status();
  }
  std::uint32_t reg(std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_EQ(access(false, 2, offset, value), tlm::TLM_OK_RESPONSE);
    return value;
  }
  void setReg(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(access(true, 2, offset, value), tlm::TLM_OK_RESPONSE);
  }
  bool poke(std::uint32_t word, std::uint32_t value) {
    return access(true, 1, word * 4, value) == tlm::TLM_OK_RESPONSE;
  }
  std::uint32_t peek(std::uint32_t word) {
    std::uint32_t value = 0;
    EXPECT_EQ(access(false, 1, word * 4, value), tlm::TLM_OK_RESPONSE);
    return value;
  }
  void load() {
    for (const auto& section : image.sections) {
      for (std::size_t i = 0; i < section.words.size(); ++i) {
        EXPECT_TRUE(poke(section.loadAddress + static_cast<std::uint32_t>(i), section.words[i]));
      }
    }
  }
  void boot() {
    load();
    setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);
    wait(sc_core::sc_time(1, sc_core::SC_MS));
    fifo.push(0);
    wait(sc_core::sc_time(1, sc_core::SC_MS));
  }
  std::uint32_t word(int lane, const std::string& name) const {
    return array->engine().peek(lane, image.find(name).value_or(0)).value_or(0xDEADBEEF);
  }

  BoardClock clock;
  FakeFifo fifo;
  std::unique_ptr<Sram> sram;
  std::unique_ptr<LockstepArray> array;
  std::unique_ptr<Pld> pld;
  tlm_utils::simple_initiator_socket<PldBench, 32> host{"host"};
  tlm_utils::simple_target_socket<PldBench, 32> addon{"addon"};
  sc_core::sc_signal<bool> addonReset{"addon_reset"};
  c32::Image image;
  std::function<void()> body;

 private:
  void run() {
    body();
    sc_core::sc_stop();
  }
  void addonWrite(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    std::uint32_t value = 0;
    std::memcpy(&value, p.get_data_ptr(), 4);
    fifo.events.push_back(value);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

inline void simulate(PldBench& bench, std::function<void()> body) {
  bench.body = std::move(body);
  sc_core::sc_start();
}

}  // namespace rtvp::tigershark::test
