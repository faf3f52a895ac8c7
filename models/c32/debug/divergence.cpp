// See divergence.hpp.
#include "models/c32/debug/divergence.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>

#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"
#include "models/c32/memory_map.hpp"
#include "models/common/core/print.hpp"

namespace rtvp::c32 {
namespace {

using Big = unsigned long long;

/// What one processor did in an epoch.
struct Way {
  std::vector<std::uint32_t> pcs;
  std::vector<std::uint32_t> words;
  Cycle held = 0;
  Cycle end = 0;
};

struct Parting {
  std::uint64_t times = 0;
  std::uint64_t away = 0;  ///< processors that did not go the most frequent way
  std::uint64_t cost = 0;
};

struct Share {
  std::uint64_t away = 0;  ///< times
  std::uint64_t waited = 0;
};

/// The processors of one board.
class Board {
 public:
  Board(InstructionStream& reader, std::vector<std::size_t> units)
      : reader_(reader),
        units_(std::move(units)),
        ways_(units_.size()),
        low_(units_.size()),
        shares_(units_.size()) {}

  void run() {
    for (std::size_t n = 0; n < units_.size(); ++n) {
      if (!read(n)) return;
    }
    for (;;) {
      Cycle last = 0;
      for (const Way& way : ways_) last = std::max(last, way.end);
      bool together = true;
      for (std::size_t n = 0; n < units_.size(); ++n) {
        // At the window's begin some have ends of epochs in it that others have not.
        if (ways_[n].end == last) continue;
        together = false;
        if (!read(n)) return;
      }
      if (!together) continue;
      settle();
      for (std::size_t n = 0; n < units_.size(); ++n) {
        if (!read(n)) return;
      }
    }
  }

  std::map<std::uint32_t, Parting> partings;
  std::uint64_t epochs = 0;
  std::uint64_t partedEpochs = 0;
  std::uint64_t cost = 0;
  std::uint64_t samePath = 0;  ///< cost of the same way in other times
  [[nodiscard]] const std::vector<std::size_t>& units() const { return units_; }
  [[nodiscard]] const std::vector<Share>& shares() const { return shares_; }

 private:
  /// The next epoch of a processor; false: there is no whole one.
  bool read(std::size_t n) {
    Way& way = ways_[n];
    way = {};
    LoggedInstruction i;
    bool arrived = false;
    while (reader_.next(units_[n], i)) {
      if (i.interrupt) continue;
      const bool first = arrived && touchesBus(i);
      way.pcs.push_back(i.pc);
      way.words.push_back(i.word);
      way.held = i.stalls[static_cast<unsigned>(StallCause::Held)];
      for (const RegisterWrite& w : i.registers) {
        if (w.number != reg::IOF) continue;
        // A reading of the pins changes the register, too.
        const bool low = pullsXf1(w.value);
        arrived = low && (arrived || !low_[n]);
        low_[n] = low;
      }
      if (way.held == 0 && !first) continue;
      way.end = i.end;
      return true;
    }
    return false;
  }

  /// XF1 is an output and low: the processor has arrived at the barrier. The next access to the
  /// shared memory is the one that the board holds; the last to arrive may not wait at all.
  static bool pullsXf1(std::uint32_t iof) { return (iof & 0x60u) == 0x20u; }
  static bool touchesBus(const LoggedInstruction& i) {
    return std::any_of(i.accesses.begin(), i.accesses.end(), [](const MemoryAccess& a) {
      return placeOf(Chip::C32, a.address, true).region == Region::External;
    });
  }

  void settle() {
    ++epochs;
    std::vector<std::size_t> all(units_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const Cycle least = leastHeld(all);
    for (const std::size_t n : all) shares_[n].waited += ways_[n].held - least;
    cost += costOf(all);
    const bool parted = divide(all, 0);
    partedEpochs += parted ? 1 : 0;
  }

  [[nodiscard]] Cycle leastHeld(const std::vector<std::size_t>& some) const {
    Cycle least = kNever;
    for (const std::size_t n : some) least = std::min(least, ways_[n].held);
    return least;
  }
  [[nodiscard]] std::uint64_t costOf(const std::vector<std::size_t>& some) const {
    const Cycle least = leastHeld(some);
    std::uint64_t sum = 0;
    for (const std::size_t n : some) sum += ways_[n].held - least;
    return sum;
  }

  /// Processors that have gone the same way up to step `from`. True: they part somewhere.
  bool divide(const std::vector<std::size_t>& some, std::size_t from) {
    constexpr std::uint32_t kOver = ~0u;
    const auto at = [&](std::size_t n, std::size_t step) {
      return step < ways_[n].pcs.size() ? ways_[n].pcs[step] : kOver;
    };
    for (std::size_t step = from;; ++step) {
      const std::uint32_t first = at(some.front(), step);
      const bool same = std::all_of(some.begin(), some.end(),
                                    [&](std::size_t n) { return at(n, step) == first; });
      if (same && first == kOver) {
        samePath += costOf(some);
        return false;
      }
      if (same) continue;
      std::map<std::uint32_t, std::vector<std::size_t>> sides;
      for (const std::size_t n : some) sides[at(n, step)].push_back(n);
      part(some, step, sides);
      for (const auto& [pc, side] : sides) (void)divide(side, step);
      return true;
    }
  }

  void part(const std::vector<std::size_t>& some, std::size_t step,
            const std::map<std::uint32_t, std::vector<std::size_t>>& sides) {
    Parting& parting = partings[deciderOf(ways_[some.front()], step)];
    ++parting.times;
    parting.cost += costOf(some);
    const auto most = std::max_element(
        sides.begin(), sides.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    for (const auto& [pc, side] : sides) {
      parting.cost -= costOf(side);
      if (pc == most->first) continue;
      parting.away += side.size();
      for (const std::size_t n : side) ++shares_[n].away;
    }
  }

  /// The instruction that decided: the last common one, or the delayed branch whose slots end
  /// there.
  static std::uint32_t deciderOf(const Way& way, std::size_t step) {
    if (step == 0) return way.pcs.front();
    constexpr std::size_t kBack = 4;
    if (step >= kBack) {
      const auto i = decode(way.words[step - kBack]);
      if (i && info(i->op).delayed) return way.pcs[step - kBack];
    }
    return way.pcs[step - 1];
  }

  InstructionStream& reader_;
  std::vector<std::size_t> units_;
  std::vector<Way> ways_;
  std::vector<bool> low_;  ///< XF1
  std::vector<Share> shares_;
};

using common::percent;
using common::print;

void report(std::string& out, const std::string& name, const Board& board,
            const InstructionStream& reader) {
  print(out,
        "%s, %zu processors: %llu epochs, in %llu of them they part (%.1f %%); %llu cycles of "
        "waiting for the last one\n\n",
        name.c_str(), board.units().size(), static_cast<Big>(board.epochs),
        static_cast<Big>(board.partedEpochs), percent(board.partedEpochs, board.epochs),
        static_cast<Big>(board.cost));
  print(out, "%12s %12s %14s %6s  %s\n", "times", "away each", "cycles waited", "%",
        "they part at");
  std::vector<std::pair<std::uint32_t, Parting>> rows(board.partings.begin(), board.partings.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.cost > b.second.cost; });
  for (const auto& [pc, p] : rows) {
    print(out, "%12llu %12.1f %14llu %6.2f  ", static_cast<Big>(p.times),
          static_cast<double>(p.away) / static_cast<double>(p.times), static_cast<Big>(p.cost),
          percent(p.cost, board.cost));
    out += reader.program().place(pc) + "\n";
  }
  print(out, "%12s %12s %14llu %6.2f  the same way in other times\n\n", "-", "-",
        static_cast<Big>(board.samePath), percent(board.samePath, board.cost));
  print(out, "%12s %14s  %s\n", "times away", "cycles waited", "processor");
  for (std::size_t n = 0; n < board.units().size(); ++n) {
    const Share& share = board.shares()[n];
    print(out, "%12llu %14llu  ", static_cast<Big>(share.away), static_cast<Big>(share.waited));
    out += reader.names()[board.units()[n]] + "\n";
  }
  out += "\n";
}

}  // namespace

std::string divergenceText(InstructionStream& reader) {
  std::map<std::string, std::vector<std::size_t>> boards;
  for (std::size_t n = 0; n < reader.names().size(); ++n) {
    const std::string& name = reader.names()[n];
    boards[name.substr(0, name.rfind('.'))].push_back(n);
  }
  std::string out;
  for (auto& [name, units] : boards) {
    Board board(reader, std::move(units));
    board.run();
    report(out, name, board, reader);
  }
  return out;
}

}  // namespace rtvp::c32
