// See hull.hpp.
#include "models/implicit/render/hull.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/implicit/registers/batch_evaluator.hpp"
#include "models/implicit/render/evaluation_watch.hpp"

namespace rtvp::implicit::render {
namespace {

Bounds cellBox(const Bounds& bounds, const std::array<std::uint8_t, 3>& at,
               const std::array<unsigned, 3>& grid) {
  Bounds box;
  for (unsigned n = 0; n < 3; ++n) {
    box.min[n] = latticePlane(bounds, n, at[n], grid[n]);
    box.max[n] = latticePlane(bounds, n, at[n] + 1U, grid[n]);
  }
  return box;
}

/// Runs the two stages for one object.
class Builder {
 public:
  Builder(const Object& object, const Settings& settings, Counters& counters, Observer& observer,
          std::uint32_t number)
      : object_(object),
        settings_(settings),
        counters_(counters),
        observer_(observer),
        watch_(observer.watch()),
        number_(number) {
    hull_.bounds = object.bounds();
    hull_.leaf_at.assign(kLeaves, kNoLeaf);
    for (unsigned n = 0; n < 3; ++n)
      for (unsigned index = 0; index <= kLeafGrid[n]; ++index)
        hull_.planes[n][index] = latticePlane(hull_.bounds, n, index, kLeafGrid[n]);
    if (settings.compact)
      programOf(object.program());
    else
      maskOf(Mask(object.tape()->size()));
  }

  Hull run() {
    lookAhead(0, 2 * kGroup, [&](unsigned cell) { return taskCell(cell).box; });
    for (unsigned cell = 0; cell < 2 * kGroup; ++cell) task(cell);
    for (std::uint32_t at = 0; at < hull_.tasks.size(); ++at) {
      lookAhead(hull_.tasks[at].code, kGroup, [&](unsigned lane) { return leafOf(at, lane).box; });
      for (unsigned lane = 0; lane < kGroup; ++lane) mesh(at, lane);
    }
    for (Leaf& leaf : hull_.leaves)
      if (settings_.trim) trim(leaf);
    hull_.sloped = settings_.findsSlopes() && !object_.declares();
    for (Leaf& leaf : hull_.leaves)
      if (hull_.sloped) slope(leaf);
    count();
    return std::move(hull_);
  }

 private:
  /// The ranges of a code over boxes, side by side; keep() and test() take them in this order. Who
  /// watches sees one after the other, and masks have runs of their own.
  template <class BoxOf>
  void lookAhead(std::uint32_t code, unsigned boxes, BoxOf&& box, bool prune = true) {
    if (watch_ != nullptr || !settings_.compact) return;
    ahead_program_ = hull_.codes[code].program;
    std::vector<Bounds> all;
    for (unsigned n = 0; n < boxes; ++n) all.push_back(box(n));
    ahead_.resize(boxes);
    evaluator_.boxes(*ahead_program_, all, ahead_, prune);
  }

  [[nodiscard]] TaskCell taskCell(unsigned cell) const {
    TaskCell task;
    task.group = static_cast<std::uint8_t>(cell / kGroup);
    task.lane = static_cast<std::uint8_t>(cell % kGroup);
    task.at = {static_cast<std::uint8_t>(task.lane % 4),
               static_cast<std::uint8_t>(task.lane / 4 % 4),
               static_cast<std::uint8_t>(task.lane / 16 + 2 * task.group)};
    task.box = cellBox(hull_.bounds, task.at, kTaskGrid);
    return task;
  }

  void task(unsigned cell) {
    TaskCell task = taskCell(cell);
    CellEvent event;
    event.stage = Stage::Task;
    event.number = cell;
    if (!keep(task.box, 0, cell, event, counters_.task)) return;
    task.code = event.kept_code;
    hull_.tasks.push_back(task);
  }

  [[nodiscard]] Leaf leafOf(std::uint32_t task_index, unsigned lane) const {
    const TaskCell& task = hull_.tasks[task_index];
    Leaf leaf;
    leaf.number = (task.group * kGroup + task.lane) * kGroup + lane;
    leaf.at = {static_cast<std::uint8_t>(task.at[0] * 4 + lane % 4),
               static_cast<std::uint8_t>(task.at[1] * 4 + lane / 4 % 4),
               static_cast<std::uint8_t>(task.at[2] * 2 + lane / 16)};
    leaf.box = leaf.trimmed = cellBox(hull_.bounds, leaf.at, kLeafGrid);
    leaf.task = task_index;
    return leaf;
  }

  void mesh(std::uint32_t task_index, unsigned lane) {
    Leaf leaf = leafOf(task_index, lane);
    CellEvent event;
    event.stage = Stage::Mesh;
    event.number = leaf.number;
    if (!keep(leaf.box, hull_.tasks[task_index].code, lane, event, counters_.mesh)) return;
    leaf.code = event.kept_code;
    hull_.leaf_at[leaf.at[0] + 16U * leaf.at[1] + 256U * leaf.at[2]] =
        static_cast<std::uint32_t>(hull_.leaves.size());
    hull_.leaves.push_back(leaf);
  }

  /// The box around the parts of a leaf that are not proven empty. A leaf whose parts all are stays
  /// whole: it is for the mesh stage to drop leaves.
  void trim(Leaf& leaf) {
    const auto partAt = [](unsigned part) {
      return std::array<unsigned, 3>{part % 2, part / 2 % 2, part / 4};
    };
    const auto boxOf = [&](unsigned part) {
      const std::array<unsigned, 3> at = partAt(part);
      Bounds box;
      for (unsigned n = 0; n < 3; ++n) {
        box.min[n] = latticePlane(leaf.box, n, at[n], kTrimGrid[n]);
        box.max[n] = latticePlane(leaf.box, n, at[n] + 1, kTrimGrid[n]);
      }
      return box;
    };
    lookAhead(leaf.code, kTrimCells, boxOf, false);
    std::array<unsigned, 3> low = kTrimGrid, high{};
    for (unsigned part = 0; part < kTrimCells; ++part) {
      const std::array<unsigned, 3> at = partAt(part);
      CellEvent event;
      event.stage = Stage::Trim;
      event.number = leaf.number * kTrimCells + part;
      if (!test(boxOf(part), leaf.code, part, event)) continue;
      for (unsigned n = 0; n < 3; ++n) {
        low[n] = std::min(low[n], at[n]);
        high[n] = std::max(high[n], at[n] + 1);
      }
    }
    for (unsigned n = 0; n < 3 && high[0] > 0; ++n) {
      leaf.trimmed.min[n] = latticePlane(leaf.box, n, low[n], kTrimGrid[n]);
      leaf.trimmed.max[n] = latticePlane(leaf.box, n, high[n], kTrimGrid[n]);
    }
  }

  /// A run with ranges of the derivatives, where traces will be.
  void slope(Leaf& leaf) {
    const Code& code = hull_.codes[leaf.code];
    CellEvent event;
    event.stage = Stage::Slope;
    event.object = number_;
    event.number = leaf.number;
    event.verdict = Verdict::Ambiguous;
    event.ran = event.kept_code = leaf.code;
    leaf.slope = slopesOver(watch_, evaluation(event, leaf.code), leaf.trimmed);
    event.executed = event.kept = code.executed;
    event.skipped = code.skipped;
    ++counters_.slope_tested;
    counters_.slope_unbounded += leaf.slope.finite() ? 0U : 1U;
    counters_.slope_executed += code.executed;
    tell(event);
  }

  /// An interval run without pruning.
  bool test(const Bounds& box, std::uint32_t code, unsigned number, CellEvent& event) {
    const Interval value =
        ahead_program_ ? ahead_[number] : rangeOver(watch_, evaluation(event, code), box);
    event.kept_code = code;
    return told(value, code, event, counters_.trim);
  }

  /// One interval run over a cell, the `number`th that lookAhead() saw. Completes and sends the
  /// event; false: no surface in there.
  bool keep(const Bounds& box, std::uint32_t code, unsigned number, CellEvent& event,
            CellCounters& counters) {
    const std::size_t before = hull_.codes.size();
    const Evaluation what = evaluation(event, code);
    const Interval value = ahead_program_      ? takeProgram(code, number, event.kept_code)
                           : settings_.compact ? runProgram(box, what, event.kept_code)
                                               : runMask(box, what, event.kept_code);
    event.new_code = hull_.codes.size() > before;
    return told(value, code, event, counters);
  }

  /// What a run found: counters, event. True if the cell stays.
  bool told(const Interval& value, std::uint32_t code, CellEvent& event, CellCounters& counters) {
    const Code& ran = hull_.codes[code];
    event.object = number_;
    event.ran = code;
    event.executed = ran.executed;
    event.skipped = ran.skipped;
    event.verdict = verdictOf(value);
    const bool kept = event.verdict == Verdict::Ambiguous;
    if (kept) event.kept = hull_.codes[event.kept_code].executed;
    if (kept) counters.decided += ran.executed - event.kept;
    ++counters.tested;
    counters.outside += event.verdict == Verdict::Outside ? 1U : 0U;
    counters.inside += event.verdict == Verdict::Inside ? 1U : 0U;
    counters.ambiguous += kept ? 1U : 0U;
    counters.undefined += value.undefined ? 1U : 0U;
    counters.executed += ran.executed;
    counters.skipped += ran.skipped;
    tell(event);
    return kept;
  }

  void tell(const CellEvent& event) {
    observer_.cell(event);
    if (watch_ != nullptr) watch_->cell(event);
  }

  [[nodiscard]] Evaluation evaluation(const CellEvent& event, std::uint32_t code) const {
    constexpr std::array<Phase, 4> kPhases{Phase::Task, Phase::Mesh, Phase::Trim, Phase::Slope};
    Evaluation what;
    what.phase = kPhases.at(static_cast<std::size_t>(event.stage));
    what.object = number_;
    what.cell = event.number;
    what.number = code;
    what.tape = object_.tape();
    what.code = &hull_.codes[code];
    return what;
  }

  /// A cell goes only if it is proven empty: a run that met points without a value proves nothing.
  static Verdict verdictOf(const Interval& value) {
    if (!value.undefined && value.lo > 0) return Verdict::Outside;
    if (!value.undefined && value.hi < 0) return Verdict::Inside;
    return Verdict::Ambiguous;
  }

  /// f over the box by a code; the code for the box, if it is kept, into `shorter`.
  Interval runMask(const Bounds& box, const Evaluation& what, std::uint32_t& shorter) {
    BoxResult result = pruneMask(watch_, what, box, {settings_.smooth_prune});
    shorter = what.number;
    if (settings_.prune && verdictOf(result.value) == Verdict::Ambiguous)
      shorter = maskOf(std::move(result.mask));
    return result.value;
  }
  Interval runProgram(const Bounds& box, const Evaluation& what, std::uint32_t& shorter) {
    registers::IntervalResult result = pruneProgram(watch_, what, box);
    shorter = what.number;
    if (settings_.prune && verdictOf(result.value) == Verdict::Ambiguous)
      shorter = programOf(std::move(result.program));
    return result.value;
  }

  Interval takeProgram(std::uint32_t code, unsigned number, std::uint32_t& shorter) {
    shorter = code;
    if (settings_.prune && verdictOf(ahead_[number]) == Verdict::Ambiguous)
      shorter = programOf(evaluator_.prune(*ahead_program_, number));
    return ahead_[number];
  }

  std::uint32_t maskOf(Mask mask) {
    const auto next = static_cast<std::uint32_t>(hull_.codes.size());
    const auto [it, fresh] = masks_.try_emplace(mask.bytes(), next);
    if (fresh) hull_.codes.push_back(Code::masked(*object_.tape(), std::move(mask)));
    return it->second;
  }
  std::uint32_t programOf(registers::Program program) {
    const auto next = static_cast<std::uint32_t>(hull_.codes.size());
    const auto [it, fresh] = programs_.try_emplace(registers::encode(program), next);
    if (fresh) hull_.codes.push_back(Code::compact(std::move(program)));
    return it->second;
  }

  void count() {
    std::vector<bool> used(hull_.codes.size());
    for (const Leaf& leaf : hull_.leaves) used[leaf.code] = true;
    for (std::size_t n = 0; n < used.size(); ++n) {
      if (!used[n]) continue;
      ++counters_.programs;
      if (settings_.compact)
        counters_.program_bytes += 8 * registers::encode(*hull_.codes[n].program).size();
    }
    if (!settings_.compact)
      counters_.mask_bytes += hull_.leaves.size() * ((object_.tape()->size() + 7) / 8);
  }

  const Object& object_;
  const Settings& settings_;
  Counters& counters_;
  Observer& observer_;
  EvaluationWatch* watch_;
  std::uint32_t number_;
  Hull hull_;
  registers::BatchEvaluator evaluator_;
  std::shared_ptr<const registers::Program> ahead_program_;  ///< of lookAhead(); null: nothing is
  std::vector<Interval> ahead_;
  std::map<std::vector<std::uint8_t>, std::uint32_t> masks_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> programs_;
};

}  // namespace

float latticePlane(const Bounds& bounds, unsigned axis, unsigned index, unsigned cells) {
  if (index == cells) return bounds.max[axis];
  const double low = bounds.min[axis], high = bounds.max[axis];
  return static_cast<float>(low + (high - low) * (static_cast<double>(index) / cells));
}

Hull buildHull(const Object& object, const Settings& settings, Counters& counters,
               Observer& observer, std::uint32_t number) {
  if (const auto fault = settings.fault(); !fault.empty())
    throw std::invalid_argument(std::string(fault));
  if (!settings.compact && object.tape() == nullptr)
    throw ObjectError("an object without a tape has no masks");
  if (settings.mode == Mode::Seed && object.tape()->size() > kSeedInstructions)
    throw ObjectError("mode=seed runs tapes of at most " + std::to_string(kSeedInstructions) +
                      " instructions, found " + std::to_string(object.tape()->size()));
  observer.object(number);
  return Builder(object, settings, counters, observer, number).run();
}

Hull buildHull(const Object& object, const Settings& settings, Counters& counters) {
  Observer silent;
  return buildHull(object, settings, counters, silent);
}

Hull wholeBox(const Object& object, const Settings& settings) {
  Hull hull;
  hull.bounds = object.bounds();
  if (!settings.compact && object.tape() == nullptr)
    throw ObjectError("an object without a tape has no masks");
  hull.codes.push_back(settings.compact
                           ? Code::compact(object.program())
                           : Code::masked(*object.tape(), Mask(object.tape()->size())));
  TaskCell task;
  task.box = hull.bounds;
  hull.tasks.push_back(task);
  Leaf leaf;
  leaf.box = leaf.trimmed = hull.bounds;
  hull.leaves.push_back(leaf);
  return hull;
}

}  // namespace rtvp::implicit::render
