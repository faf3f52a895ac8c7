// See dialogue.hpp.
#include "models/debug/dialogue.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

#include "models/common/core/nearest_word.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::debug {

Dialogue::Dialogue(World& world, const Program& program, Host& host, std::string prompt)
    : world_(world),
      host_(host),
      scope_{world.units(), &program},
      watcher_(scope_),
      prompt_(std::move(prompt)) {
  for (auto rows : {moveCommands, stopCommands, lookCommands, changeCommands, sessionCommands})
    add(rows(*this));
  watcher_.say = [this](std::size_t unit, const std::string& text) {
    const std::string who = scope_.units.size() > 1 ? scope_.units[unit]->name() + ": " : "";
    print(who + text + "\n");
  };
}

void Dialogue::add(std::vector<Command> commands) {
  for (Command& c : commands) commands_.push_back(std::move(c));
}

/// For a word that is no command: which one it may be.
std::string Dialogue::hint(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const Command& c : commands_) {
    names.push_back(c.name);
    names.insert(names.end(), c.aliases.begin(), c.aliases.end());
  }
  const std::string_view likely = common::likelyWord(name, names);
  return likely.empty() ? "" : "; the nearest is " + common::quoted(likely);
}

const Command& Dialogue::find(std::string_view name, std::size_t column) const {
  const auto called = [name](const Command& c) {
    return c.name == name || std::find(c.aliases.begin(), c.aliases.end(), name) != c.aliases.end();
  };
  if (const auto it = std::find_if(commands_.begin(), commands_.end(), called);
      it != commands_.end())
    return *it;
  std::vector<const Command*> begins;
  for (const Command& c : commands_) {
    if (c.name.starts_with(name)) begins.push_back(&c);
  }
  if (begins.size() == 1) return *begins[0];
  std::string text = "found " + common::quoted(name) + ", expected ";
  if (begins.empty()) throw CommandError(text + "a command (help lists them)" + hint(name), column);
  for (std::size_t n = 0; n < begins.size(); ++n)
    text += (n == 0 ? "" : n + 1 == begins.size() ? " or " : ", ") + std::string(begins[n]->name);
  throw CommandError(text, column);
}

Action Dialogue::parse(const std::string& command) const {
  Words words(command, 0, scope_, focus_);
  if (words.end()) return [] {};
  const std::size_t column = words.column();
  const Command& row = find(words.word("a command"), column);
  Action action = row.parse(words);
  words.finish();
  return action;
}

std::vector<std::size_t> Dialogue::readers() const {
  std::vector<std::size_t> all = {focus_};
  if (program().owners.empty()) return all;
  if (focus_ != 0) all.push_back(0);
  for (const Program::Owner& o : program().owners) {
    if (o.unit != focus_) all.push_back(o.unit);
  }
  return all;
}

void Dialogue::check(const std::string& line) {
  const std::size_t focus = focus_;
  for (const std::string& command : splitCommands(line)) {
    std::optional<CommandError> wrong;
    bool read = false;
    // A command is right if it is for units of one kind: which one will be in focus is not known.
    for (const std::size_t reader : readers()) {
      focus_ = reader;
      try {
        parse(command);
        read = true;
      } catch (const CommandError& error) {
        if (!wrong) wrong.emplace(errorText(command, error), error.column());
      }
      focus_ = focus;
      if (read) break;
    }
    if (!read) throw CommandError(*wrong);
  }
}

void Dialogue::queue(const std::string& line, const std::string& where) {
  for (std::string& command : splitCommands(line)) pending_.push_back({std::move(command), where});
}

void Dialogue::script(const std::string& text, const std::string& path) {
  std::vector<Pending> all;
  std::string line, command;
  std::istringstream in(text);
  for (unsigned n = 1; std::getline(in, line); ++n) {
    const std::string_view own = withoutRemark(line);
    if (!command.empty()) command += " ; ";
    command += own;
    if (unfinished(command) && in.peek() != EOF) continue;
    const std::string where = path + ":" + std::to_string(n);
    try {
      check(command);
    } catch (const CommandError& error) {
      throw CommandError(where + ": " + error.what());
    }
    for (std::string& c : splitCommands(command)) all.push_back({std::move(c), where, false});
    command.clear();
  }
  pending_.insert(pending_.begin(), all.begin(), all.end());
}

std::string Dialogue::errorText(const std::string& command, const CommandError& error) {
  std::string text = error.what();
  if (error.column() == CommandError::kNowhere) return text;
  return text + "\n  " + command + "\n  " +
         std::string(std::min(error.column(), command.size()), ' ') + "^";
}

void Dialogue::execute(const Pending& pending) {
  try {
    const Action action = parse(pending.text);
    if (pending.typed) {
      Words words(pending.text, 0, scope_, focus_);
      if (!words.end()) {
        const Command& row = find(words.word("a command"), 0);
        repeat_ = row.repeats ? pending.text : "";
      }
    }
    action();
  } catch (const CommandError& error) {
    print("error: " + errorText(pending.text, error) + "\n");
    // What else stood in the line was meant to follow it.
    std::erase_if(pending_, [&](const Pending& p) { return p.where == pending.where; });
    if (pending.where.empty()) return;
    failure_ = pending.where + ": bad command: " + pending.text;
    quit_ = true;
  }
}

void Dialogue::goOnAlone(const Standing& standing) {
  watcher().stops().clear();
  watcher().changed();
  if (standing.reason == Standing::Reason::Over || standing.reason == Standing::Reason::Failed)
    return leave();
  move({});
}

/// Another command into pending_; false: there are no more.
bool Dialogue::fetch() {
  if (!pending_.empty()) return true;
  std::optional<std::string> line = host_.line(prompt_);
  if (!line) return false;
  const bool repeats = line->empty();
  line = std::string(withoutRemark(*line));
  while (unfinished(*line)) {
    const auto more = host_.line("> ");
    if (!more) break;
    *line += " ; ";
    *line += withoutRemark(*more);
  }
  std::vector<std::string> commands = splitCommands(*line);
  if (repeats && !repeat_.empty()) commands.push_back(repeat_);
  for (std::string& c : commands) pending_.push_back({std::move(c), "", true});
  return true;
}

void Dialogue::pause(const Standing& standing) {
  if (!standing.text.empty() && !host_.protocol()) {
    print(standing.text + "\n");
    showDisplays();
  }
  moving_ = false;
  bool told = false;
  while (!quit_ && !moving_) {
    if (pending_.empty() && !std::exchange(told, true)) host_.stands(*this, standing);
    if (quit_ || moving_) return;
    if (!fetch()) {
      quit_ = true;
      return;
    }
    if (pending_.empty()) continue;
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    execute(next);
  }
}

std::string Dialogue::describe(const Hit& hit) const {
  return scope_.units.size() > 1 ? scope_.units[hit.unit]->name() + ": " + hit.text : hit.text;
}

void Dialogue::pause() {
  std::vector<std::string> actions;
  // A stop that is met once is gone after take(): its actions are asked for first.
  std::vector<Stop> before = watcher_.stops().all();
  const std::vector<Hit> hits = watcher_.take();
  std::string why;
  std::vector<int> acted;  // of several units that meet a stop at once, one acts
  for (const Hit& h : hits) {
    why += (why.empty() ? "" : "\n") + describe(h);
    if (std::find(acted.begin(), acted.end(), h.id) != acted.end()) continue;
    acted.push_back(h.id);
    const auto stop =
        std::find_if(before.begin(), before.end(), [&h](const Stop& s) { return s.id == h.id; });
    if (stop != before.end() && !stop->actions.empty()) actions.push_back(stop->actions);
  }
  if (!hits.empty()) {
    focus_ = hits.front().unit;
    why += "\n" + standing();
  }
  for (auto it = actions.rbegin(); it != actions.rend(); ++it) {
    std::vector<std::string> commands = splitCommands(*it);
    for (auto c = commands.rbegin(); c != commands.rend(); ++c)
      pending_.push_front({std::move(*c), "", false});
  }
  while (!why.empty() && why.back() == '\n') why.pop_back();
  pause({Standing::Reason::Stop, why, hits});
}

void Dialogue::perform(const std::string& line) {
  for (const std::string& command : splitCommands(line)) parse(command)();
}

void Dialogue::move(Move next) {
  next.unit = focus_;
  watcher_.go(next);
  if (!std::exchange(moved_, true) && next.kind == Move::Kind::Run) {
    for (std::size_t u = 0; u < scope_.units.size(); ++u) watcher_.arriveFirst(u);
  }
  moving_ = true;
}

void Dialogue::reverse(Reverse how) {
  how.unit = focus_;
  world_.reverse(how);
}

void World::reverse(const Reverse& /*how*/) {
  throw CommandError("no earlier state is kept here");
}

namespace {

/// Of a parallel instruction that is written in two lines.
std::string secondHalf(const std::vector<std::string>& source, std::size_t next) {
  return next < source.size() && source[next].starts_with("||")
             ? "\n" + std::to_string(next + 1) + "\t" + source[next]
             : "";
}

}  // namespace

std::string Dialogue::lineAt(std::uint64_t address) {
  if (const Line* const line = program().lineAt(address)) {
    const std::vector<std::string>* const source = host_.source(program().files[line->file]);
    if (source != nullptr && line->number >= 1 && line->number <= source->size())
      return std::to_string(line->number) + "\t" + (*source)[line->number - 1] +
             secondHalf(*source, line->number);
  }
  return "\t" + unit().disassemble(address);
}

void Dialogue::showDisplays() {
  for (const Expression& e : displays_) {
    std::string text;
    try {
      text = valueText(e.evaluate(moment()), unit().wordBits());
    } catch (const CommandError& error) {
      text = error.what();
    }
    print("  " + e.text() + " = " + text + "\n");
  }
}

}  // namespace rtvp::debug
