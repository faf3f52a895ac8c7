// See profile.hpp.
#include "models/c32/debug/profile.hpp"

#include <optional>

#include "models/c32/debug/unit.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {
namespace {

std::optional<std::uint32_t> wordAt(const Image& image, std::uint32_t address) {
  for (const Section& s : image.sections) {
    const std::uint32_t offset = address - s.runAddress;
    if (address >= s.runAddress && offset < s.words.size()) return s.words[offset];
  }
  return std::nullopt;
}

/// Follows instructions; the slots of a delayed branch lead nowhere by themselves.
class Reach {
 public:
  explicit Reach(const Image& image) : image_(image) {}

  void from(std::uint32_t address) {
    go(address);
    while (!work_.empty()) {
      const std::uint32_t next = work_.back();
      work_.pop_back();
      visit(next);
    }
  }
  std::set<std::uint32_t> found;

 private:
  void go(std::uint32_t address) {
    if (followed_.insert(address & kAddressMask).second) work_.push_back(address & kAddressMask);
  }

  void visit(std::uint32_t address) {
    const auto word = wordAt(image_, address);
    const auto i = word ? decode(*word) : std::nullopt;
    if (!i) return;
    found.insert(address);
    const OpInfo& row = info(i->op);
    if (const auto target = branchTarget(*i, address)) go(*target);
    constexpr std::uint32_t kSlots = 3;
    for (std::uint32_t n = 1; row.delayed && n <= kSlots; ++n) {
      const auto slot = wordAt(image_, address + n);
      if (slot && decode(*slot)) found.insert(address + n);
    }
    if (goesOn(*i)) go(address + 1 + (row.delayed ? kSlots : 0));
  }

  /// Control may come to what stands behind it, and behind its slots.
  static bool goesOn(const Instruction& i) {
    const OpInfo& row = info(i.op);
    if (i.op == Op::SWI) return false;
    if (i.op == Op::CALL || i.op == Op::CALLcond) return true;
    switch (row.format) {
      case Format::Absolute:
      case Format::Branch:
      case Format::Return:
        // RPTB and RPTS are none of these: they repeat what stands behind them.
        return (row.conditional && i.cond != Cond::U) || i.op == Op::RPTB;
      default:
        return true;
    }
  }

  const Image& image_;
  std::set<std::uint32_t> followed_;
  std::vector<std::uint32_t> work_;
};

}  // namespace

std::set<std::uint32_t> reachableCode(const Image& image, const std::set<std::uint32_t>& begins) {
  Reach reach(image);
  for (const std::uint32_t begin : begins) reach.from(begin);
  return std::move(reach.found);
}

debug::Profile profileOf(std::string machine, const Image& image,
                         const std::vector<std::pair<std::string, PlaceCosts>>& processors) {
  debug::Profile profile;
  profile.machine = std::move(machine);
  profile.causes.emplace_back("executing");
  for (unsigned c = 0; c < kStallCauses; ++c)
    profile.causes.emplace_back(stallName(static_cast<StallCause>(c)));
  profile.program = debugProgram(image);
  std::set<std::uint32_t> executed{image.entry};
  for (const auto& [name, costs] : processors) {
    debug::Profile::Unit& unit = profile.units.emplace_back();
    unit.name = name;
    for (const auto& [address, cost] : costs) {
      if (cost.instructions != 0) executed.insert(address);
      debug::Profile::Place& place = unit.places.emplace_back();
      place.address = address;
      place.executions = cost.instructions;
      place.cycles.push_back(cost.executing);
      place.cycles.insert(place.cycles.end(), cost.stalls.begin(), cost.stalls.end());
    }
  }
  const std::set<std::uint32_t> code = reachableCode(image, executed);
  profile.instructions.assign(code.begin(), code.end());
  return profile;
}

}  // namespace rtvp::c32
