// The GPU on a bus: registers and windows behind a TLM-2.0 target socket, the port's clocks as
// annotated delay, HDA, HDL and RCOMMIT as signals, statistics. All behaviour is in Gpu.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/clock_domain.hpp"
#include "models/common/register_target.hpp"
#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "models/theia/gpu.hpp"
#include "models/theia/unit_registers.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::theia {

struct TheiaUnitConfig {
  GpuConfig gpu;
  sc_core::sc_time period = sc_core::sc_time(10, sc_core::SC_NS);  ///< of the GPU's clock
  bool report_faults = true;  ///< a fault is also an SC_REPORT_ERROR (report_ids::kTheiaFault)
};

/// b_transport never waits: an operation starts at the clock after time stamp + delay (or when the
/// port is free) and the delay grows to its end. Register block and memories: 1 clock a word;
/// instruction, register and triangle windows: the port's costs. Whole words only, no streaming
/// width below the length; byte enables only in the register block. After a fault the operations
/// that need cores answer TLM_GENERIC_ERROR_RESPONSE; registers and memories stay readable. Debug
/// transport reaches texture and output memory and reads registers.
class TheiaUnit : public sc_core::sc_module,
                  private GpuObserver,
                  private common::RegisterBehaviour {
 public:
  using SignalOut =
      sc_core::sc_port<sc_core::sc_signal_out_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

  tlm_utils::simple_target_socket<TheiaUnit, 32> host_tsock;
  SignalOut hda_o;      ///< a triangle is on offer
  SignalOut hdl_o;      ///< one clock when all cores took it
  SignalOut rcommit_o;  ///< one clock when all cores have committed

  TheiaUnit(sc_core::sc_module_name name, const TheiaUnitConfig& config, Rom rom);

  [[nodiscard]] Gpu& gpu() { return gpu_; }
  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  [[nodiscard]] const common::ClockDomain& clock() const { return clock_; }
  /// Sees a core finish a pixel; for cost maps. `pixel`: of its share; `clocks`: of MAIN, waits for
  /// triangles and textures included, since the pixel before.
  struct PixelReport {
    unsigned core;
    std::uint64_t pixel;
    Clock clocks;
  };
  void setPixelObserver(std::function<void(const PixelReport&)> observer) {
    pixel_observer_ = std::move(observer);
    main_clocks_.assign(gpu_.cores(), 0);
    gpu_.observe(this);
  }
  /// Accounts the time up to now; call before report() at the end of a run.
  void finish();
  void report(common::StatGroup& group) const;
  using sc_core::sc_module::trace;
  void trace(const common::TraceScope& scope);

  /// Nothing is under way: state() is all there is.
  [[nodiscard]] bool quiescent() const;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  struct Edge {
    Clock clock;
    unsigned line;  ///< 0 HDA, 1 HDL, 2 RCOMMIT
    bool value;
  };

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status access(tlm::tlm_generic_payload& payload, Clock at, Clock& end);
  std::uint64_t peekRegister(std::size_t row) override { return file_.read(row); }
  bool writeRegister(std::size_t row, std::uint64_t value, std::uint64_t bytes) override;
  tlm::tlm_response_status memory(tlm::tlm_generic_payload& payload, bool texture);
  tlm::tlm_response_status instructions(const tlm::tlm_generic_payload& payload, Clock& at);
  tlm::tlm_response_status registerWindow(const tlm::tlm_generic_payload& payload, Clock& at);
  tlm::tlm_response_status triangles(const tlm::tlm_generic_payload& payload, Clock& at,
                                     bool offer);
  void command(std::uint32_t bits);
  Clock offer(Clock at);
  void updateRegisters();
  void checkFault();
  void end_of_elaboration() override;
  void schedule(Clock clock, unsigned line, bool value);
  void scheduleSeen(Clock clock, unsigned line, bool value);
  void driveSignals();
  enum class CoreState : std::uint8_t { Idle, Initial, Main, Wait };
  void showAll(CoreState state, Clock clock) const;
  void onFlip(unsigned core, Clock clock) override;
  void onPhaseEnd(unsigned core, Clock ready, bool committed) override;
  void onAllCommitted(Clock clock) override;

  TheiaUnitConfig config_;
  common::ClockDomain clock_;
  Gpu gpu_;
  common::RegisterFile file_;
  common::RegisterTarget registers_;
  Clock now_ = 0;  ///< start, then end, of the operation under way
  bool hdl_ = false, rcommit_ = false, fault_reported_ = false;
  std::array<bool, 3> bound_{};  ///< HDA, HDL, RCOMMIT drive something
  std::deque<Edge> edges_;
  sc_core::sc_event edge_event_;
  std::uint64_t transactions_ = 0, errors_ = 0;

  struct Signals {
    common::TraceSignal rendering, frames, triangles, pixels;
    std::array<common::TraceSignal, 3> lines;  ///< HDA, HDL, RCOMMIT
    std::vector<common::TraceSignal> cores;
  } signals_;
  std::function<void(const PixelReport&)> pixel_observer_;
  std::vector<Clock> main_clocks_;  ///< of each core, when it finished its latest pixel
  std::uint64_t frames_ = 0, offers_ = 0, pixels_ = 0;  ///< as shown
};

}  // namespace rtvp::theia
