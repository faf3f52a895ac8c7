// See instruction_lines.hpp.
#include "models/debug/instruction_lines.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <optional>
#include <queue>
#include <utility>

#include "models/common/core/text.hpp"

namespace rtvp::debug {
namespace {

/// Leaves out passes of a loop that are like the one before: those between two jumps back.
class Collapse {
 public:
  Collapse(NextInstruction next, unsigned digits) : next_(std::move(next)), digits_(digits) {}

  bool next(InstructionLine& entry) {
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
    std::vector<InstructionLine> pass;
    if (ahead_) pass.push_back(std::move(*ahead_));
    ahead_.reset();
    InstructionLine entry;
    for (;;) {
      if (!next_(entry)) {
        over_ = true;
        break;
      }
      if ((!pass.empty() && entry.pc <= pass.back().pc) || pass.size() >= kMost) {
        ahead_ = std::move(entry);
        break;
      }
      pass.push_back(std::move(entry));
    }
    const bool same =
        pass.size() == before_.size() && !pass.empty() &&
        std::equal(pass.begin(), pass.end(), before_.begin(),
                   [](const InstructionLine& e, std::uint64_t pc) { return e.pc == pc; });
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
    for (InstructionLine& e : pass) {
      before_.push_back(e.pc);
      ready_.push_back(std::move(e));
    }
  }

  [[nodiscard]] InstructionLine summary() const {
    InstructionLine entry;
    entry.pc = before_.front();
    entry.start = since_;
    entry.end = until_;
    entry.text = "... " + std::to_string(left_) + " more passes of " +
                 common::hex(before_.front(), digits_) + " to " +
                 common::hex(before_.back(), digits_) + " the same way, " +
                 std::to_string(until_ - since_) + " cycles";
    return entry;
  }

  static constexpr std::size_t kMost = 4096;
  NextInstruction next_;
  unsigned digits_;
  std::vector<std::uint64_t> before_;
  std::deque<InstructionLine> ready_;
  std::optional<InstructionLine> ahead_;
  std::uint64_t left_ = 0;  ///< passes left out
  std::uint64_t since_ = 0, until_ = 0;
  bool over_ = false;
};

}  // namespace

void writeInstructionLines(const std::vector<std::string>& names,
                           std::vector<NextInstruction> units, unsigned digits, bool collapse,
                           const std::function<void(std::string_view)>& out) {
  std::vector<Collapse> passes;
  for (const NextInstruction& unit : units) passes.emplace_back(unit, digits);
  std::vector<InstructionLine> heads(units.size());
  using Turn = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> order;
  const auto advance = [&](std::size_t n) {
    const bool more = collapse ? passes[n].next(heads[n]) : units[n](heads[n]);
    if (more) order.emplace(heads[n].start, n);
  };
  std::size_t wide = 4;
  for (const std::string& name : names) wide = std::max(wide, name.size());
  out("     cycle  unit" + std::string(wide - 4, ' ') + "  pc" + std::string(digits - 1, ' ') +
      "word     cyc  stalls               instruction\n");
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

}  // namespace rtvp::debug
