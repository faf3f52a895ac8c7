#include "models/tigershark/pld.hpp"

#include <algorithm>

#include "models/common/tlm_payload.hpp"
#include "models/tigershark/pld_registers.hpp"
#include "models/tigershark/s5933_registers.hpp"

namespace rtvp::tigershark {
namespace {

constexpr std::uint32_t kSramRegion = 1;
constexpr std::uint32_t kRegisterRegion = 2;
constexpr std::uint64_t kOffsetMask = (1ULL << S5933::kRegionShift) - 1;
constexpr unsigned kWordBits = 32;
/// Last bit to receiver full (board.md 3, c32.md 8.6: length + 2 bit clocks).
constexpr unsigned kLinkBits = 34;
constexpr int kDeepestFifo = 4096;  ///< words, the most an S5933Core takes
constexpr std::uint64_t kRegisterBase = std::uint64_t{kRegisterRegion} << S5933::kRegionShift;
constexpr unsigned kAccessBytes = 4;  // of a register: the PLD has no byte lanes
using pld::row;

}  // namespace

Pld::Pld(const sc_core::sc_module_name& name, const PldConfig& config, const BoardClock& clock,
         LockstepArray& array, Sram& sram, AddOnFifo& fifo)
    : sc_module(name),
      passthru_tsock("passthru_tsock"),
      addon_isock("addon_isock"),
      sram_isock("sram_isock"),
      addon_reset_i("addon_reset_i"),
      config_(config),
      clock_(clock),
      array_(array),
      sram_(sram),
      fifo_(fifo),
      registers_(pld::kRegisterTable),
      target_({pld::kRegisterTable, pld::kRegisterBlockEnd, kAccessBytes, kAccessBytes}, *this) {
  SC_HAS_PROCESS(Pld);
  passthru_tsock.register_b_transport(this, &Pld::passthru);
  passthru_tsock.register_transport_dbg(this, &Pld::passthruDebug);
  array_.listen(*this);
  SC_METHOD(sendNext);
  sensitive << kick_ << fifo_.p2aFilled();
  dont_initialize();
  SC_METHOD(addonReset);
  sensitive << addon_reset_i.pos();
  dont_initialize();
  SC_METHOD(receiveNext);
  sensitive << arrived_;
  dont_initialize();
}

// ---- pass-thru ----------------------------------------------------------------------------------

void Pld::passthru(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto region = static_cast<std::uint32_t>(payload.get_address() >> S5933::kRegionShift);
  const auto offset = static_cast<std::uint32_t>(payload.get_address() & kOffsetMask);
  if (region == kSramRegion) {
    sramWindow(payload, delay, offset);
  } else if (region == kRegisterRegion) {
    payload.set_response_status(target_.access(payload, kRegisterBase));
  } else {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

unsigned Pld::passthruDebug(tlm::tlm_generic_payload& payload) {
  const auto region = static_cast<std::uint32_t>(payload.get_address() >> S5933::kRegionShift);
  const auto offset = static_cast<std::uint32_t>(payload.get_address() & kOffsetMask);
  if (region == kSramRegion) {
    const sc_dt::uint64 address = payload.get_address();
    payload.set_address(offset);
    const unsigned moved = sram_isock->transport_dbg(payload);
    payload.set_address(address);
    return moved;
  }
  return region == kRegisterRegion ? target_.debug(payload, kRegisterBase) : 0;
}

// The DSPs' bus is not shared with PCI in normal work (TS-044): without a grant nobody drives
// PTRDY#, which the PCI side sees as a failed transfer. On a double-buffered board the host has a
// bank of its own.
void Pld::sramWindow(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay,
                     std::uint32_t offset) {
  if (!hostOwnsBus() && !config_.doubleBuffer) {
    ++refused_;
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  const sc_dt::uint64 address = payload.get_address();
  payload.set_address(offset);
  sram_isock->b_transport(payload, delay);
  payload.set_address(address);
}

std::uint64_t Pld::peekRegister(std::size_t index) {
  const ArrayEngine& engine = array_.engine();
  switch (index) {
    case row("STATUS"): {
      std::uint32_t status = registers_.read(index);
      if (hostOwnsBus()) status |= pld::STATUS_HOLD_GRANTED;
      if (chainIdle()) status |= pld::STATUS_CHAIN_IDLE;
      if (engine.allArrived()) status |= pld::STATUS_ALL_ARRIVED;
      if (engine.voteLineHigh(array_.now())) status |= pld::STATUS_VOTE_LINE;
      return status;
    }
    case row("BARRIERS"):
      return static_cast<std::uint32_t>(engine.counters(array_.now()).barriers);
    case row("VOTES"):
      return static_cast<std::uint32_t>(engine.counters(array_.now()).votes);
    case row("HELD"):
      return static_cast<std::uint32_t>(array_.heldForHost());
    case row("NODES"):
      return static_cast<std::uint32_t>(config_.dsps);
    default:
      return registers_.read(index);
  }
}

bool Pld::writeRegister(std::size_t index, std::uint64_t value, std::uint64_t bytes) {
  const std::uint32_t bits =
      registers_.write(index, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(bytes));
  if (index == row("CTRL")) writeControl(bits);
  return true;
}

void Pld::writeControl(std::uint32_t bits) {
  if (signals_.reset) showControl(bits);
  if ((bits & pld::CTRL_CHAIN_FLUSH) != 0) {
    // Bounded: with the strobe broken (board.md 4.4, F1) the FIFO never becomes empty.
    for (int i = 0; i < kDeepestFifo && !fifo_.p2aEmpty(); ++i) (void)fifo_.p2aPop();
  }
  if ((bits & pld::CTRL_DSP_RESET) != 0) {
    // The last node stops in the middle of a word; what was under way never completes.
    incoming_.clear();
    arrived_.cancel();
  }
  sram_.selectArrayBank((bits & pld::CTRL_PAGE_SELECT) != 0 ? 1 : 0);
  array_.requestHold((bits & pld::CTRL_HOLD_REQUEST) != 0);
  array_.setReset((bits & pld::CTRL_DSP_RESET) != 0);
  kick_.notify(sc_core::SC_ZERO_TIME);
}

void Pld::addonReset() {
  registers_.reset();
  writeControl(registers_.peek(row("CTRL")));
}

bool Pld::hostOwnsBus() const {
  return array_.inReset() || array_.holdGranted();
}

// ---- events to the host -------------------------------------------------------------------------

void Pld::holdGranted() {
  ++holds_;
  postEvent(pld::EVENT_HOLD_GRANTED);
}

void Pld::arrayFailed(const ArrayError& error) {
  registers_.setBits(row("STATUS"), pld::STATUS_LOCKSTEP);
  registers_.poke(row("ERR_LANE"), static_cast<std::uint32_t>(error.lane));
  registers_.poke(row("ERR_ADDR"), error.address);
  registers_.poke(row("ERR_CAUSE"), 1 + static_cast<std::uint32_t>(error.kind));
  postEvent(pld::EVENT_LOCKSTEP);
}

void Pld::postEvent(std::uint32_t event) {
  common::prepare(mailbox_, tlm::TLM_WRITE_COMMAND, s5933::AOMB1,
                  reinterpret_cast<unsigned char*>(&event), 4);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  addon_isock->b_transport(mailbox_, delay);
}

// ---- the chain ----------------------------------------------------------------------------------

bool Pld::chainIdle() const {
  return fifo_.p2aEmpty() && clock_.bitAt(sc_core::sc_time_stamp()) >= nextBit_;
}

bool Pld::inputOver() const {
  return fifo_.p2aEmpty() && !fifo_.p2aComing();
}

void Pld::sendNext() {
  if ((registers_.peek(row("CTRL")) & pld::CTRL_CHAIN_ENABLE) == 0 || fifo_.p2aEmpty()) return;
  const std::uint64_t bit = clock_.bitAt(sc_core::sc_time_stamp());
  if (bit < nextBit_) {
    next_trigger(clock_.timeOfBit(nextBit_) - sc_core::sc_time_stamp());
    return;
  }
  nextBit_ = bit + kWordBits;
  ++wordsIn_;
  const std::uint32_t word = fifo_.p2aPop();
  showSent(bit, word);
  array_.chainInput(word, clock_.cycleOfBit(bit + kLinkBits));
  next_trigger(clock_.timeOfBit(nextBit_) - sc_core::sc_time_stamp());
}

void Pld::chainOutput(std::uint32_t word, Cycle arrival) {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  const sc_core::sc_time at = std::max(clock_.timeOf(arrival), now);
  incoming_.push_back({at, word});
  if (incoming_.size() == 1) arrived_.notify(at - now);
}

void Pld::receiveNext() {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  while (!incoming_.empty() && incoming_.front().at <= now) {
    ++wordsOut_;
    signals_.out_word.set(now.value(), incoming_.front().word);
    signals_.out_words.set(now.value(), wordsOut_);
    if (!fifo_.a2pPush(incoming_.front().word)) {
      // The chain has no back-pressure (board.md 4.5): the word is gone.
      ++overruns_;
      registers_.setBits(row("STATUS"), pld::STATUS_OVERRUN);
      signals_.overrun.set(now.value(), overruns_);
      postEvent(pld::EVENT_OVERRUN);
    }
    incoming_.pop_front();
  }
  if (!incoming_.empty()) arrived_.notify(incoming_.front().at - now);
}

void Pld::trace(const common::TraceScope& scope) {
  const std::uint32_t bits = registers_.peek(row("CTRL"));
  signals_.reset = scope.wire("reset", "reset of the DSPs", (bits & pld::CTRL_DSP_RESET) != 0);
  signals_.hold = scope.wire("hold_request", "the host asks for the DSPs' bus",
                             (bits & pld::CTRL_HOLD_REQUEST) != 0);
  signals_.page = scope.wire("page_select", "bank of the SRAM that the DSPs see",
                             (bits & pld::CTRL_PAGE_SELECT) != 0);
  signals_.chain_enable = scope.wire("chain_enable", "words of the FIFO go out on the chain",
                                     (bits & pld::CTRL_CHAIN_ENABLE) != 0);
  signals_.in_busy = scope.wire("chain_in_busy", "a word is on the link to the first DSP");
  signals_.in_word = scope.word("chain_in", kWordBits, "the word on the link to the first DSP");
  signals_.in_words = scope.count("chain_in_words", "words sent to the first DSP so far");
  signals_.out_word = scope.word("chain_out", kWordBits, "latest word from the last DSP");
  signals_.out_words = scope.count("chain_out_words", "words received from the last DSP so far");
  signals_.overrun = scope.count("overruns", "words from the last DSP lost at a full FIFO");
}

void Pld::showControl(std::uint32_t bits) const {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  signals_.reset.set(now, (bits & pld::CTRL_DSP_RESET) != 0 ? 1 : 0);
  signals_.hold.set(now, (bits & pld::CTRL_HOLD_REQUEST) != 0 ? 1 : 0);
  signals_.page.set(now, (bits & pld::CTRL_PAGE_SELECT) != 0 ? 1 : 0);
  signals_.chain_enable.set(now, (bits & pld::CTRL_CHAIN_ENABLE) != 0 ? 1 : 0);
}

/// A word whose first bit goes out at edge `bit`.
void Pld::showSent(std::uint64_t bit, std::uint32_t word) const {
  if (!signals_.in_busy) return;
  const std::uint64_t begin = clock_.timeOfBit(bit).value();
  const std::uint64_t end = clock_.timeOfBit(bit + kWordBits).value();
  signals_.in_busy.set(begin, 1);
  signals_.in_word.set(begin, word);
  signals_.in_busy.set(end, 0);
  signals_.in_word.set(end, common::kNoValue);
  signals_.in_words.set(end, wordsIn_);
}

void Pld::report(common::StatGroup& stats) const {
  const auto bits = static_cast<double>(clock_.bitAt(sc_core::sc_time_stamp()));
  stats.count("chain_words_in", "words", "words sent to node 0 (token, rays, go)", wordsIn_);
  stats.count("chain_words_out", "words", "words received from the last node (results)", wordsOut_);
  stats.ratio("chain_in_utilisation", "1",
              "share of bit clocks in which the link to node 0 carried a word",
              bits > 0 ? static_cast<double>(wordsIn_) * kWordBits / bits : 0);
  stats.ratio("chain_out_utilisation", "1",
              "share of bit clocks in which the last node's link carried a word",
              bits > 0 ? static_cast<double>(wordsOut_) * kWordBits / bits : 0);
  stats.count("chain_overruns", "words", "results lost because the add-on FIFO was full",
              overruns_);
  stats.count("holds", "grants", "times the DSPs yielded the bus to the host", holds_);
  stats.count("window_refused", "accesses", "host accesses to the SRAM without the bus", refused_);
}

}  // namespace rtvp::tigershark
