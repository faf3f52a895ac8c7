// Breakpoints of dap.hpp: each is a stop, made of the command that a person would type.
#include <algorithm>
#include <charconv>
#include <sstream>

#include "models/common/core/text.hpp"
#include "models/debug/remote/dap_arguments.hpp"

namespace rtvp::debug {

namespace json = boost::json;
using Body = json::object;

namespace {

/// "5" and ">= 5": from the fifth on; "> 5"; "% 5": each fifth. As clauses.
std::string countOf(const std::string& condition) {
  const std::size_t digits = condition.find_first_of("0123456789");
  std::string sign = condition.substr(0, std::min(digits, condition.size()));
  std::erase(sign, ' ');
  std::uint64_t n = 0;
  const char* const last = condition.data() + condition.size();
  const bool number = digits != std::string::npos &&
                      std::from_chars(condition.data() + digits, last, n).ptr == last && n > 0 &&
                      n < 1'000'000'000'000;
  if (number && (sign.empty() || sign == ">=")) return " skip " + std::to_string(n - 1);
  if (number && sign == ">") return " skip " + std::to_string(n);
  if (number && sign == "%") return " every " + std::to_string(n);
  throw DapRefusal("hit condition: found " + common::quoted(condition) +
                   ", expected N, >= N, > N or % N");
}

}  // namespace

std::string DapHost::clausesOf(const Arguments& b) const {
  std::string clauses;
  if (const std::string condition = arguments::text(b, "condition"); !condition.empty())
    clauses += " if " + condition;
  if (const std::string hits = arguments::text(b, "hitCondition"); !hits.empty())
    clauses += countOf(hits);
  std::string message = arguments::text(b, "logMessage");
  std::replace(message.begin(), message.end(), '"', '\'');
  std::replace(message.begin(), message.end(), '\n', ' ');
  if (!message.empty()) clauses += " log \"" + message + "\"";
  return clauses;
}

/// Those it had and still wants stay as they are, with their counts.
Body DapHost::own(const std::string& owner, const std::vector<Wanted>& wanted) {
  Stops& stops = dialogue_->watcher().stops();
  std::vector<Owned> had = std::exchange(owned_[owner], {});
  json::array answers;
  for (const Wanted& w : wanted) {
    Body answer = w.more;
    answer["verified"] = false;
    try {
      if (w.command.empty()) throw DapRefusal(w.why);
      const auto same = std::find_if(had.begin(), had.end(), [&](const Owned& o) {
        return o.command == w.command && stops.find(o.id) != nullptr;
      });
      int id = 0;
      if (same != had.end()) {
        id = same->id;
        had.erase(same);
      } else {
        id = stops.add(stopFrom(*dialogue_, w.command)).id;
      }
      owned_[owner].push_back({id, w.command});
      answer["verified"] = true;
      answer["id"] = id;
    } catch (const std::exception& error) {
      answer["message"] = error.what();
    }
    answers.emplace_back(std::move(answer));
  }
  for (const Owned& o : had) stops.remove(o.id);
  dialogue_->watcher().changed();
  return {{"breakpoints", std::move(answers)}};
}

Body DapHost::setBreakpoints(const Arguments& a) {
  const std::string path = arguments::text(arguments::object(a, "source"), "path");
  const Program& program = dialogue_->program();
  const auto file = fileByTail(program.files, path);
  if (file) paths_.learn(program.files[*file], path);
  std::vector<Wanted> wanted;
  for (const json::value& v : arguments::array(a, "breakpoints")) {
    const Arguments& b = arguments::element(v);
    Wanted w;
    const std::int64_t line = arguments::needInteger(b, "line") + (linesFrom1_ ? 0 : 1);
    const bool sane = line >= 1 && line <= UINT32_MAX;
    const auto address =
        file && sane ? program.addressOf(*file, static_cast<std::uint32_t>(line)) : std::nullopt;
    if (!file) {
      w.why = "the program has no file of this name";
    } else if (!address) {
      w.why = "no code at this line or behind it";
    } else {
      try {
        w.command = "break " + common::hex0x(*address) + clausesOf(b);
      } catch (const DapRefusal& refusal) {
        w.why = refusal.what();
      }
      w.more = {{"line", program.lineAt(*address)->number - (linesFrom1_ ? 0 : 1)},
                {"source", sourceBody(*file)},
                {"instructionReference", common::hex0x(*address)}};
    }
    wanted.push_back(std::move(w));
  }
  return own("source " + (file ? program.files[*file] : path), wanted);
}

Body DapHost::setFunctionBreakpoints(const Arguments& a) {
  std::vector<Wanted> wanted;
  for (const json::value& v : arguments::array(a, "breakpoints")) {
    const Arguments& b = arguments::element(v);
    Wanted w;
    try {
      const std::string name = arguments::text(b, "name");
      if (name.empty()) throw DapRefusal("found no name, expected a symbol");
      w.command = "break " + name + clausesOf(b);
    } catch (const DapRefusal& refusal) {
      w.why = refusal.what();
    }
    wanted.push_back(std::move(w));
  }
  return own("function", wanted);
}

Body DapHost::setInstructionBreakpoints(const Arguments& a) {
  std::vector<Wanted> wanted;
  for (const json::value& v : arguments::array(a, "breakpoints")) {
    const Arguments& b = arguments::element(v);
    Wanted w;
    try {
      const auto bytes = arguments::integer(b, "offset").value_or(0);
      const auto words = bytes / std::max(1, static_cast<int>(dialogue_->unit().wordBits() / 8));
      const std::uint64_t address =
          (arguments::address(b, "instructionReference") + static_cast<std::uint64_t>(words)) &
          dialogue_->unit().addressMask();
      w.command = "break " + common::hex0x(address) + clausesOf(b);
      w.more["instructionReference"] = common::hex0x(address);
    } catch (const DapRefusal& refusal) {
      w.why = refusal.what();
    }
    wanted.push_back(std::move(w));
  }
  return own("instruction", wanted);
}

/// What dataBreakpointInfo() gave out is the command itself.
Body DapHost::setDataBreakpoints(const Arguments& a) {
  std::vector<Wanted> wanted;
  for (const json::value& v : arguments::array(a, "breakpoints")) {
    const Arguments& b = arguments::element(v);
    std::istringstream id(arguments::text(b, "dataId"));
    std::string what, words, unit;
    id >> what >> words >> unit;
    std::string access = arguments::text(b, "accessType");
    Wanted w;
    try {
      if (what.empty() || unit.empty()) throw DapRefusal("dataId: found one that is not ours");
      access = access == "read" ? " r" : access == "readWrite" ? " rw" : " w";
      w.command = "watch " + what + (words == "-" ? "" : " " + words + access) +
                  (unit == "-" ? "" : " on " + unit) + clausesOf(b);
    } catch (const DapRefusal& refusal) {
      w.why = refusal.what();
    }
    wanted.push_back(std::move(w));
  }
  return own("data", wanted);
}

Body DapHost::dataBreakpointInfo(const Arguments& a) {
  const std::string name = arguments::text(a, "name");
  const std::int64_t reference = arguments::integer(a, "variablesReference").value_or(0);
  const std::size_t unit = reference != 0 ? unitOfReference(reference) : frameUnit(a);
  const std::string expression = reference != 0 ? nameOf(unit, reference, name)
                                 : arguments::flag(a, "asAddress", false) ? "[" + name + "]"
                                                                          : name;
  try {
    std::size_t at = 0;
    const Expression e = Expression::parse(expression, at, dialogue_->scope(), unit);
    if (at != expression.size()) throw CommandError("expected one expression", at);
    const std::string& on = unitAt(unit).name();
    if (e.form() == Expression::Form::Register)
      return {{"dataId", e.text() + " - " + on},
              {"description", on + "." + e.text()},
              {"accessTypes", {"write"}}};
    std::string inner = expression;
    if (e.form() == Expression::Form::Memory && inner.front() == '[')
      inner = inner.substr(1, inner.rfind(']') - 1);
    std::size_t from = 0;
    const Value address = Expression::parse(inner, from, dialogue_->scope(), unit)
                              .evaluate({&dialogue_->scope(), unit, 0, {}, {}});
    const std::uint64_t where =
        static_cast<std::uint64_t>(address.asInteger()) & unitAt(unit).addressMask();
    return {{"dataId", common::hex0x(where) + " 1 " + on},
            {"description", on + ": the word at " + dialogue_->place(where)},
            {"accessTypes", {"read", "write", "readWrite"}}};
  } catch (const CommandError& error) {
    return {{"dataId", nullptr}, {"description", error.what()}};
  }
}

Body DapHost::breakpointLocations(const Arguments& a) {
  const std::string path = arguments::text(arguments::object(a, "source"), "path");
  const Program& program = dialogue_->program();
  const auto file = fileByTail(program.files, path);
  const std::int64_t base = linesFrom1_ ? 0 : 1;
  const std::int64_t first = arguments::needInteger(a, "line") + base;
  const std::int64_t last = arguments::integer(a, "endLine").value_or(first - base) + base;
  std::set<std::int64_t> lines;
  for (const Line& line : program.lines) {
    if (file && line.file == *file && line.number >= first && line.number <= last)
      lines.insert(line.number);
  }
  json::array found;
  for (const std::int64_t line : lines) found.emplace_back(Body{{"line", line - base}});
  return {{"breakpoints", std::move(found)}};
}

}  // namespace rtvp::debug
