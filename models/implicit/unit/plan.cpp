// See plan.hpp.
#include "models/implicit/unit/plan.hpp"

#include <map>
#include <utility>

namespace rtvp::implicit::unit {
namespace {

constexpr unsigned kLineBytes = 16;
constexpr unsigned kLineInstructions = 8;
constexpr unsigned kMaterialBytes = 64;
constexpr unsigned kProgramHeader = 2;  ///< words

TapeKind tapeOf(Type type) {
  return std::array{
      TapeKind::Floats, TapeKind::Vec2s, TapeKind::Vec4s, TapeKind::Vec4s,
      TapeKind::Mat2s,  TapeKind::Mat3s, TapeKind::Mat4s}[static_cast<std::size_t>(type)];
}

bool isShape(const OpcodeInfo& op) {
  return op.name.starts_with("OPSDF");
}

class PlanBuilder {
 public:
  PlanBuilder(const Timing& timing, Flavour flavour) : timing_(timing), flavour_(flavour) {}

  void touch(CacheKind cache, const Region& region, std::uint64_t address, std::uint32_t bytes) {
    plan_.slots.push_back({cache, &region, address, bytes, 0});
  }
  void compute(Clock cycles) {
    if (plan_.slots.empty()) plan_.slots.emplace_back();
    plan_.slots.back().cycles += static_cast<std::uint32_t>(cycles);
    plan_.cycles += cycles;
  }
  void execute(const OpcodeInfo& op) {
    const Micro micro = microOf(op);
    const bool ranges = flavour_ == Flavour::Interval || flavour_ == Flavour::Range;
    const Clock cost = ranges                          ? timing_.intervalCost(micro)
                       : flavour_ == Flavour::Slope    ? timing_.slopeCost(micro)
                       : flavour_ == Flavour::Gradient ? timing_.gradientCost(micro)
                                                       : timing_.pointCost(micro);
    compute(timing_.decode + cost + (flavour_ == Flavour::Interval ? timing_.prune : 0));
  }
  /// Material number `shape` of the object, if it has one.
  void material(const Region& materials, std::uint32_t shape) {
    const std::uint64_t offset = std::uint64_t{shape} * kMaterialBytes;
    if (offset + kMaterialBytes <= materials.copy.size())
      touch(CacheKind::Constants, materials, materials.first + offset, kMaterialBytes);
  }
  [[nodiscard]] Flavour flavour() const { return flavour_; }
  [[nodiscard]] const Timing& timing() const { return timing_; }
  Plan take() {
    if (flavour_ == Flavour::Material) compute(timing_.resolve);
    condense();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const CacheConfig& configOf(CacheKind kind) const {
    return kind == CacheKind::Opcodes     ? timing_.opcodes
           : kind == CacheKind::Constants ? timing_.constants
                                          : timing_.leaves;
  }

  /// Invariant: a line that was the last one asked for in its set is there, and stays the last one,
  /// so such accesses become numbers beside the slot before them. The others get a slot for each
  /// line. A plan for caches without lines has all accesses: the plain twin.
  void condense() {
    std::vector<Slot> slots;
    std::map<std::pair<CacheKind, std::uint64_t>, std::uint64_t> last;  // by set
    for (const Slot& slot : plan_.slots) {
      const CacheConfig& cache = configOf(slot.cache);
      if (slot.bytes == 0) {
        slots.push_back(slot);
        continue;
      }
      const std::uint64_t size = cache.line_bytes;
      const std::uint64_t end = (slot.address + slot.bytes - 1) / size;
      for (std::uint64_t line = slot.address / size; line <= end; ++line) {
        if (cache.lines != 0) {
          const auto [at, fresh] =
              last.try_emplace({slot.cache, line % (cache.lines / cache.ways)}, line);
          if (!fresh && at->second == line) {
            ++slots.back().again[static_cast<std::size_t>(slot.cache)];
            continue;
          }
          at->second = line;
        }
        Slot& one = slots.emplace_back(slot);
        one.address = line * size;
        one.bytes = cache.line_bytes;
        one.cycles = 0;
      }
      slots.back().cycles += slot.cycles;
    }
    plan_.slots = std::move(slots);
  }

  const Timing& timing_;
  Flavour flavour_;
  Plan plan_;
};

/// Dependency entries, back to front: those of executed instructions, eight a line.
void backwardPass(PlanBuilder& plan, const Mask& mask, const Region& dependencies,
                  std::uint64_t entry) {
  std::uint64_t line = ~std::uint64_t{0};
  for (std::size_t at = mask.size(); at-- > 0;) {
    if (!mask.executes(at)) continue;
    const std::uint64_t address = dependencies.first + at * entry;
    if (address / kLineBytes == line) continue;
    line = address / kLineBytes;
    plan.touch(CacheKind::Constants, dependencies, address, static_cast<std::uint32_t>(entry));
  }
}

}  // namespace

Plan maskPlan(const Tape& tape, const Mask& mask, const TapeRegions& regions, const Timing& timing,
              Flavour flavour) {
  PlanBuilder plan(timing, flavour);
  const bool wide = tape.limits().instructions > kSeedInstructions;
  std::array<std::uint64_t, kTapeKinds> head{};  // bytes read so far
  std::uint32_t shape = 0;
  for (std::size_t at = 0; at < tape.size(); ++at) {
    const Instruction& in = tape.code()[at];
    if (at % kLineInstructions == 0) {
      const Region& opcodes = regions.region(TapeKind::Opcodes);
      plan.touch(CacheKind::Opcodes, opcodes, opcodes.first + at * 2, kLineBytes);
    }
    const bool executed = mask.executes(at);
    for (unsigned n = 0; n < in.op->in.size(); ++n) {
      if (!in.constant[n]) continue;
      const TapeKind kind = tapeOf(in.op->in[n]);
      const Region& tape_region = regions.region(kind);
      const unsigned bytes = elementBytes(kind, wide);
      std::uint64_t& offset = head[static_cast<std::size_t>(kind)];
      if (executed) {
        plan.touch(CacheKind::Constants, tape_region, tape_region.first + offset, bytes);
      } else {
        plan.compute(timing.constant_advance);
      }
      offset += bytes;
    }
    if (executed) {
      plan.execute(*in.op);
    } else {
      plan.compute(timing.skipped);
    }
    if (!isShape(*in.op)) continue;
    if (executed && flavour == Flavour::Material)
      plan.material(regions.region(TapeKind::Materials), shape);
    ++shape;
  }
  if (flavour == Flavour::Interval) {
    const Region& dependencies = regions.region(TapeKind::Dependencies);
    backwardPass(plan, mask, dependencies, elementBytes(TapeKind::Dependencies, wide));
  }
  return plan.take();
}

Plan programPlan(const registers::Program& program, const Region& words, const Region* materials,
                 const Timing& timing, Flavour flavour) {
  PlanBuilder plan(timing, flavour);
  const std::uint64_t line_bytes = timing.leaves.line_bytes;
  std::uint64_t line = ~std::uint64_t{0};
  const auto fetch = [&](std::uint64_t word) {
    const std::uint64_t address = words.first + word * 8;
    if (address / line_bytes == line) return;
    line = address / line_bytes;
    plan.touch(CacheKind::Leaves, words, address, 8);
  };
  std::uint64_t clause_words = 0;
  for (const registers::Clause& clause : program.clauses())
    clause_words += clause.op->in.size() > 3 ? 2U : 1U;
  const std::uint64_t pool = words.first + (kProgramHeader + clause_words) * 8;
  const auto constant = [&](const registers::Source& from, unsigned width) {
    if (from.constant())
      plan.touch(CacheKind::Constants, words, pool + from.index * 4ULL, 4 * width);
  };
  for (unsigned n = 0; n < kProgramHeader; ++n) fetch(n);
  std::uint64_t at = kProgramHeader;
  for (const registers::Clause& clause : program.clauses()) {
    fetch(at++);
    if (clause.op->in.size() > 3) fetch(at++);
    for (unsigned n = 0; n < clause.op->in.size(); ++n)
      constant(clause.source[n], widthOf(clause.op->in[n]));
    plan.execute(*clause.op);
    if (flavour == Flavour::Material && materials != nullptr && isShape(*clause.op))
      plan.material(*materials, clause.shape);
  }
  constant(program.result(), 1);
  plan.compute(timing.decode);
  return plan.take();
}

}  // namespace rtvp::implicit::unit
