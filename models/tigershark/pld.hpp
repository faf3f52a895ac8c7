// The programmable logic between the S5933's add-on side, the SRAM and the DSPs (board.md
// A.1, 2.2, 4.5): control and status registers, the host's window into the SRAM, and the two ends
// of the serial chain.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <systemc>
#include <tlm>

#include "models/common/register_target.hpp"
#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "models/tigershark/board_clock.hpp"
#include "models/tigershark/lockstep_array.hpp"
#include "models/tigershark/s5933.hpp"
#include "models/tigershark/sram.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark {

struct PldConfig {
  int dsps = 16;
  bool doubleBuffer =
      false;  ///< the host writes the bank that the DSPs do not see, without HOLD (TS-045)
};

class Pld : public sc_core::sc_module, public ArrayListener, private common::RegisterBehaviour {
 public:
  Pld(const sc_core::sc_module_name& name, const PldConfig& config, const BoardClock& clock,
      LockstepArray& array, Sram& sram, AddOnFifo& fifo);

  /// Pass-thru regions of the S5933: region 1 is the SRAM, region 2 these registers (board.md 4.5).
  tlm_utils::simple_target_socket<Pld, 32> passthru_tsock;
  /// The S5933's add-on registers: mailboxes.
  tlm_utils::simple_initiator_socket<Pld, 32> addon_isock;
  tlm_utils::simple_initiator_socket<Pld, 32> sram_isock;
  /// The S5933's reset pin for the add-on side (MCSR bit 24).
  sc_core::sc_in<bool> addon_reset_i;

  [[nodiscard]] bool chainIdle() const;
  /// A register of pld::kRegisterTable by its row, without side effects.
  [[nodiscard]] std::uint32_t look(std::size_t row) {
    return static_cast<std::uint32_t>(peekRegister(row));
  }
  void report(common::StatGroup& stats) const;
  using sc_core::sc_module::trace;
  void trace(const common::TraceScope& scope);

  /// Nothing is under way: state() is all there is.
  [[nodiscard]] bool quiescent() const;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

  // ArrayListener
  [[nodiscard]] bool inputOver() const override;
  void chainOutput(std::uint32_t word, Cycle arrival) override;
  void holdGranted() override;
  void arrayFailed(const ArrayError& error) override;

 private:
  void passthru(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned passthruDebug(tlm::tlm_generic_payload& payload);
  void sramWindow(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay, std::uint32_t offset);
  std::uint64_t peekRegister(std::size_t index) override;
  bool writeRegister(std::size_t index, std::uint64_t value, std::uint64_t bytes) override;
  void writeControl(std::uint32_t bits);
  void addonReset();
  [[nodiscard]] bool hostOwnsBus() const;
  void postEvent(std::uint32_t event);
  void sendNext();
  void receiveNext();
  void showControl(std::uint32_t bits) const;
  void showSent(std::uint64_t bit, std::uint32_t word) const;

  PldConfig config_;
  BoardClock clock_;
  LockstepArray& array_;
  Sram& sram_;
  AddOnFifo& fifo_;
  common::RegisterFile registers_;
  common::RegisterTarget target_;
  tlm::tlm_generic_payload mailbox_;

  // Towards node 0: one word every 32 bit clocks, complete in the receiver two bit clocks after its
  // last bit.
  sc_core::sc_event kick_;
  std::uint64_t nextBit_ = 0;

  // From node N-1: words under way, by arrival.
  struct Incoming {
    sc_core::sc_time at;
    std::uint32_t word;
  };
  std::deque<Incoming> incoming_;
  sc_core::sc_event arrived_;

  std::uint64_t wordsIn_ = 0;
  std::uint64_t wordsOut_ = 0;
  std::uint64_t overruns_ = 0;
  std::uint64_t holds_ = 0;
  std::uint64_t refused_ = 0;

  struct Signals {
    common::TraceSignal reset, hold, page, chain_enable, in_busy, in_word, in_words, out_word,
        out_words, overrun;
  } signals_;
};

}  // namespace rtvp::tigershark
