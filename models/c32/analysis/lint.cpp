// See lint.hpp.
#include "models/c32/analysis/lint.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "models/c32/analysis/hazards.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32::analysis {
namespace {

constexpr std::uint32_t kRamFirst = 0x87FE00, kRamLast = 0x87FFFF;
constexpr std::size_t kMostVisits = 400'000, kMostCalls = 16, kMostConstants = 4;

bool isInternal(std::uint32_t address) {
  return address >= kRamFirst && address <= kRamLast;
}
/// RAM and peripherals: each node has its own.
bool isOwn(std::uint32_t address) {
  return isInternal(address) || (address >= 0x808000 && address <= 0x8097FF);
}

/// What is known of a word.
struct Value {
  std::set<std::uint32_t> constants;  ///< all that it can be; empty: not known
  bool shared = false;                ///< not known: as an address it leads to the shared memory
  bool varies = false;                ///< nodes may have different ones

  static Value constant(std::uint32_t n) { return {{n}, false, false}; }
  [[nodiscard]] bool leadsOutside() const {
    if (constants.empty()) return shared;
    return std::any_of(constants.begin(), constants.end(),
                       [](std::uint32_t n) { return !isOwn(n & kAddressMask); });
  }
  /// Of either; true if that is more than before.
  bool merge(const Value& other) {
    const Value before = *this;
    if (constants.empty() != other.constants.empty()) {
      forget();
      Value o = other;
      o.forget();
      shared |= o.shared;
    } else if (!constants.empty()) {
      constants.insert(other.constants.begin(), other.constants.end());
      if (constants.size() > kMostConstants) forget();
    } else {
      shared |= other.shared;
    }
    varies |= other.varies;
    return !(*this == before);
  }
  /// Which word it is: that it is an address somewhere remains.
  void forget() {
    shared = leadsOutside();
    constants.clear();
  }
  friend bool operator==(const Value&, const Value&) = default;
};

struct State {
  std::array<Value, reg::kCount> registers{};
  bool carryVaries = false, flagsVary = false;
  /// The instruction at which nodes may have parted since the latest held access; 0: none.
  std::uint32_t parted = 0;

  bool merge(const State& other) {
    bool changed = false;
    for (std::size_t n = 0; n < registers.size(); ++n)
      changed |= registers[n].merge(other.registers[n]);
    changed |= (other.carryVaries && !carryVaries) || (other.flagsVary && !flagsVary) ||
               (other.parted != 0 && parted == 0);
    carryVaries |= other.carryVaries;
    flagsVary |= other.flagsVary;
    if (parted == 0) parted = other.parted;
    return changed;
  }
};

/// A place with what decides the way on from it.
struct Key {
  std::uint32_t pc = 0;
  std::uint32_t branch = 0;  ///< the delayed branch whose slots these are; 0: none
  std::uint8_t slots = 0;    ///< still to come, this one included
  int since = -1;            ///< cycles behind the arrival; -1: not arrived
  std::vector<std::uint32_t> calls;
  // clang-tidy 14 takes the 0 of a rewritten comparison for a null pointer.
  friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT(modernize-use-nullptr)
};

class Linter {
 public:
  Linter(const Image& image, const LintOptions& options) : image_(image), options_(options) {
    for (const Section& s : image.sections) {
      if (s.kind == Section::Kind::Bss) continue;
      for (std::size_t i = 0; i < s.words.size(); ++i) {
        const std::uint32_t address = s.runAddress + static_cast<std::uint32_t>(i);
        words_[address] = s.words[i];
        if (s.kind == Section::Kind::Text) constants_[address] = s.words[i];
      }
    }
    dropVariables();
  }

  std::vector<LintFinding> run() {
    checkSections();
    reach({begin(), 0, 0, -1, {}}, State{});
    for (std::size_t visits = 0; !work_.empty(); ++visits) {
      if (visits > kMostVisits) {
        find(image_.entry, "the program is too large to be followed to its end");
        break;
      }
      const Key key = work_.front();
      work_.pop_front();
      waiting_.erase(key);
      visit(key, states_.at(key));
    }
    return {findings_.begin(), findings_.end()};
  }

 private:
  /// A board begins by the reset vector in word 0.
  [[nodiscard]] std::uint32_t begin() const {
    if (image_.entry != 0) return image_.entry;
    const auto vector = words_.find(0);
    const bool leads = vector != words_.end() && words_.contains(vector->second & kAddressMask);
    return leads ? vector->second & kAddressMask : 0;
  }

  /// Words of text sections that the program changes: those that it stores to by name, and what
  /// begins where a constant points, up to the next name.
  void dropVariables() {
    constexpr std::uint32_t kRamPage = 0x870000, kLongest = 64;
    std::set<std::uint32_t> names;
    for (const auto& [name, symbol] : image_.symbols)
      if (symbol.section >= 0) names.insert(symbol.value & kAddressMask);
    std::set<std::uint32_t> variables;
    for (const auto& [address, word] : words_) {
      if (const auto i = decode(word)) {
        for (const Operand* o : stored(*i))
          if (o->kind == Operand::Kind::Direct) variables.insert(kRamPage | o->value);
      }
      if (!isInternal(word)) continue;
      const auto next = names.upper_bound(word);
      const std::uint32_t end = next == names.end() ? word + kLongest : *next;
      for (std::uint32_t a = word; a < std::min(end, word + kLongest); ++a) variables.insert(a);
    }
    for (const std::uint32_t a : variables) constants_.erase(a);
  }

  /// The operands that an instruction stores to.
  static std::vector<const Operand*> stored(const Instruction& i) {
    switch (info(i.op).format) {
      case Format::Store:
        return {&i.a};
      case Format::StoreStore:
        return {&i.a, &i.c};
      case Format::Op2Store:
      case Format::Op3Store:
        return {&i.c};
      default:
        return {};
    }
  }

  void find(std::uint32_t at, const std::string& text) { findings_.insert({at, text}); }

  void checkSections() {
    for (const Section& s : image_.sections) {
      if (s.size == 0 || !isInternal(s.runAddress)) continue;
      const std::uint32_t last = s.runAddress + s.size - 1;
      if (last > kRamLast)
        find(kRamLast + 1, "section '" + s.name + "' runs to " + common::hex(last, 6) + ", " +
                               std::to_string(last - kRamLast) +
                               " words beyond the internal RAM (87fe00 to 87ffff)");
    }
  }

  void reach(const Key& key, const State& state) {
    const auto [it, added] = states_.try_emplace(key, state);
    if (!added && !it->second.merge(state)) return;
    if (waiting_.insert(key).second) work_.push_back(key);
  }

  // ---- values

  [[nodiscard]] static Value addressOf(const State& s, const Operand& o) {
    if (o.kind == Operand::Kind::Direct) {
      const Value& page = s.registers[reg::DP];
      if (page.constants.size() != 1) return {};
      return Value::constant((*page.constants.begin() & 0xFFu) << 16 | o.value);
    }
    Value base = s.registers[reg::AR0 + o.number];
    const IndirectMode m = indirectMode(o.mode);
    if (!m.useModified) return base;
    if (m.index != IndirectMode::Index::Displacement || base.constants.size() != 1) {
      base.forget();
      return base;
    }
    const std::uint32_t n = *base.constants.begin();
    base.constants = {(m.subtract ? n - o.value : n + o.value) & kAddressMask};
    return base;
  }

  [[nodiscard]] static bool isMemory(const Operand& o) {
    return o.kind == Operand::Kind::Direct || o.kind == Operand::Kind::Indirect;
  }

  [[nodiscard]] Value load(const State& s, const Operand& o) const {
    switch (o.kind) {
      case Operand::Kind::Register:
        return s.registers[o.number];
      case Operand::Kind::Immediate:
        return Value::constant(o.value);
      case Operand::Kind::Direct:
      case Operand::Kind::Indirect:
        break;
      default:
        return {};
    }
    const Value at = addressOf(s, o);
    if (at.constants.size() == 1) {
      const auto word = constants_.find(*at.constants.begin() & kAddressMask);
      if (word != constants_.end()) return Value::constant(word->second);
    }
    const bool outside = at.leadsOutside();
    return {{}, outside, !outside || at.varies};
  }

  /// The result of an operation on these.
  [[nodiscard]] static Value mixed(const Value& a, const Value& b) {
    Value x = a, y = b;
    // A constant is a distance beside an address.
    const bool shared = (x.constants.empty() && x.shared) || (y.constants.empty() && y.shared);
    return {{}, shared, x.varies || y.varies};
  }

  static bool setsCarry(Flags flags) {
    return flags == Flags::IA || flags == Flags::LSHF || flags == Flags::ASHF ||
           flags == Flags::ROT;
  }

  void execute(State& s, const Instruction& i, const OpInfo& row) const {
    const State in = s;
    Value result, second;
    bool writes = row.writesRegister, writesSecond = false;
    const auto of = [&](const Operand& o) { return load(in, o); };
    switch (row.format) {
      case Format::General:
        result = i.op == Op::LDI || i.op == Op::LDF ? of(i.a) : mixed(of(i.a), in.registers[i.reg]);
        if (i.op == Op::NOP) writes = false;
        break;
      case Format::Three:
      case Format::ThreeCompare:
      case Format::Op3Store:
        result = mixed(of(i.a), of(i.b));
        break;
      case Format::CondLoad:
        result = of(i.a);
        if (i.cond == Cond::U) break;
        result.merge(in.registers[i.reg]);
        result.varies |= varies(in, i.cond);
        break;
      case Format::LoadLoad:
        result = of(i.a);
        second = of(isMemory(i.c) ? i.c : i.b);
        writesSecond = true;
        break;
      case Format::MultiplyAdd:
        result = mixed(of(i.a), of(i.b));
        second = mixed(of(i.c), of(i.d));
        writesSecond = true;
        break;
      case Format::Op2Store:
        result = of(i.a);
        break;
      case Format::Rotate:
        result = mixed(in.registers[i.reg], {});
        break;
      case Format::Stack:
        result = {{}, false, true};
        break;
      default:
        writes = false;
        break;
    }
    setFlags(s, i, row, result.varies || second.varies);
    if (writes) s.registers[i.reg] = result;
    if (writesSecond) s.registers[i.reg2] = second;
    if (row.format == Format::DecBranch) s.registers[i.reg].forget();
    if (i.op == Op::RPTS) s.registers[reg::RC] = of(i.a);
    updateAddresses(s, i);
    s.registers[reg::IOF].varies = false;  // the level of the vote line is everybody's
  }

  static void updateAddresses(State& s, const Instruction& i) {
    for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
      if (o->kind != Operand::Kind::Indirect) continue;
      const IndirectMode m = indirectMode(o->mode);
      if (!m.update) continue;
      Value& ar = s.registers[reg::AR0 + o->number];
      ar.forget();
      if (m.index == IndirectMode::Index::Ir0) ar.varies |= s.registers[reg::IR0].varies;
      if (m.index == IndirectMode::Index::Ir1) ar.varies |= s.registers[reg::IR1].varies;
    }
  }

  static void setFlags(State& s, const Instruction& i, const OpInfo& row, bool vary) {
    if (row.flags == Flags::NONE || (!row.flagsAlways && i.reg > reg::R7)) return;
    s.flagsVary = vary;
    if (setsCarry(row.flags)) s.carryVaries = vary;
  }

  [[nodiscard]] static bool varies(const State& s, Cond cond) {
    switch (cond) {
      case Cond::U:
        return false;
      case Cond::LO:
      case Cond::HS:
        return s.carryVaries;
      case Cond::LS:
      case Cond::HI:
        return s.carryVaries || s.flagsVary;
      default:
        return s.flagsVary;
    }
  }

  // ---- the shared memory and the barrier

  /// The accesses of an instruction, its own fetch included, by the state in front of it.
  void checkAccesses(Key& key, State& s, const Instruction& i) {
    bool outside = !isInternal(key.pc);
    if (outside && s.parted != 0) {
      find(key.pc,
           "this instruction is fetched from the shared memory, but nodes may have parted at " +
               place(s.parted) + ": code must be in the internal RAM by then");
      return;
    }
    for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
      if (!isMemory(*o)) continue;
      const Value at = addressOf(s, *o);
      if (!at.leadsOutside()) continue;
      outside = true;
      if (key.since < 0 && s.parted != 0)
        find(key.pc, "access to the shared memory behind " + place(s.parted) +
                         ", where each node goes its own way, without an arrival at the barrier in "
                         "between");
      if (at.varies && at.constants.empty())
        find(key.pc, "access to the shared memory at an address that nodes may disagree about");
    }
    if (!outside || key.since < 0) return;
    const auto wanted = static_cast<int>(options_.heldAfter);
    if (key.since < wanted)
      find(key.pc, "access to the shared memory " + std::to_string(key.since) +
                       " cycles behind the arrival: HOLD acts behind " + std::to_string(wanted));
    if (key.since > wanted)
      find(key.pc, "access to the shared memory " + std::to_string(key.since) +
                       " cycles behind the arrival: the release comes " + std::to_string(wanted) +
                       " cycles behind the last arrival and must find it pending");
    key.since = -1;
    s.parted = 0;  // the release is the same for all
  }

  /// XF1 driven low (IOF bits 5 and 6).
  static std::optional<bool> arrives(const State& before, const State& s, const Instruction& i,
                                     const OpInfo& row) {
    if (!row.writesRegister || i.reg != reg::IOF) return std::nullopt;
    const Value& now = s.registers[reg::IOF];
    (void)before;
    if (now.constants.empty()) return false;
    return std::all_of(now.constants.begin(), now.constants.end(),
                       [](std::uint32_t n) { return (n & 0x60u) == 0x20u; });
  }

  [[nodiscard]] std::string place(std::uint32_t address) const {
    std::string text = common::hex(address, 6);
    if (const std::string line = image_.sourceLine(address); !line.empty())
      text += " (" + line + ")";
    return text;
  }

  // ---- what the hardware forbids

  void checkHazards(std::uint32_t pc, const Instruction& i) {
    if (!checked_.insert(pc).second) return;
    const auto at = [this](std::uint32_t address) -> std::optional<Instruction> {
      const auto word = words_.find(address);
      return word == words_.end() ? std::nullopt : decode(word->second);
    };
    for (const Hazard& h : hazardsAt(pc, i, at, [this](std::uint32_t a) { return place(a); }))
      find(h.address, h.text);
  }

  // ---- ways

  void visit(Key key, State s) {
    const auto word = words_.find(key.pc);
    const auto i = word == words_.end() ? std::nullopt : decode(word->second);
    if (!i) {
      find(key.pc, word == words_.end() ? "the program runs into memory that the file does not fill"
                                        : "the program runs into a word that is no instruction");
      return;
    }
    checkHazards(key.pc, *i);
    const OpInfo& row = info(i->op);
    const bool idle = i->op == Op::IDLE || i->op == Op::IDLE2;
    if (key.slots != 0 && row.control && !idle) {
      find(key.pc, std::string(row.mnemonic) + " stands in a delay slot of the branch at " +
                       place(key.branch));
      return;
    }
    checkAccesses(key, s, *i);
    const State before = s;
    execute(s, *i, row);
    if (const auto arrived = arrives(before, s, *i, row)) {
      key.since = *arrived ? 0 : -1;
    } else if (key.since >= 0) {
      key.since = std::min(key.since + row.cycles, 40);
    }
    if (idle && s.parted == 0) s.parted = key.pc;  // what wakes it comes to each at its time
    go(key, s, *i, row);
  }

  void go(const Key& key, State s, const Instruction& i, const OpInfo& row) {
    if (key.slots != 0) {
      if (key.slots > 1) {
        Key next = key;
        ++next.pc;
        --next.slots;
        return reach(next, s);
      }
      const auto branch = decode(words_.at(key.branch));
      return take(key, key.branch, *branch, key.pc + 1, s);
    }
    if (row.delayed) {
      noteParting(key.pc, i, s);
      Key next = key;
      next.branch = key.pc;
      next.slots = 3;
      ++next.pc;
      return reach(next, s);
    }
    switch (row.format) {
      case Format::Absolute:
      case Format::Branch:
      case Format::DecBranch:
        if (i.op != Op::RPTB) {
          noteParting(key.pc, i, s);
          return take(key, key.pc, i, key.pc + 1, s);
        }
        break;
      case Format::Return:
        noteParting(key.pc, i, s);
        if (!key.calls.empty()) {
          Key back = key;
          back.pc = key.calls.back();
          back.calls.pop_back();
          reach(back, s);
        }
        if (i.cond == Cond::U) return;
        break;
      default:
        break;
    }
    if (i.op == Op::SWI) return;
    if (i.op == Op::RPTB) ends_.emplace(i.a.value & kAddressMask, key.pc);
    if (i.op == Op::RPTS && s.registers[reg::RC].varies && s.parted == 0) s.parted = key.pc;
    forward(key, s);
  }

  /// To the next word, and back to the begin of a block that ends here.
  void forward(const Key& key, State s) {
    for (auto it = ends_.lower_bound({key.pc, 0}); it != ends_.end() && it->first == key.pc; ++it) {
      if (s.registers[reg::RC].varies && s.parted == 0) s.parted = it->second;
      Key again = key;
      again.pc = it->second + 1;
      reach(again, s);
    }
    Key next = key;
    ++next.pc;
    reach(next, s);
  }

  /// A branch that each node decides by itself.
  void noteParting(std::uint32_t pc, const Instruction& i, State& s) const {
    bool own = info(i.op).conditional && varies(s, i.cond);
    if (info(i.op).format == Format::DecBranch) own |= s.registers[i.reg].varies;
    if (i.a.kind == Operand::Kind::Register && info(i.op).control)
      own |= s.registers[i.a.number].varies;
    if (own && s.parted == 0) s.parted = pc;
  }

  void take(const Key& key, std::uint32_t from, const Instruction& i, std::uint32_t behind,
            const State& s) {
    const bool call = i.op == Op::CALL || i.op == Op::CALLcond;
    Key next = key;
    next.branch = 0;
    next.slots = 0;
    std::set<std::uint32_t> targets;
    if (const auto fixed = branchTarget(i, from)) {
      targets.insert(*fixed);
    } else if (i.a.kind == Operand::Kind::Register) {
      targets = s.registers[i.a.number].constants;
    }
    for (const std::uint32_t target : targets) {
      Key to = next;
      to.pc = target & kAddressMask;
      if (call) {
        if (to.calls.size() >= kMostCalls) {
          find(from, "calls deeper than " + std::to_string(kMostCalls) + " are not followed");
          continue;
        }
        to.calls.push_back(behind);
      }
      reach(to, s);
    }
    const bool counts = info(i.op).format == Format::DecBranch;
    if (!counts && (!info(i.op).conditional || i.cond == Cond::U)) return;
    next.pc = behind;
    reach(next, s);
  }

  const Image& image_;
  LintOptions options_;
  std::map<std::uint32_t, std::uint32_t> words_, constants_;
  std::map<Key, State> states_;
  std::set<Key> waiting_;
  std::deque<Key> work_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> ends_;  ///< last word of a block, its RPTB
  std::set<std::uint32_t> checked_;                         ///< by checkHazards()
  std::set<LintFinding> findings_;
};

}  // namespace

std::vector<LintFinding> lint(const Image& image, const LintOptions& options) {
  return Linter(image, options).run();
}

}  // namespace rtvp::c32::analysis
