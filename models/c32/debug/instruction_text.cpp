// Instruction logs as text. See instruction_log.hpp.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <optional>
#include <queue>

#include "models/c32/debug/instruction_log.hpp"
#include "models/c32/debug/instruction_reader.hpp"
#include "models/c32/disasm.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32 {
namespace {

/// One line of the text.
struct Entry {
  std::uint32_t pc = 0;
  Cycle start = 0;
  Cycle end = 0;
  std::string text;  ///< without cycle and processor
};

void pad(std::string& text, std::size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
}

std::string stallText(const StallCycles& stalls) {
  std::string text;
  for (unsigned c = 0; c < kStallCauses; ++c) {
    if (stalls[c] == 0) continue;
    text += (text.empty() ? "" : ",") + std::string(stallName(static_cast<StallCause>(c))) + ":" +
            std::to_string(stalls[c]);
  }
  return text;
}

std::string changeText(const LoggedInstruction& i) {
  std::string text;
  for (const RegisterWrite& w : i.registers) {
    text += " " + std::string(registerName(w.number)) + "=";
    if (w.number < 8) text += common::hex(static_cast<std::uint8_t>(w.exponent), 2);
    text += common::hex(w.value, 8);
  }
  for (const MemoryAccess& a : i.accesses) {
    text += (a.write ? " [" : " <") + common::hex(a.address, 6) + (a.write ? "]=" : ">") +
            common::hex(a.word, 8);
  }
  return text;
}

/// All of a line but cycle and processor.
std::string textOf(const LoggedInstruction& i, const debug::Program& program) {
  char head[96];
  std::string text;
  if (i.interrupt) {
    std::snprintf(head, sizeof head, "%06x          %3llu  interrupt %llu, from %06x", i.pc,
                  static_cast<unsigned long long>(i.end - i.start),
                  static_cast<unsigned long long>(i.flag), i.from);
    text = head;
  } else {
    std::snprintf(head, sizeof head, "%06x %08x %3llu  ", i.pc, i.word,
                  static_cast<unsigned long long>(i.end - i.start));
    text = head + stallText(i.stalls);
    pad(text, 44);
    text += disassemble(i.word, i.pc);
    pad(text, 80);
    text += changeText(i);
  }
  pad(text, 112);
  text += "; " + program.symbolic(i.pc);
  if (const std::string line = program.lineText(i.pc); !line.empty()) text += " " + line;
  return text;
}

/// One processor's records.
class Records {
 public:
  Records(InstructionReader& reader, std::size_t unit) : reader_(reader), unit_(unit) {}
  /// False: there are no more.
  bool next(Entry& entry) {
    LoggedInstruction i;
    if (!reader_.next(unit_, i)) return false;
    entry = {i.pc, i.start, i.end, textOf(i, reader_.program())};
    return true;
  }

 private:
  InstructionReader& reader_;
  std::size_t unit_;
};

/// Leaves out passes of a loop that are like the one before: those between two jumps back.
class Collapse {
 public:
  explicit Collapse(Records& records) : records_(records) {}

  bool next(Entry& entry) {
    while (ready_.empty()) {
      if (over_) return false;
      fill();
    }
    entry = std::move(ready_.front());
    ready_.pop_front();
    return true;
  }

 private:
  /// One more pass, up to the next jump back.
  void fill() {
    std::vector<Entry> pass;
    if (ahead_) pass.push_back(std::move(*ahead_));
    ahead_.reset();
    Entry entry;
    for (;;) {
      if (!records_.next(entry)) {
        over_ = true;
        break;
      }
      if ((!pass.empty() && entry.pc <= pass.back().pc) || pass.size() >= kMost) {
        ahead_ = std::move(entry);
        break;
      }
      pass.push_back(std::move(entry));
    }
    const bool same = pass.size() == before_.size() && !pass.empty() &&
                      std::equal(pass.begin(), pass.end(), before_.begin(),
                                 [](const Entry& e, std::uint32_t pc) { return e.pc == pc; });
    if (same) {
      if (left_ == 0) since_ = pass.front().start;
      ++left_;
      until_ = pass.back().end;
      if (!over_) return;
    }
    if (left_ != 0) ready_.push_back(summary());
    left_ = 0;
    if (same) return;
    before_.clear();
    for (Entry& e : pass) {
      before_.push_back(e.pc);
      ready_.push_back(std::move(e));
    }
  }

  [[nodiscard]] Entry summary() const {
    Entry entry;
    entry.pc = before_.front();
    entry.start = since_;
    entry.end = until_;
    entry.text = "... " + std::to_string(left_) + " more passes of " +
                 common::hex(before_.front(), 6) + " to " + common::hex(before_.back(), 6) +
                 " the same way, " + std::to_string(until_ - since_) + " cycles";
    return entry;
  }

  static constexpr std::size_t kMost = 4096;
  Records& records_;
  std::vector<std::uint32_t> before_;
  std::deque<Entry> ready_;
  std::optional<Entry> ahead_;
  std::uint64_t left_ = 0;  ///< passes left out
  Cycle since_ = 0, until_ = 0;
  bool over_ = false;
};

}  // namespace

void writeInstructions(std::string_view log, const InstructionText& how,
                       const std::function<void(std::string_view)>& out) {
  InstructionReader reader(log);
  const std::vector<std::string>& names = reader.names();
  std::vector<Records> units;
  for (std::size_t n = 0; n < names.size(); ++n) units.emplace_back(reader, n);
  std::vector<Collapse> passes(units.begin(), units.end());
  std::vector<Entry> heads(units.size());
  using Turn = std::pair<Cycle, std::size_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> order;
  const auto advance = [&](std::size_t n) {
    const bool more = how.collapse ? passes[n].next(heads[n]) : units[n].next(heads[n]);
    if (more) order.emplace(heads[n].start, n);
  };
  std::size_t wide = 4;
  for (const std::string& name : names) wide = std::max(wide, name.size());
  out("     cycle  unit" + std::string(wide - 4, ' ') +
      "  pc     word     cyc  stalls               instruction\n");
  for (std::size_t n = 0; n < units.size(); ++n) advance(n);
  while (!order.empty()) {
    const std::size_t n = order.top().second;
    order.pop();
    char cycle[32];
    std::snprintf(cycle, sizeof cycle, "%10llu  ", static_cast<unsigned long long>(heads[n].start));
    out(cycle + names[n] + std::string(wide - names[n].size() + 2, ' ') + heads[n].text + "\n");
    advance(n);
  }
}

}  // namespace rtvp::c32
