// See batch_vm.hpp.
#include "models/sl/batch_vm.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "models/sl/math.hpp"

namespace rtvp::sl {

using batch::kPoints;

namespace {
constexpr std::uint64_t kAllVectors = (std::uint64_t{1} << kVectors) - 1;
constexpr std::uint64_t kAllScalars = (std::uint64_t{1} << kScalars) - 1;
}  // namespace

Batch::Batch(std::size_t points) : size_(0) {
  restart(points);
  for (batch::Block& b : blocks_) std::fill(std::begin(b.random), std::end(b.random), 1U);
}

void Batch::restart(std::size_t points) {
  size_ = points;
  placed_ = false;
  if (blockCount() > blocks_.size()) blocks_.resize(blockCount());
  states_.assign(points, Stop::Done);
  instructions_.assign(points, 0);
  pcs_.assign(points, 0);
  if (keepsPaths_) spent_.resize(points);
  if (keepsPaths_ && paths_.size() < blocks_.size()) paths_.resize(blocks_.size());
}

void Batch::keepPaths(std::span<const std::uint32_t, kForms> costs) {
  keepsPaths_ = true;
  std::copy(costs.begin(), costs.end(), costs_.begin());
  spent_.resize(size_);
  paths_.resize(blocks_.size());
}

void Batch::setVector(std::size_t point, unsigned id, const Vec3& value) {
  for (unsigned lane = 0; lane < 3; ++lane) at(point, row(id) + lane) = value[lane];
}
void Batch::setScalar(std::size_t point, unsigned id, float value) {
  at(point, row(id)) = value;
}
void Batch::fill(unsigned id, const Registers& registers) {
  for (batch::Block& block : std::span(blocks_).first(blockCount())) {
    if (isVector(id)) {
      for (unsigned lane = 0; lane < 3; ++lane)
        std::fill_n(block.rows[row(id) + lane], kPoints, registers.vector(id)[lane]);
    } else {
      std::fill_n(block.rows[row(id)], kPoints, registers.scalar(id));
    }
  }
}
void Batch::setSeed(std::size_t point, std::uint32_t seed) {
  blocks_[point / kPoints].random[point % kPoints] = seed == 0 ? 1 : seed;
}
void Batch::setPlace(std::size_t point, std::uint32_t pc, std::uint32_t instructions) {
  placed_ = true;
  pcs_[point] = pc;
  instructions_[point] = instructions;
}
void Batch::setRegisters(std::size_t point, const Registers& registers) {
  setRegisters(point, registers, ~std::uint64_t{0});
}
void Batch::setRegisters(std::size_t point, const Registers& registers, std::uint64_t which) {
  auto& rows = blocks_[point / kPoints].rows;
  const std::size_t p = point % kPoints;
  for (std::uint64_t left = which & kAllVectors; left != 0; left &= left - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(left));
    const Vec3& v = registers.vectors[id];
    float(*const lanes)[kPoints] = &rows[3 * std::size_t{id}];
    lanes[0][p] = v.x;
    lanes[1][p] = v.y;
    lanes[2][p] = v.z;
  }
  for (std::uint64_t left = which >> kFirstScalar & kAllScalars; left != 0; left &= left - 1) {
    const auto n = static_cast<unsigned>(std::countr_zero(left));
    rows[3 * kVectors + n][p] = registers.scalars[n];
  }
}

Vec3 Batch::vector(std::size_t point, unsigned id) const {
  const unsigned r = row(id);
  return {at(point, r), at(point, r + 1), at(point, r + 2)};
}
float Batch::scalar(std::size_t point, unsigned id) const {
  return at(point, row(id));
}
Registers Batch::registers(std::size_t point) const {
  Registers out;
  for (const RegisterInfo& r : kRegisters) {
    if (isVector(r.id)) {
      out.vector(r.id) = vector(point, r.id);
    } else {
      out.scalar(r.id) = scalar(point, r.id);
    }
  }
  return out;
}
std::uint32_t Batch::randomState(std::size_t point) const {
  return blocks_[point / kPoints].random[point % kPoints];
}

namespace {

void add(Batch::Tally& to, const Batch::Tally& executed) {
  for (std::size_t form = 0; form < to.size(); ++form) to[form] += executed[form];
}

/// The same, a path a point.
std::vector<Batch::Path> pathsOfPoints(const std::vector<Batch::Path>& paths) {
  std::vector<Batch::Path> out;
  for (unsigned p = 0; p < kPoints; ++p) {
    const std::uint64_t point = std::uint64_t{1} << p;
    out.push_back({point, {}});
    for (const Batch::Path& path : paths) {
      if ((path.points & point) != 0) add(out.back().executed, path.executed);
    }
  }
  return out;
}

}  // namespace

/// One block from start to end.
class BlockRun {
 public:
  BlockRun(const BatchVm& vm, Batch& batch, std::size_t first, unsigned points, Environment& world,
           Counters& counters)
      : vm_(vm),
        batch_(batch),
        block_(batch.blocks_[first / kPoints]),
        first_(first),
        all_(points == kPoints ? ~std::uint64_t{0} : (std::uint64_t{1} << points) - 1),
        world_(world),
        counters_(counters) {}

  void run() {
    if (batch_.keepsPaths_) {
      batch_.paths_[first_ / kPoints].clear();
      std::fill_n(batch_.spent_.begin() + static_cast<std::ptrdiff_t>(first_), std::popcount(all_),
                  0);
    }
    each(all_, [this](unsigned p) {
      batch_.states_[first_ + p] = Stop::Done;
      done_[p] = batch_.placed_ ? batch_.instructions_[first_ + p] : 0;
      counters_.instructions -= done_[p];
      if (batch_.placed_) wait(batch_.pcs_[first_ + p], std::uint64_t{1} << p);
    });
    if (!batch_.placed_) wait(0, all_);
    while (count_ > 0) runPart();
    each(all_, [this](unsigned p) {
      batch_.instructions_[first_ + p] = done_[p];
      counters_.instructions += done_[p];
    });
  }

 private:
  /// Points that stand at the same instruction.
  struct Part {
    std::uint32_t pc;
    std::uint64_t points;
  };

  void runPart();
  void wait(std::uint32_t pc, std::uint64_t points);
  void account(std::uint64_t points, std::uint32_t instructions, std::uint64_t cost);
  void keepPath(std::uint64_t points, std::uint64_t cost);
  void overBudget();
  [[nodiscard]] std::uint64_t ask(const BatchVm::Step& step, std::uint64_t points);
  void stop(std::uint64_t points, std::uint32_t pc, Stop why);

  template <typename F>
  static void each(std::uint64_t points, const F& f) {
    for (; points != 0; points &= points - 1) f(static_cast<unsigned>(std::countr_zero(points)));
  }

  const BatchVm& vm_;
  Batch& batch_;
  batch::Block& block_;
  std::size_t first_;
  std::uint64_t all_;
  Environment& world_;
  Counters& counters_;
  std::array<Part, kPoints> parts_{};  ///< waiting, by falling pc: the last runs next
  std::size_t count_ = 0;
  std::array<std::uint32_t, kPoints> done_{};
  batch::Mask mask_;
  Batch::Tally path_{};  ///< forms executed by the part that runs
};

/// Puts points aside; those at the same instruction become one part, those at the end are done.
void BlockRun::wait(std::uint32_t pc, std::uint64_t points) {
  if (pc == vm_.steps_.size()) return;
  std::size_t n = count_;
  while (n > 0 && parts_[n - 1].pc < pc) --n;
  if (n > 0 && parts_[n - 1].pc == pc) {
    parts_[n - 1].points |= points;
    return;
  }
  std::move_backward(parts_.begin() + static_cast<std::ptrdiff_t>(n),
                     parts_.begin() + static_cast<std::ptrdiff_t>(count_),
                     parts_.begin() + static_cast<std::ptrdiff_t>(count_) + 1);
  parts_[n] = {pc, points};
  ++count_;
}

/// What points executed together, in few rows: loops bring the same points again and again.
void BlockRun::keepPath(std::uint64_t points, std::uint64_t cost) {
  std::uint64_t* const spent = &batch_.spent_[first_];
  if (points == ~std::uint64_t{0}) {
    for (unsigned p = 0; p < kPoints; ++p) spent[p] += cost;
  } else {
    each(points, [&](unsigned p) { spent[p] += cost; });
  }
  std::vector<Batch::Path>& paths = batch_.paths_[first_ / kPoints];
  constexpr std::size_t kLookedAt = 4, kMost = 256;
  const std::size_t looked = std::min(kLookedAt, paths.size());
  for (std::size_t n = paths.size() - looked; n < paths.size(); ++n) {
    if (paths[n].points == points) return add(paths[n].executed, path_);
  }
  if (paths.size() == kMost) paths = pathsOfPoints(paths);
  paths.push_back({points, path_});
}

void BlockRun::account(std::uint64_t points, std::uint32_t instructions, std::uint64_t cost) {
  if (batch_.keepsPaths_) keepPath(points, cost);
  if (points == ~std::uint64_t{0}) {
    for (std::uint32_t& d : done_) d += instructions;
    return;
  }
  each(points, [&](unsigned p) { done_[p] += instructions; });
}

void BlockRun::stop(std::uint64_t points, std::uint32_t pc, Stop why) {
  each(points, [&](unsigned p) {
    batch_.states_[first_ + p] = why;
    batch_.pcs_[first_ + p] = pc;
  });
}

/// Ends the waiting points that have used up their instructions.
void BlockRun::overBudget() {
  std::size_t kept = 0;
  for (std::size_t n = 0; n < count_; ++n) {
    Part part = parts_[n];
    std::uint64_t out = 0;
    each(part.points, [&](unsigned p) {
      if (done_[p] >= kBudget) out |= std::uint64_t{1} << p;
    });
    stop(out, part.pc, Stop::Budget);
    counters_.over_budget += static_cast<std::uint64_t>(std::popcount(out));
    part.points &= ~out;
    each(out, [&](unsigned p) {
      for (unsigned lane = 0; lane < 3; ++lane)
        block_.rows[3 * static_cast<unsigned>(reg::v0) + lane][p] = 0;
    });
    if (part.points != 0) parts_[kept++] = part;
  }
  count_ = kept;
}

/// The points that got no answer.
std::uint64_t BlockRun::ask(const BatchVm::Step& step, std::uint64_t points) {
  std::uint64_t stopped = 0;
  const auto vectorAt = [this](unsigned row, unsigned p) {
    return Vec3{block_.rows[row][p], block_.rows[row + 1][p], block_.rows[row + 2][p]};
  };
  each(points, [&](unsigned p) {
    Vec3 out;
    const Vec3 b = vectorAt(step.operands.b, p);
    const bool leaves = step.form == Form::Lookup || traceLeaves(vectorAt(step.operands.a, p), b);
    if (leaves && !world_.answers(first_ + p, step.form)) {
      stopped |= std::uint64_t{1} << p;
      return;
    }
    if (step.form == Form::Lookup) {
      ++counters_.lookups;
      const unsigned slot = step.operands.a / 3U - static_cast<unsigned>(reg::t0);
      out = world_.lookup(first_ + p, slot, b.x, b.y);
    } else if (leaves) {
      ++counters_.traces;
      out = world_.trace(first_ + p, vectorAt(step.operands.a, p), b);
    }
    for (unsigned lane = 0; lane < 3; ++lane)
      block_.rows[step.operands.destination + lane][p] = out[lane];
  });
  return stopped;
}

/// Runs the part that is furthest behind until it ends, splits, jumps behind another, or meets one.
void BlockRun::runPart() {
  auto [pc, points] = parts_[--count_];
  const auto size = static_cast<std::uint32_t>(vm_.steps_.size());
  const std::uint32_t meet = count_ > 0 ? parts_[count_ - 1].pc : size;
  std::uint32_t most = 0;
  if (points == ~std::uint64_t{0}) {
    for (const std::uint32_t d : done_) most = std::max(most, d);
  } else {
    each(points, [&](unsigned p) { most = std::max(most, done_[p]); });
  }
  const std::uint32_t allowed = kBudget - most;
  std::uint32_t done = 0;
  std::uint64_t cost = 0;
  path_ = {};
  if (points != all_) vm_.kernels_->expand(points, mask_);
  const batch::Mask* const mask = points == all_ ? nullptr : &mask_;
  bool ended = false;
  while (pc < meet && done < allowed && !ended) {
    const BatchVm::Step& step = vm_.steps_[pc++];
    ++done;
    ++path_[static_cast<unsigned>(step.form)];
    cost += batch_.costs_[static_cast<unsigned>(step.form)];
    if (step.kernel != nullptr) {
      step.kernel(block_, step.operands, vm_.tables_, mask);
      continue;
    }
    switch (step.form) {
      case Form::Ret:
        ended = true;
        break;
      case Form::Jmp:
        pc = step.target;
        break;
      case Form::Blt: {
        const std::uint64_t taken = vm_.kernels_->less(block_, step.operands) & points;
        if (taken == points) {
          pc = step.target;
        } else if (taken != 0) {
          account(points, done, cost);
          wait(step.target, taken);
          wait(pc, points & ~taken);
          if (most + done >= kBudget) overBudget();
          return;
        }
        break;
      }
      case Form::Trace:
      case Form::Lookup: {
        const std::uint64_t stopped = ask(step, points);
        if (stopped == 0) break;
        account(stopped, done - 1, cost);
        stop(stopped, pc - 1, step.form == Form::Trace ? Stop::Trace : Stop::Lookup);
        if (stopped == points) return;
        account(points & ~stopped, done, cost);
        wait(pc, points & ~stopped);
        if (most + done >= kBudget) overBudget();
        return;
      }
      default:
        break;  // nop
    }
  }
  account(points, done, cost);
  if (ended) return;
  wait(pc, points);
  if (most + done >= kBudget) overBudget();
}

BatchVm::BatchVm(const Program& program, batch::Isa isa) : inputs_(program.inputs()) {
  if (!batch::isaUsable(isa))
    throw std::invalid_argument("this host has no " + std::string(batch::isaName(isa)));
  kernels_ = &batch::kernels(isa);
  const NoiseTables& noise = noiseTables();
  for (std::size_t n = 0; n < 256; ++n) {
    tables_.permutation[n] = noise.permutation[n];
    tables_.slopes[n] = noise.slopes[noise.permutation[n] & 15U];
    tables_.gradients[n] = static_cast<std::int32_t>(noise.gradients[noise.permutation[n]]);
  }
  steps_.reserve(program.size());
  for (std::size_t pc = 0; pc < program.size(); ++pc) {
    const Instruction& in = program[pc];
    Step step{in.form, kernels_->form[static_cast<unsigned>(in.form)], {}, 0};
    const auto row = [](unsigned id, unsigned lane) {
      return static_cast<std::uint16_t>(Batch::row(id) + lane);
    };
    const FormInfo& info = in.info();
    if (info.writes())
      step.operands.destination = row(in.destination, in.form == Form::Movc ? 0 : in.lane);
    if (info.sources() > 0) step.operands.a = row(in.a, in.form == Form::Movc ? in.lane : 0);
    if (info.sources() > 1) step.operands.b = row(in.b, 0);
    if (info.has(Operand::Literal)) step.operands.literal = in.literal();
    if (info.branches()) step.target = program.target(pc);
    steps_.push_back(step);
  }
}

void BatchVm::load(Batch& batch, std::span<const Registers> registers) const {
  static_assert(sizeof(Registers) % sizeof(float) == 0 && sizeof(Vec3) == 3 * sizeof(float));
  constexpr std::size_t kStride = sizeof(Registers) / sizeof(float);
  if (registers.size() > batch.size())
    throw std::invalid_argument("more registers than the batch has points");
  const std::size_t whole = registers.size() / kPoints * kPoints;
  for (std::size_t first = 0; first < whole; first += kPoints) {
    batch::Block& block = batch.blocks_[first / kPoints];
    const Registers& from = registers[first];
    for (std::uint64_t left = inputs_ & kAllVectors; left != 0; left &= left - 1) {
      const auto id = static_cast<unsigned>(std::countr_zero(left));
      for (unsigned lane = 0; lane < 3; ++lane)
        kernels_->collect(block.rows[3 * id + lane], &from.vectors[id].x + lane, kStride);
    }
    for (std::uint64_t left = inputs_ >> kFirstScalar & kAllScalars; left != 0; left &= left - 1) {
      const auto n = static_cast<unsigned>(std::countr_zero(left));
      kernels_->collect(block.rows[3 * kVectors + n], &from.scalars[n], kStride);
    }
  }
  for (std::size_t p = whole; p < registers.size(); ++p)
    batch.setRegisters(p, registers[p], inputs_);
}

void BatchVm::collect(Batch& batch, unsigned id, const float* from, std::size_t stride) const {
  const unsigned row = Batch::row(id), lanes = isVector(id) ? 3 : 1;
  for (std::size_t n = 0; n < batch.blockCount(); ++n) {
    for (unsigned lane = 0; lane < lanes; ++lane)
      kernels_->collect(batch.blocks_[n].rows[row + lane], from + n * kPoints * stride + lane,
                        stride);
  }
}

void BatchVm::run(Batch& batch, Environment& world, Counters& counters) const {
  for (std::size_t first = 0; first < batch.size(); first += kPoints) {
    batch::Block& block = batch.blocks_[first / kPoints];
    if (!batch.placed_) {
      for (unsigned lane = 0; lane < 3; ++lane)
        std::fill_n(block.rows[Batch::row(reg::v0) + lane], kPoints, 0.0F);
      std::fill_n(block.rows[Batch::row(reg::v1)], kPoints, 0.0F);
    }
    const auto points = static_cast<unsigned>(std::min<std::size_t>(kPoints, batch.size() - first));
    BlockRun(*this, batch, first, points, world, counters).run();
    counters.runs += points;
  }
}

}  // namespace rtvp::sl
