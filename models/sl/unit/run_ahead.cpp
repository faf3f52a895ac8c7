// See run_ahead.hpp.
#include "models/sl/unit/run_ahead.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "models/sl/unit/surface.hpp"

namespace rtvp::sl::unit {
namespace {

/// Fewer runs of a program than this are left to the plain machine: an instruction of the batched
/// engine costs the same for one point as for a block of them.
constexpr std::size_t kFewest = 8;

/// Numbers from run to run where they lie: the words of a slot, the sampled textures, or all
/// registers.
constexpr std::size_t kSlotStride = 48, kSampleStride = std::size_t{3} * kTextureSlots,
                      kRegisterStride = 90;
static_assert(slot::kRequestWords <= kSlotStride);
static_assert(sizeof(Registers) == kRegisterStride * sizeof(float));
static_assert(sizeof(Vec3) == 3 * sizeof(float));

constexpr std::uint64_t bit(unsigned id) {
  return std::uint64_t{1} << id;
}
constexpr std::uint64_t kSampled = std::uint64_t{0xFF} << reg::t0;

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

bool isNumber(const Vec3& v) {
  return !std::isnan(v.x) && !std::isnan(v.y) && !std::isnan(v.z);
}

/// As bits: a not-a-number is itself, and -0 is not 0.
bool same(const void* a, const void* b, std::size_t bytes) {
  return std::memcmp(a, b, bytes) == 0;
}

/// Calls f(id) for the registers of the set.
template <typename F>
void each(std::uint64_t registers, const F& f) {
  for (; registers != 0; registers &= registers - 1)
    f(static_cast<unsigned>(std::countr_zero(registers)));
}

}  // namespace

/// Runs of one program, in blocks of the engine.
struct RunAhead::Group {
  struct Place {
    std::uint32_t pc, instructions, random;
  };

  Engine* engine = nullptr;
  bool live = false, resumed = false;
  std::size_t points = 0;
  bool computed = false;
  // Of a point, with room for whole blocks:
  std::vector<float> words;    ///< of its slot, or all registers of a resumed run
  std::vector<float> samples;  ///< if the program reads some
  std::vector<const Surface*> surfaces;
  std::vector<Place> places;  ///< of resumed runs
  bool oneSurface = true;
  std::vector<std::uint64_t> found;  ///< a bit a point, by block
  Batch batch{0};

  [[nodiscard]] std::size_t stride() const { return resumed ? kRegisterStride : kSlotStride; }
  [[nodiscard]] bool samplesTextures() const {
    return !resumed && (engine->program->reads() & kSampled) != 0;
  }
  /// Room for one more point, its number.
  std::size_t grow() {
    const std::size_t point = points++;
    if (point % batch::kPoints != 0) return point;
    const std::size_t room = point + batch::kPoints;
    if (words.size() < room * stride()) words.resize(room * stride());
    if (samplesTextures() && samples.size() < room * kSampleStride)
      samples.resize(room * kSampleStride);
    return point;
  }
  /// Whether stops want the registers that the program has left.
  [[nodiscard]] bool showsRegisters() const {
    return resumed || engine->program->traces() || engine->program->looksUp();
  }
};

RunAhead::RunAhead(std::span<const std::uint32_t, kForms> clocks) {
  std::copy(clocks.begin(), clocks.end(), clocks_.begin());
}
RunAhead::~RunAhead() = default;

void RunAhead::clear(bool programs) {
  runs_.clear();
  for (const auto& group : groups_) {
    group->points = 0;
    group->computed = false;
    group->surfaces.clear();
    group->places.clear();
    group->oneSurface = true;
  }
  if (!programs) return;
  groups_.clear();
  engines_.clear();
}

RunAhead::Engine& RunAhead::engineFor(const std::shared_ptr<const Program>& program) {
  for (const auto& engine : engines_) {
    if (engine->program == program) return *engine;
  }
  std::uint64_t written = bit(reg::v0);  // 0 when the budget is used up
  for (const Instruction& in : program->code()) {
    if (in.info().writes()) written |= bit(in.destination);
  }
  engines_.push_back(
      std::make_unique<Engine>(Engine{program, std::make_unique<BatchVm>(*program), written}));
  return *engines_.back();
}

RunAhead::Group& RunAhead::groupFor(const std::shared_ptr<const Program>& program, bool live,
                                    bool resumed) {
  for (const auto& group : groups_) {
    if (group->engine->program == program && group->live == live && group->resumed == resumed)
      return *group;
  }
  Group& group = *groups_.emplace_back(std::make_unique<Group>());
  group.engine = &engineFor(program);
  group.live = live;
  group.resumed = resumed;
  group.batch.keepPaths(clocks_);
  return group;
}

// ---- what comes

void RunAhead::add(const Surface& surface, Words words, Samples samples) {
  const bool live = (words[slot::kFlags] & slot::kTraceLive) != 0;
  Group& group = groupFor(surface.program, live, false);
  const std::size_t point = group.grow();
  std::memcpy(&group.words[point * kSlotStride], words.data(), words.size_bytes());
  if (group.samplesTextures())
    std::memcpy(&group.samples[point * kSampleStride], samples.data(), samples.size_bytes());
  group.oneSurface = group.oneSurface && (point == 0 || group.surfaces.front() == &surface);
  group.surfaces.push_back(&surface);
  runs_.push_back({&group, static_cast<std::uint32_t>(point)});
}

void RunAhead::add(const std::shared_ptr<const Program>& program, const Vm& vm) {
  if (vm.state() != Stop::None) return add();
  Group& group = groupFor(program, true, true);  // it was set aside because it asked
  const std::size_t point = group.grow();
  std::memcpy(&group.words[point * kRegisterStride], &vm.registers(), sizeof(Registers));
  group.places.push_back({vm.pc(), vm.instructions(), vm.randomState()});
  runs_.push_back({&group, static_cast<std::uint32_t>(point)});
}

void RunAhead::compute() {
  for (const auto& group : groups_) {
    if (group->points >= kFewest) compute(*group);
  }
}

/// Where the start value of a register is, and how far from run to run.
struct Column {
  const float* first = nullptr;  ///< null: in the surface
  std::size_t stride = 0;
};
static Column columnOf(bool resumed, const float* words, const float* samples, unsigned id) {
  if (resumed) {
    const unsigned at = isVector(id) ? 3 * id : 3 * kVectors + id - kFirstScalar;
    return {words + at, kRegisterStride};
  }
  if ((bit(id) & kSampled) != 0) return {samples + std::size_t{3} * (id - reg::t0), kSampleStride};
  const unsigned at = id == reg::I ? slot::kIndex : slot::vectorPlace(id);
  return at != 0 ? Column{words + at, kSlotStride} : Column{};
}

void RunAhead::compute(Group& group) {
  const BatchVm& vm = *group.engine->vm;
  const Program& program = *group.engine->program;
  Batch& batch = group.batch;
  batch.restart(group.points);
  // Of registers that a way leaves alone the start value is the end value.
  std::uint64_t needed = group.resumed ? program.reads() : program.inputs();
  if (group.showsRegisters()) needed |= group.engine->written;
  if (!group.resumed) needed &= ~(bit(reg::v0) | bit(reg::v1));  // a run begins with 0 there
  each(needed, [&](unsigned id) {
    const Column column = columnOf(group.resumed, group.words.data(), group.samples.data(), id);
    if (column.first != nullptr) return vm.collect(batch, id, column.first, column.stride);
    if (group.oneSurface) return batch.fill(id, group.surfaces.front()->registers);
    for (std::size_t point = 0; point < group.points; ++point)
      batch.setRegisters(point, group.surfaces[point]->registers, bit(id));
  });
  for (std::size_t point = 0; point < group.points; ++point) {
    if (group.resumed) {
      const Group::Place& place = group.places[point];
      batch.setSeed(point, place.random);
      batch.setPlace(point, place.pc, place.instructions);
    } else {
      batch.setSeed(point,
                    std::bit_cast<std::uint32_t>(group.words[point * kSlotStride + slot::kSeed]));
    }
  }
  Later world(group.live);
  Counters uncounted;
  vm.run(batch, world, uncounted);
  group.computed = true;
  group.found.assign((group.points + batch::kPoints - 1) / batch::kPoints, 0);
}

// ---- what has come

std::optional<RunAhead::Outcome> RunAhead::find(std::size_t index, const Surface& surface,
                                                Words words, Samples samples) {
  const Run& run = runs_[index];
  if (run.group == nullptr || !run.group->computed || run.group->resumed) return std::nullopt;
  const Group& group = *run.group;
  const Surface& looked = *group.surfaces[run.point];
  if (looked.program != surface.program || looked.needed != words.size() ||
      !same(&group.words[run.point * kSlotStride], words.data(), words.size_bytes()) ||
      !same(&looked.registers, &surface.registers, sizeof(Registers)))
    return std::nullopt;
  if (group.samplesTextures() &&
      !same(&group.samples[run.point * kSampleStride], samples.data(), samples.size_bytes()))
    return std::nullopt;
  return outcome(run);
}

std::optional<RunAhead::Outcome> RunAhead::find(std::size_t index, const Vm& vm) {
  const Run& run = runs_[index];
  if (run.group == nullptr || !run.group->computed || !run.group->resumed) return std::nullopt;
  const Group& group = *run.group;
  const Group::Place& place = group.places[run.point];
  if (group.engine->program.get() != &vm.program() || place.pc != vm.pc() ||
      place.instructions != vm.instructions() || place.random != vm.randomState() ||
      !same(&group.words[run.point * kRegisterStride], &vm.registers(), sizeof(Registers)))
    return std::nullopt;
  return outcome(run);
}

std::optional<RunAhead::Outcome> RunAhead::outcome(const Run& run) {
  Group& group = *run.group;
  const Batch& batch = group.batch;
  const Outcome out{batch.state(run.point), batch.instructions(run.point), batch.cost(run.point),
                    batch.vector(run.point, reg::v0)};
  // Nobody promises what a not-a-number's payload is, and it can be seen in memory.
  bool numbers = isNumber(out.colour);
  if (out.stop == Stop::Trace || out.stop == Stop::Lookup) {
    each(group.engine->written, [&](unsigned id) {
      numbers = numbers && (isVector(id) ? isNumber(batch.vector(run.point, id))
                                         : !std::isnan(batch.scalar(run.point, id)));
    });
  }
  if (!numbers) return std::nullopt;
  group.found[run.point / batch::kPoints] |= bit(run.point % batch::kPoints);
  return out;
}

void RunAhead::carry(std::size_t index, Vm& vm) const {
  const Run& run = runs_[index];
  const Batch& batch = run.group->batch;
  const std::uint64_t written = run.group->engine->written;
  Registers registers;
  each(written, [&](unsigned id) {
    if (isVector(id)) {
      registers.vector(id) = batch.vector(run.point, id);
    } else {
      registers.scalar(id) = batch.scalar(run.point, id);
    }
  });
  vm.carry(registers, written, batch.pc(run.point), batch.instructions(run.point),
           batch.randomState(run.point), batch.state(run.point));
}

void RunAhead::settle(Executions& executed) {
  for (const auto& group : groups_) {
    if (!group->computed) continue;
    for (std::size_t block = 0; block < group->found.size(); ++block) {
      const std::uint64_t found = std::exchange(group->found[block], 0);
      if (found == 0) continue;
      for (const Batch::Path& path : group->batch.paths(block)) {
        const auto times = static_cast<std::uint64_t>(std::popcount(found & path.points));
        for (std::size_t form = 0; form < kForms; ++form)
          executed[form] += times * path.executed[form];
      }
    }
  }
}

}  // namespace rtvp::sl::unit
