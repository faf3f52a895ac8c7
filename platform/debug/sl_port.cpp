// See sl_port.hpp.
#include "platform/debug/sl_port.hpp"

#include <algorithm>
#include <utility>

namespace rtvp::platform {
namespace {

constexpr unsigned kLookEvery = 64;  // pieces of work between two looks at who wants to speak
constexpr std::uint64_t kNoPass = ~std::uint64_t{0};

}  // namespace

debug::Program storeProgram(const debug::Program& shaders, const sl::unit::ShadingCore& core) {
  debug::Program all;
  all.addressDigits = shaders.addressDigits;
  all.add(shaders, sl::kStoreSpace);
  const std::uint64_t nowhere = sl::PipelineUnit::nowhere(core);
  all.labels[nowhere] = sl::PipelineUnit::kNowhere;
  all.code.push_back({nowhere, nowhere});
  return all;
}

SlPort::SlPort(sl::unit::SlUnit& unit, const std::string& prefix, const debug::Program& shaders,
               Picture picture)
    : unit_(unit),
      program_(storeProgram(shaders, unit.core())),
      picture_(std::move(picture)),
      runs_(std::size_t{picture_.width} * picture_.height) {
  const auto cycle = [this] {
    return control_ != nullptr ? unit_.clock().at(control_->moment()) : 0;
  };
  const auto purpose = [this](std::uint32_t slot) { return purposeOf(slot); };
  const std::size_t pipelines = unit.core().pipelines().size();
  for (unsigned n = 0; n < pipelines; ++n) {
    units_.push_back(
        std::make_unique<sl::PipelineUnit>(prefix + "pipeline" + std::to_string(n), unit_.core(), n,
                                           sl::PipelineUnit::Surroundings{cycle, purpose}));
  }
  halting_.resize(pipelines);
  pass_.resize(pipelines, kNoPass);
}

std::vector<debug::Unit*> SlPort::units() {
  std::vector<debug::Unit*> all;
  for (const auto& unit : units_) all.push_back(unit.get());
  return all;
}

double SlPort::hertz() const {
  return 1 / unit_.clock().period().to_seconds();
}

bool SlPort::reaches(std::uint64_t address) const {
  return address >= sl::kStoreSpace &&
         address <= sl::PipelineUnit::nowhere(std::as_const(unit_).core());
}

void SlPort::attach(DebugControl& control) {
  control_ = &control;
  unit_.core().control(*this);
}

bool SlPort::setStops(const std::vector<std::uint64_t>& addresses, const std::vector<bool>& units) {
  places_.clear();
  halting_ = units;
  if (addresses.empty()) return true;
  places_.resize(unit_.core().programWords());
  for (const std::uint64_t address : addresses) {
    const std::uint64_t word = address - sl::kStoreSpace;
    if (word < places_.size()) places_[static_cast<std::size_t>(word)] = true;
  }
  // Who stands at a place now goes on.
  for (unsigned n = 0; n < pass_.size(); ++n) {
    const auto run = unit_.core().runOf(n);
    const bool stands = run && run->vm->state() == sl::Stop::None;
    pass_[n] = stands ? run->start + run->vm->pc() : kNoPass;
  }
  return true;
}

// ---- from the unit's process

unsigned SlPort::permit(sl::unit::Clock begin) {
  if (waiting_) tell(*std::exchange(waiting_, std::nullopt));
  control_->advancing();
  const sc_core::sc_time at = unit_.clock().of(begin);
  for (;;) {
    if (halted_ || at >= control_->limit()) {
      sc_core::wait(control_->changed());
    } else if (control_->stepping() && sc_core::sc_time_stamp() < at) {
      sc_core::wait(at - sc_core::sc_time_stamp(), control_->changed());
    } else {
      break;
    }
  }
  latest_ = std::max(latest_, begin);
  const sc_core::sc_time& limit = control_->limit();
  end_ = limit == sc_core::sc_max_time() ? kEndless : unit_.clock().at(limit);
  // Nobody else acts meanwhile, unless the bus lets others go first.
  return control_->stepping() || armed() || unit_.contended() ? 0 : kLookEvery;
}

sc_core::sc_time SlPort::furthest() {
  const sl::unit::Clock clock =
      control_->stepping() ? latest_ + 1 : std::as_const(unit_).core().furthest();
  return unit_.clock().of(clock);
}

void SlPort::taken(std::uint32_t slot, bool isNew) {
  if (!isNew) return;
  if (runOf_.size() <= slot) runOf_.resize(std::size_t{slot} + 1, -1);
  const std::uint32_t pixel = picture_.pixelOf(slot);
  runOf_[slot] = pixel < runs_.size() ? static_cast<std::int64_t>(runs_[pixel]++) : -1;
}

bool SlPort::halts(unsigned pipeline, std::uint32_t word, sl::unit::Clock clock) {
  if (waiting_ || clock >= end_) return true;
  const std::uint64_t passes = std::exchange(pass_[pipeline], kNoPass);
  if (places_.empty() || !halting_[pipeline] || !places_[word] || passes == word) return false;
  waiting_ = Halt{pipeline, clock};  // what the piece has executed is counted first
  return true;
}

void SlPort::tell(const Halt& halt) {
  halted_ = control_->haltedAt(*this, halt.pipeline, momentOf(halt.clock));
  const auto run = unit_.core().runOf(halt.pipeline);
  std::uint64_t& pass = pass_[halt.pipeline];
  if (pass == kNoPass && run) pass = run->start + run->vm->pc();
}

/// Behind its last instruction, or set aside, a run is gone, and so are its registers.
void SlPort::after(unsigned pipeline, sl::unit::Clock begin) {
  if (unit_.core().runOf(pipeline)) return control_->ended(*this, pipeline, momentOf(begin));
  control_->arrived(*this, pipeline, momentOf(begin));
}

/// Of what began at that clock. Where units wait for each other at the bus, simulated time may be
/// further.
sc_core::sc_time SlPort::momentOf(sl::unit::Clock begin) const {
  return std::max(unit_.clock().of(begin + 1), sc_core::sc_time_stamp());
}

sl::RunPurpose SlPort::purposeOf(std::uint32_t slot) const {
  sl::RunPurpose purpose;
  const std::uint32_t pixel = picture_.pixelOf(slot);
  if (pixel >= runs_.size()) return purpose;
  purpose.x = pixel % picture_.width;
  purpose.y = pixel / picture_.width;
  if (slot < runOf_.size()) purpose.run = runOf_[slot];
  return purpose;
}

}  // namespace rtvp::platform
