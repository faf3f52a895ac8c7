// The station's questions about the past: station.hpp, history.hpp.
#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <cctype>
#include <optional>

#include "models/common/core/text.hpp"
#include "platform/debug/station.hpp"

namespace rtvp::platform {
namespace {

using debug::Question;

constexpr std::uint64_t kFirstCycles =
    4'096;  // looked at; eight times as many where they tell too little
constexpr std::uint64_t kMostLooks = 4'000'000;  // cycles times units
constexpr std::uint64_t kMostKept = 1'000'000;   // cycles times units that are written down
constexpr std::uint64_t kJumps = 12;

/// Words of eight hexadecimal digits that a report has.
std::vector<std::uint64_t> wordsOf(const std::string& text) {
  constexpr std::size_t kDigits = 8;
  std::vector<std::uint64_t> words;
  std::size_t digits = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const auto c = static_cast<unsigned char>(text[n]);
    if (c == 'h' && digits == kDigits)
      words.push_back(std::stoull(text.substr(n - kDigits, kDigits), nullptr, 16));
    digits = std::isxdigit(c) != 0 ? digits + 1 : 0;
  }
  return words;
}

class ProgramPlaces final : public debug::Places {
 public:
  explicit ProgramPlaces(debug::Dialogue& dialogue) : dialogue_(dialogue) {}
  [[nodiscard]] std::string place(std::uint64_t address) const override {
    return dialogue_.place(address);
  }
  [[nodiscard]] std::string lineAt(std::uint64_t address) const override {
    return dialogue_.lineAt(address);
  }

 private:
  debug::Dialogue& dialogue_;
};

}  // namespace

std::vector<debug::Command> Station::lookCommands() {
  using Operand = debug::Command::Operand;
  std::vector<debug::Command> rows;
  rows.push_back(
      {"why",
       {},
       "looking",
       "[REGISTER | at ADDRESS | word VALUE]",
       "where a value comes from: the instructions that made it, the latest first",
       "  why AR5              of the register in the unit in focus, now\n"
       "  why at stack         of the word there, and of the address that it was written to\n"
       "  why word 30050006h   of the latest result of this value, in any unit of the machine\n"
       "  why                  of the addresses of the instruction that stands next\n"
       "Goes back as far as it must (four million cycles of one unit, of more units less) and "
       "comes\n"
       "to the same moment again. Registers and memory are followed, flags and conditions are "
       "not;\n"
       "of the steps of pointers, counters and the stack only how many and the latest.\n",
       Operand::Expression,
       false,
       [this](debug::Words& words) { return why(words); }});
  rows.push_back({"way",
                  {},
                  "looking",
                  "[N]",
                  "the latest N (12) jumps of the unit in focus, each once",
                  "",
                  Operand::None,
                  false,
                  [this](debug::Words& w) -> debug::Action {
                    constexpr std::int64_t kMost = 1'000;
                    const std::uint64_t n =
                        w.end() ? kJumps : static_cast<std::uint64_t>(w.integer(1, kMost));
                    return [this, n] { lookBack({Question::Kind::Way, n}); };
                  }});
  return rows;
}

debug::Action Station::why(debug::Words& words) {
  std::optional<Question> question;  // none: the addresses, of when it is asked
  if (words.accept("at")) {
    question = Question{Question::Kind::Memory, words.address()};
  } else if (words.accept("word")) {
    constexpr std::int64_t kMost = 0xFFFFFFFF;
    question = Question{Question::Kind::Value, static_cast<std::uint64_t>(words.integer(0, kMost))};
  } else if (!words.end()) {
    const std::size_t column = words.column();
    const std::string name = words.word("a register");
    const auto registers = dialogue_->unit().registers();
    const auto it = std::find_if(registers.begin(), registers.end(), [&](const debug::Register& r) {
      return boost::algorithm::iequals(r.name, name);
    });
    if (it == registers.end())
      throw debug::CommandError(
          "found " + common::quoted(name) + ", expected a register, `at` or `word`", column);
    question = Question{Question::Kind::Registers, std::uint64_t{1} << (it - registers.begin())};
  }
  return [this, question] {
    const std::uint64_t pointers = debug::pointersOf(dialogue_->unit());
    if (!question && pointers == 0)
      return dialogue_->print("the instruction that stands next goes by no address\n");
    lookBack(question.value_or(Question{Question::Kind::Registers, pointers}));
  };
}

/// Does not return if there is a way back: an earlier state goes on.
void Station::lookBack(const Question& question) {
  if (snapshots_ == nullptr) throw debug::CommandError("no earlier state is kept here");
  const std::uint64_t now = moment_.value();
  if (now <= snapshots_->positions().front())
    return dialogue_->print("this is the beginning, nothing lies before it\n");
  if (!dialogue_->unit().flows())
    throw debug::CommandError("not known of " + dialogue_->unit().name());
  Goal goal;
  goal.kind = Goal::Kind::Look;
  goal.unit = dialogue_->focus();
  goal.end = now;
  goal.from = cyclesBefore(now, kFirstCycles);
  goal.question = question;
  pursue(std::move(goal), dialogue_->save());
}

void Station::beginHistories() {
  const bool all = goal_->question.kind == Question::Kind::Value;
  histories_.clear();
  histories_.resize(units_);
  for (std::size_t u = 0; u < units_; ++u) {
    const bool known = dialogue_->scope().units[u]->flows().has_value();
    if ((all && known) || u == goal_->unit) histories_[u] = std::make_unique<debug::History>();
  }
}

/// Of a value: whoever made it first; others have it from there.
std::pair<std::size_t, debug::History::Answer> Station::ask() const {
  std::pair<std::size_t, debug::History::Answer> best{goal_->unit, {}};
  const auto& units = dialogue_->scope().units;
  for (std::size_t u = 0; u < histories_.size(); ++u) {
    if (histories_[u] == nullptr) continue;
    debug::History::Answer answer = histories_[u]->ask(goal_->question, *units[u]);
    const bool sooner = answer.found && (!best.second.found || answer.steps.front().cycle <
                                                                   best.second.steps.front().cycle);
    if (u == goal_->unit && !best.second.found) best.second = answer;
    if (goal_->question.kind == Question::Kind::Value && sooner) best = {u, std::move(answer)};
  }
  return best;
}

/// All of [from, end] was seen: the answer is the text of the next stop, or there is a longer look.
void Station::answer() {
  if (!goal_->looking) return;
  const auto [unit, answer] = ask();
  const auto cycles = static_cast<double>(goal_->end - goal_->from) * hertz() / 1e12;
  const bool kept = goal_->question.kind == Question::Kind::Value;
  const bool more =
      goal_->from > floorOf(goal_->end) &&
      cycles * static_cast<double>(units_) < static_cast<double>(kept ? kMostKept : kMostLooks);
  if (answer.older && more) widen();
  histories_.clear();
  dialogue_->setFocus(unit);
  why_ = debug::answerText(goal_->question, answer, *dialogue_->scope().units[unit],
                           ProgramPlaces(*dialogue_));
  dialogue_->setFocus(goal_->unit);
  while (!why_.empty() && why_.back() == '\n') why_.pop_back();
}

/// What a failed run is asked: words that its report names, addresses, the way.
void Station::askOf(std::size_t unit, const std::string& failure) {
  constexpr std::size_t kWords = 2;
  const auto then = [this](const std::string& command) { dialogue_->queue(command, "autopsy"); };
  std::vector<std::uint64_t> words = wordsOf(failure);
  if (words.size() > kWords) words.resize(kWords);
  for (const std::uint64_t word : words) then("why word 0" + common::hex(word, 8) + "h");
  const bool pointed = debug::pointersOf(*dialogue_->scope().units[unit]) != 0;
  if (pointed) then("why");
  then("way");
}

}  // namespace rtvp::platform
