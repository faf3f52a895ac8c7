// See neighbours.hpp.
#include "models/c32/debug/neighbours.hpp"

#include <algorithm>

namespace rtvp::c32 {

void XfArbiter::request(unsigned dsp, bool low, Cycle cycle) {
  const Change change{cycle, dsp, low};
  const auto place = std::upper_bound(
      changes_.begin(), changes_.end(), change, [](const Change& a, const Change& b) {
        return a.cycle != b.cycle ? a.cycle < b.cycle : a.dsp < b.dsp;
      });
  changes_.insert(place, change);
}

/// Nobody holds the grant: the longest waiting one gets it.
void XfArbiter::settle() {
  if (holder_ >= 0) return;
  const auto first = std::min_element(waiting_.begin(), waiting_.end());
  if (*first != kNever) holder_ = static_cast<int>(first - waiting_.begin());
}

bool XfArbiter::granted(unsigned dsp, Cycle cycle) {
  while (!changes_.empty() && changes_.front().cycle <= cycle) {
    const Change change = changes_.front();
    changes_.erase(changes_.begin());
    if (change.low) {
      if (waiting_[change.dsp] == kNever) waiting_[change.dsp] = change.cycle;
    } else {
      waiting_[change.dsp] = kNever;
      if (holder_ == static_cast<int>(change.dsp)) holder_ = -1;
    }
    settle();
  }
  return holder_ == static_cast<int>(dsp);
}

struct Neighbours::Dsp final : CpuPort {
  Dsp(Neighbours& all, unsigned index, const CpuConfig& config)
      : owner(all), number(index), cpu(config, *this) {}

  BusReply busAccess(const BusRequest& request) override {
    if (owner.mayAct(number, request.cycle)) {
      return owner.memory_.sharedAccess(number, request, cpu);
    }
    BusReply later;
    later.status = BusReply::Status::Blocked;
    return later;
  }
  void pinsDriven(Drive xf0, Drive xf1, Cycle cycle) override {
    owner.memory_.sharedDrive(number, xf0, xf1, cycle);
  }
  PinReply pinsSampled(Cycle cycle) override {
    if (owner.mayAct(number, cycle)) return owner.memory_.sharedPins(number, cycle);
    PinReply later;
    later.ready = false;
    return later;
  }
  void serialTransmitted(std::uint32_t /*word*/, int /*bits*/, Cycle /*arrival*/) override {}

  Neighbours& owner;
  unsigned number;
  Cycle reached = 0;  ///< it does nothing before this
  bool ended = false;
  Cpu cpu;
};

Neighbours::Neighbours(const CpuConfig& config, unsigned dsps, SharedMemory& memory)
    : memory_(memory) {
  for (unsigned n = 1; n < dsps; ++n) dsps_.push_back(std::make_unique<Dsp>(*this, n, config));
}

Neighbours::~Neighbours() = default;

Cpu& Neighbours::cpu(unsigned dsp) {
  return dsps_[dsp - 1]->cpu;
}

void Neighbours::start(std::uint32_t entry) {
  for (const auto& dsp : dsps_) dsp->cpu.setPc(entry);
}

void Neighbours::stop(unsigned dsp) {
  dsps_[dsp - 1]->ended = true;
}

/// True if nobody can still do something before DSP `dsp` at `cycle`.
bool Neighbours::mayAct(unsigned dsp, Cycle cycle) const {
  if (cycle >= limit_) return false;
  return std::none_of(dsps_.begin(), dsps_.end(), [&](const std::unique_ptr<Dsp>& other) {
    if (other->ended || other->number == dsp) return false;
    return other->reached < cycle || (other->reached == cycle && other->number < dsp);
  });
}

/// Lets one DSP, the one furthest behind, run until it is refused or has come to the limit.
void Neighbours::step(Dsp& dsp) {
  // A refused access is made at `reached`: it is refused again only if another DSP is behind.
  switch (dsp.cpu.run(limit_)) {
    case StopReason::Blocked:
      dsp.reached = std::max(dsp.reached + 1, dsp.cpu.pending().cycle);
      break;
    case StopReason::Idle:
      dsp.ended = true;  // nothing here wakes it
      break;
    case StopReason::Fault:
      if (!dsp.ended && fault_.empty()) {
        fault_ = "DSP " + std::to_string(dsp.number) + ": " + dsp.cpu.fault().text;
        faultPc_ = dsp.cpu.fault().pc;
      }
      dsp.ended = true;
      break;
    default:
      dsp.reached = std::max(limit_, dsp.cpu.cycle());
      break;
  }
}

void Neighbours::advance(Cycle limit) {
  limit_ = std::max(limit_, limit);
  for (;;) {
    Dsp* next = nullptr;
    for (const auto& dsp : dsps_) {
      if (dsp->ended || dsp->reached >= limit_) continue;
      if (next == nullptr || dsp->reached < next->reached) next = dsp.get();
    }
    if (next == nullptr) return;
    step(*next);
  }
}

}  // namespace rtvp::c32
