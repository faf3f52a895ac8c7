// See run_ahead.hpp.
#include "models/sl/unit/run_ahead.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace rtvp::sl::unit {
namespace {

/// Fewer runs of a program than this are left to the plain machine.
constexpr std::size_t kFewest = 4;

/// What a run asks for is answered in its time, but for a trace that asks nobody.
class Later : public Environment {
 public:
  explicit Later(bool traceLive) : traceLive_(traceLive) {}
  bool answers(std::size_t /*point*/, Form form) override {
    return form == Form::Trace && !traceLive_;
  }
  Vec3 trace(std::size_t /*point*/, const Vec3& /*origin*/, const Vec3& /*direction*/) override {
    return {};
  }
  Vec3 lookup(std::size_t /*point*/, unsigned /*slot*/, float /*s*/, float /*t*/) override {
    return {};
  }

 private:
  bool traceLive_;
};

}  // namespace

void RunAhead::clear(bool programs) {
  runs_.clear();
  if (programs) engines_.clear();
}

void RunAhead::add(std::shared_ptr<const Program> program, bool traceLive, const Vm& vm) {
  Outcome& run = runs_.emplace_back();
  if (vm.state() != Stop::None) return;
  run.program = std::move(program);
  run.traceLive = traceLive;
  run.registers = vm.registers();
  run.pc = vm.pc();
  run.instructions = vm.instructions();
  run.random = vm.randomState();
}

void RunAhead::compute() {
  std::vector<std::size_t> together;
  std::vector<bool> taken(runs_.size());
  for (std::size_t first = 0; first < runs_.size(); ++first) {
    if (taken[first] || runs_[first].program == nullptr) continue;
    together.clear();
    for (std::size_t i = first; i < runs_.size(); ++i) {
      if (taken[i] || runs_[i].program != runs_[first].program ||
          runs_[i].traceLive != runs_[first].traceLive)
        continue;
      taken[i] = true;
      together.push_back(i);
    }
    if (together.size() >= kFewest) computeTogether(together);
  }
}

const RunAhead::Engine& RunAhead::engineFor(const std::shared_ptr<const Program>& program) {
  for (const Engine& engine : engines_) {
    if (engine.program == program) return engine;
  }
  std::uint64_t written = std::uint64_t{1} << reg::v0;  // 0 when the budget is used up
  for (const Instruction& in : program->code()) {
    if (in.info().writes()) written |= std::uint64_t{1} << in.destination;
  }
  engines_.push_back({program, std::make_unique<BatchVm>(*program), written});
  return engines_.back();
}

void RunAhead::computeTogether(std::span<const std::size_t> indices) {
  const Engine& engine = engineFor(runs_[indices.front()].program);
  Batch batch(indices.size());
  batch.keepTallies();
  for (std::size_t point = 0; point < indices.size(); ++point) {
    const Outcome& run = runs_[indices[point]];
    const std::uint64_t seen = run.pc == 0 ? engine.program->inputs() : engine.program->reads();
    batch.setRegisters(point, run.registers, seen | engine.written);
    batch.setSeed(point, run.random);
    batch.setPlace(point, run.pc, run.instructions);
  }
  Later world(runs_[indices.front()].traceLive);
  Counters uncounted;
  engine.vm->run(batch, world, uncounted);
  for (std::size_t point = 0; point < indices.size(); ++point) {
    Outcome& run = runs_[indices[point]];
    run.changed = engine.written;
    run.computed = true;
    for (std::uint64_t left = engine.written; left != 0; left &= left - 1) {
      const auto id = static_cast<unsigned>(std::countr_zero(left));
      // Nobody promises what a not-a-number's payload is, and it can be seen in memory.
      if (isVector(id)) {
        const Vec3 v = run.written.vector(id) = batch.vector(point, id);
        run.computed = run.computed && !std::isnan(v.x) && !std::isnan(v.y) && !std::isnan(v.z);
      } else {
        const float x = run.written.scalar(id) = batch.scalar(point, id);
        run.computed = run.computed && !std::isnan(x);
      }
    }
    run.endPc = batch.pc(point);
    run.endInstructions = batch.instructions(point);
    run.endRandom = batch.randomState(point);
    run.stop = batch.state(point);
    run.executed = batch.tally(point);
  }
}

const RunAhead::Outcome* RunAhead::find(std::size_t index, bool traceLive, const Vm& vm) const {
  if (index >= runs_.size()) return nullptr;
  const Outcome& run = runs_[index];
  // As bits: a not-a-number is itself, and -0 is not 0.
  const bool same = run.computed && run.program.get() == &vm.program() &&
                    run.traceLive == traceLive && run.pc == vm.pc() &&
                    run.instructions == vm.instructions() && run.random == vm.randomState() &&
                    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are meant
                    std::memcmp(&run.registers, &vm.registers(), sizeof run.registers) == 0;
  return same ? &run : nullptr;
}

}  // namespace rtvp::sl::unit
