// The other DSPs of a c32-run with --dsps: the same memory through an arbiter, the same program.
//
// The first DSP leads: before each of its accesses and looks at its pins the others run up to that
// cycle, in time order among themselves. What they would do later than somebody who is behind waits
// (BusReply::Blocked), so that every access finds what the ones before it left, whoever made them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

/// Grants interlocked accesses (c32.md 9.2): XF0 low asks, XF1 low grants, one DSP at a time, the
/// earliest request first, of equal ones the lower number.
class XfArbiter {
 public:
  explicit XfArbiter(unsigned dsps) : waiting_(dsps, kNever) {}
  /// XF0 of `dsp` is low (true) or not from `cycle` on.
  void request(unsigned dsp, bool low, Cycle cycle);
  /// True if XF1 of `dsp` is low at `cycle`. Cycles must not run backwards.
  bool granted(unsigned dsp, Cycle cycle);

 private:
  struct Change {
    Cycle cycle = 0;
    unsigned dsp = 0;
    bool low = false;
  };
  void settle();

  std::vector<Change> changes_;  // by cycle, still to come
  std::vector<Cycle> waiting_;   // by DSP: asking since, kNever = not
  int holder_ = -1;
};

/// What the neighbours' accesses go to; the Machine.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  virtual BusReply sharedAccess(unsigned dsp, const BusRequest& request, const Cpu& cpu) = 0;
  /// Levels at the pins of `dsp`, all DSPs having come to `cycle`.
  virtual PinReply sharedPins(unsigned dsp, Cycle cycle) = 0;
  virtual void sharedDrive(unsigned dsp, Drive xf0, Drive xf1, Cycle cycle) = 0;
};

class Neighbours {
 public:
  /// DSPs 1 to `dsps` - 1.
  Neighbours(const CpuConfig& config, unsigned dsps, SharedMemory& memory);
  ~Neighbours();
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  void start(std::uint32_t entry);
  Cpu& cpu(unsigned dsp);
  /// Runs each as far as what it does lies before `limit`.
  void advance(Cycle limit);
  /// `dsp` has ended its program: it stops.
  void stop(unsigned dsp);
  /// One line about the first that came to a fault; empty: none.
  const std::string& fault() const { return fault_; }
  std::uint32_t faultPc() const { return faultPc_; }

 private:
  struct Dsp;
  bool mayAct(unsigned dsp, Cycle cycle) const;
  void step(Dsp& dsp);

  SharedMemory& memory_;
  std::vector<std::unique_ptr<Dsp>> dsps_;
  Cycle limit_ = 0;
  std::string fault_;
  std::uint32_t faultPc_ = 0;
};

}  // namespace rtvp::c32
