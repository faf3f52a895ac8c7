// See board_port.hpp.
#include "platform/debug/board_port.hpp"

#include <algorithm>
#include <utility>

#include "models/common/core/text.hpp"
#include "models/tigershark/pld_registers.hpp"
#include "models/tigershark/s5933_registers.hpp"

namespace rtvp::platform {
namespace {

/// What a lane had done when its next instruction was about to begin.
struct Done {
  std::uint64_t instructions = 0, interrupts = 0;
  friend bool operator==(const Done&, const Done&) = default;
};

Done doneBy(const c32::Cpu& cpu) {
  const c32::CpuStatistics& s = cpu.statistics();
  return {s.instructions, s.interruptsTaken};
}

/// What every DSP of a board shows besides its own registers.
enum Shown : unsigned { kVote, kPciToAddOn, kAddOnToPci, kFirstChip };

/// Names of the board's registers: level of the vote line, words in the FIFOs, S5933, PLD.
const std::vector<std::string>& shownNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names = {"VOTE_HIGH", "P2A_WORDS", "A2P_WORDS"};
    for (const auto& row : tigershark::s5933::kPciRegisters)
      names.push_back("S5933_" + std::string(row.name));
    for (const auto& row : tigershark::pld::kRegisterTable)
      names.push_back("PLD_" + std::string(row.name));
    return names;
  }();
  return kNames;
}

std::uint32_t shownValue(tigershark::Board& board, unsigned which) {
  namespace s5933 = tigershark::s5933;
  const s5933::S5933Core& chip = board.s5933().core();
  switch (which) {
    case kVote:
      return board.array().engine().voteLineHigh(board.array().now()) ? 1 : 0;
    case kPciToAddOn:
      return chip.p2a().size();
    case kAddOnToPci:
      return chip.a2p().size();
    default:
      break;
  }
  const std::size_t row = which - kFirstChip;
  if (row < s5933::kPciRegisters.size()) return chip.pciPeek(s5933::kPciRegisters[row].offset);
  return board.pld().look(row - s5933::kPciRegisters.size());
}

}  // namespace

/// One DSP: the lane's processor, its internal memory and the board's SRAM.
class BoardPort::Lane final : public c32::DebugUnit {
 public:
  Lane(std::string name, tigershark::Board& itsBoard, int number, const BoardPort& port)
      : DebugUnit(std::move(name), target_),
        board(itsBoard),
        array(itsBoard.array()),
        port_(port),
        number_(number),
        target_(array, number) {
    for (const std::string& more : shownNames()) addRegister({more, 32, 32, false, true});
  }

  /// Of the board, not of the processor, whose clock stands still while it sleeps.
  [[nodiscard]] std::uint64_t cycle() const override {
    return port_.control_ != nullptr ? array.clock().cycleAt(port_.control_->moment()) : 0;
  }
  [[nodiscard]] std::uint64_t value(unsigned reg) const override {
    if (reg < c32::reg::kCount) return DebugUnit::value(reg);
    return shownValue(board, reg - c32::reg::kCount);
  }
  void setValue(unsigned reg, std::uint64_t raw) override {
    if (reg >= c32::reg::kCount)
      throw debug::CommandError(shownNames().at(reg - c32::reg::kCount) +
                                " is the board's: it can be read, not set");
    DebugUnit::setValue(reg, raw);
    array.registerChanged(number_, reg, raw);
  }
  void setPc(std::uint64_t pc) override {
    DebugUnit::setPc(pc);
    array.registerChanged(number_, tigershark::ArrayRecorder::kPc, pc);
  }
  [[nodiscard]] c32::Cpu& cpu() const { return target_.cpu(); }

  tigershark::Board& board;
  tigershark::LockstepArray& array;
  Done done;
  std::uint64_t pcBefore = 0;
  bool went = false;  ///< in the latest cycle

 private:
  class Target final : public c32::DebugTarget {
   public:
    Target(tigershark::LockstepArray& array, int lane) : array_(array), lane_(lane) {}
    [[nodiscard]] c32::Cpu& cpu() const override { return array_.engine().processor(lane_); }
    [[nodiscard]] std::optional<std::uint32_t> peek(std::uint32_t address) const override {
      return array_.look(lane_, address);
    }
    bool poke(std::uint32_t address, std::uint32_t word) override {
      return array_.change(lane_, address, word);
    }
    [[nodiscard]] bool isMemory(std::uint32_t address) const override {
      const auto region = cpu().placeAt(address).region;
      return region == c32::Region::InternalRam || region == c32::Region::External;
    }

   private:
    tigershark::LockstepArray& array_;
    int lane_;
  };

  const BoardPort& port_;
  int number_;
  Target target_;
};

/// A board: what is shared by its lanes, and what has happened at their pins.
struct BoardPort::Group final : tigershark::ArrayProbe {
  explicit Group(tigershark::Board& itsBoard) : board(itsBoard) {}
  void voteDriven(std::size_t /*lane*/, bool /*low*/, c32::Cycle /*cycle*/) override {}
  void wordSent(std::size_t lane, std::uint32_t word, c32::Cycle arrival) override {
    sent.push_back({lane, word, arrival});
  }
  struct Word {
    std::size_t lane;
    std::uint32_t word;
    c32::Cycle arrival;
  };
  tigershark::Board& board;
  std::size_t first = 0, count = 0;  ///< of lanes_
  std::vector<Word> sent;
  std::optional<bool> vote;
  bool arrived = false;
  std::optional<std::uint32_t> fifos[2];
};

BoardPort::BoardPort(const std::vector<std::unique_ptr<tigershark::Board>>& boards,
                     const c32::Image& program, const std::string& instance)
    : boards_(boards), program_(program) {
  for (std::size_t b = 0; b < boards.size(); ++b) {
    Group& group = *groups_.emplace_back(std::make_unique<Group>(*boards[b]));
    group.first = lanes_.size();
    group.count = static_cast<std::size_t>(boards[b]->config().dsps);
    boards[b]->array().watchPins(group);
    const std::string prefix = instance + "board" + std::to_string(b) + ".dsp";
    for (int lane = 0; lane < boards[b]->config().dsps; ++lane) {
      lanes_.push_back(
          std::make_unique<Lane>(prefix + std::to_string(lane), *boards[b], lane, *this));
    }
  }
}

BoardPort::~BoardPort() = default;

std::vector<debug::Unit*> BoardPort::units() {
  std::vector<debug::Unit*> all;
  for (const auto& lane : lanes_) all.push_back(lane.get());
  return all;
}

debug::Program BoardPort::program() const {
  return c32::debugProgram(program_);
}

std::vector<debug::EventKind> BoardPort::events() const {
  return {{"vote", "", "the vote line has another level (told of the board's first DSP)"},
          {"barrier", "[N]", "all DSPs have arrived, the last N cycles behind the first or more"},
          {"parts", "", "a DSP leaves the path of its board's first"},
          {"link", "", "a DSP sends a word to the next"},
          {"fifo", "[N]", "a FIFO of the S5933 has another level, N words or more"}};
}

double BoardPort::hertz() const {
  return static_cast<double>(boards_.front()->config().clockHz);
}

void BoardPort::attach(DebugControl& control) {
  control_ = &control;
  for (const auto& board : boards_) board->array().control(control);
}

void BoardPort::comeTo(const sc_core::sc_time& time) {
  for (const auto& board : boards_) {
    tigershark::LockstepArray& array = board->array();
    array.comeTo(array.clock().cycleAt(time));
  }
}

sc_core::sc_time BoardPort::furthest() {
  sc_core::sc_time most = sc_core::SC_ZERO_TIME;
  for (const auto& lane : lanes_)
    most = std::max(most, lane->array.clock().timeOf(lane->cpu().cycle()));
  return most;
}

sc_core::sc_time BoardPort::timeOf(std::uint64_t cycle) const {
  return boards_.front()->array().clock().timeOf(cycle);
}

bool BoardPort::setStops(const std::vector<std::uint64_t>& addresses,
                         const std::vector<bool>& units) {
  std::vector<std::uint32_t> offsets;
  for (const std::uint64_t address : addresses)
    offsets.push_back(static_cast<std::uint32_t>(address) - c32::kRamBase);
  const bool inside = std::all_of(offsets.begin(), offsets.end(),
                                  [](std::uint32_t o) { return o < c32::kRamWords; });
  if (!inside) offsets.clear();
  // Engines know by the object whether places have changed.
  std::unique_ptr<c32::StopPlaces> old;
  if (offsets.empty()) {
    old = std::move(places_);
  } else if (!places_ || places_->offsets() != offsets) {
    old = std::exchange(places_, std::make_unique<c32::StopPlaces>(offsets));
  }
  std::size_t n = 0;
  for (const auto& board : boards_) {
    std::vector<const c32::StopPlaces*> lanes;
    for (int lane = 0; lane < board->config().dsps; ++lane)
      lanes.push_back(units.at(n++) ? places_.get() : nullptr);
    board->array().engine().setStops(lanes);
  }
  return inside;
}

bool BoardPort::before(const tigershark::LockstepArray& array, std::size_t first,
                       DebugObserver& observer) {
  for (const auto& group : groups_) {
    if (&group->board.array() != &array) continue;
    group->sent.clear();
    for (std::size_t n = group->first; n < group->first + group->count; ++n) {
      lanes_[n]->done = doneBy(lanes_[n]->cpu());
      lanes_[n]->pcBefore = lanes_[n]->pc();
      observer.before(first + n);
    }
    return true;
  }
  return false;
}

void BoardPort::after(const tigershark::LockstepArray& array, std::size_t first,
                      DebugObserver& observer) {
  const auto mine = std::find_if(groups_.begin(), groups_.end(), [&](const auto& group) {
    return &group->board.array() == &array;
  });
  if (mine == groups_.end()) return;
  Group& group = **mine;
  for (std::size_t n = group.first; n < group.first + group.count; ++n) {
    Lane& lane = *lanes_[n];
    const Done now = doneBy(lane.cpu());
    lane.went = now.instructions != lane.done.instructions;
    if (lane.went) {
      observer.after(first + n, nullptr);
    } else if (now != lane.done) {
      // An interrupt was entered: the return address lies on the stack.
      debug::Effects entry;
      entry.accesses[0] = {lane.stackPointer(), true};
      entry.count = 1;
      observer.after(first + n, &entry);
    }
  }
  parts(group, first, observer);
  for (const Group::Word& w : group.sent)
    observer.event(
        first + group.first + w.lane, "link", w.word,
        "sends " + common::hex(w.word, 8) + ", there in cycle " + std::to_string(w.arrival));
  const bool vote = shownValue(group.board, kVote) != 0;
  if (group.vote.value_or(vote) != vote)
    observer.event(first + group.first, "vote", vote ? 1 : 0,
                   vote ? "the vote line is high" : "the vote line is low");
  group.vote = vote;
  const bool arrived = array.engine().allArrived();
  if (arrived && !std::exchange(group.arrived, arrived)) {
    c32::Cycle soonest = c32::kNever, latest = 0;
    std::size_t last = group.first;
    for (std::size_t n = 0; n < group.count; ++n) {
      const c32::Cycle at = array.engine().lane(static_cast<int>(n)).arrival;
      soonest = std::min(soonest, at);
      if (at > latest) latest = at, last = group.first + n;
    }
    observer.event(
        first + last, "barrier", static_cast<std::int64_t>(latest - soonest),
        "the last at a barrier, " + std::to_string(latest - soonest) + " cycles behind the first");
  }
  group.arrived = arrived;
}

/// Lanes that stood with the first and stand elsewhere now.
void BoardPort::parts(const Group& group, std::size_t first, DebugObserver& observer) const {
  const Lane& leader = *lanes_[group.first];
  if (!leader.went) return;
  for (std::size_t n = group.first + 1; n < group.first + group.count; ++n) {
    const Lane& lane = *lanes_[n];
    if (!lane.went || lane.pcBefore != leader.pcBefore || lane.pc() == leader.pc()) continue;
    observer.event(first + n, "parts", static_cast<std::int64_t>(lane.pc()),
                   "leaves the path of " + leader.name());
  }
}

std::vector<BoardPort::Suspect> BoardPort::suspects() const {
  constexpr std::size_t kMost = 4;
  std::vector<Suspect> failed, standing;
  std::vector<std::uint64_t> places;
  for (const auto& group : groups_) {
    const tigershark::ArrayError& error = group->board.array().engine().error();
    if (!error.what.empty()) {
      Suspect s{group->first + static_cast<std::size_t>(error.lane), error.cycle, {}};
      const c32::Fault& fault = lanes_[s.unit]->cpu().fault();
      if (fault.kind == c32::Fault::Kind::UndefinedOpcode &&
          fault.pc - c32::kRamBase < c32::kRamWords)
        s.word = fault.pc;
      failed.push_back(s);
    }
    for (std::size_t n = group->first; n < group->first + group->count; ++n) {
      const std::uint64_t pc = lanes_[n]->pc();
      if (std::find(places.begin(), places.end(), pc) != places.end()) continue;
      places.push_back(pc);
      standing.push_back({n, {}, {}});
    }
  }
  if (failed.empty()) failed = std::move(standing);
  if (failed.size() > kMost) failed.resize(kMost);
  return failed;
}

void BoardPort::poll(std::size_t first, DebugObserver& observer) {
  constexpr const char* kNames[] = {"PCI to add-on", "add-on to PCI"};
  for (const auto& group : groups_) {
    for (unsigned f = 0; f < 2; ++f) {
      const std::uint32_t words = shownValue(group->board, kPciToAddOn + f);
      if (group->fifos[f].value_or(words) != words)
        observer.event(
            first + group->first, "fifo", words,
            std::string("FIFO ") + kNames[f] + " holds " + std::to_string(words) + " words");
      group->fifos[f] = words;
    }
    observer.look(first + group->first);
  }
}

}  // namespace rtvp::platform
