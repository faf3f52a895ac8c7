// See stops.hpp.
#include "models/debug/stops.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace rtvp::debug {

std::string_view Stop::noun() const {
  switch (kind) {
    case Kind::Place:
      return "breakpoint";
    case Kind::Access:
    case Kind::Value:
      return "watchpoint";
    default:
      return "stop";
  }
}

std::string Stop::command(const std::vector<Unit*>& units) const {
  std::string text = head;
  if (unit) text += " on " + units.at(*unit)->name();
  if (condition) text += " if " + condition->text();
  if (skip != 0) text += " skip " + std::to_string(skip);
  if (every != 0) text += " every " + std::to_string(every);
  if (once) text += " once";
  if (!group.empty()) text += " group " + group;
  if (!message.empty()) text += " log \"" + message + "\"";
  if (!actions.empty()) text += " do {" + actions + "}";
  return text;
}

namespace {

/// Text and the expressions in it, in their order; `{` without `}` is text.
void splitMessage(std::string_view text, const std::function<void(std::string_view)>& plain,
                  const std::function<void(std::string_view, std::size_t)>& expression) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at), close = text.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos)
      return plain(text.substr(at));
    plain(text.substr(at, open - at));
    expression(text.substr(open + 1, close - open - 1), open + 1);
    at = close + 1;
  }
}

Expression wholeExpression(std::string_view text, std::size_t column, const Scope& scope,
                           std::size_t focus) {
  std::size_t at = 0;
  try {
    Expression e = Expression::parse(text, at, scope, focus);
    if (text.find_first_not_of(" \t", at) != std::string_view::npos)
      throw CommandError("found more behind an expression, expected '}'", at);
    return e;
  } catch (const CommandError& error) {
    throw CommandError(error.what(), column + std::min(error.column(), text.size()));
  }
}

std::string plainText(const Value& value) {
  if (!value.isReal) return std::to_string(value.integer);
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value.real);
  return text;
}

}  // namespace

std::string messageText(std::string_view text, const Moment& moment) {
  std::string out;
  splitMessage(
      text, [&out](std::string_view plain) { out += plain; },
      [&](std::string_view expression, std::size_t column) {
        try {
          out += plainText(
              wholeExpression(expression, column, *moment.scope, moment.unit).evaluate(moment));
        } catch (const CommandError& error) {
          out += std::string("{") + error.what() + "}";
        }
      });
  return out;
}

void checkMessage(std::string_view text, const Scope& scope, std::size_t focus) {
  splitMessage(
      text, [](std::string_view /*plain*/) {},
      [&](std::string_view expression, std::size_t column) {
        (void)wholeExpression(expression, column, scope, focus);
      });
}

Stop& Stops::add(Stop stop) {
  stop.id = nextId_++;
  return restore(std::move(stop));
}

Stop& Stops::restore(Stop stop) {
  nextId_ = std::max(nextId_, stop.id + 1);
  stops_.push_back(std::move(stop));
  return stops_.back();
}

Stop* Stops::find(int id) {
  const auto it =
      std::find_if(stops_.begin(), stops_.end(), [id](const Stop& s) { return s.id == id; });
  return it == stops_.end() ? nullptr : &*it;
}

std::vector<Stop*> Stops::named(std::string_view name) {
  std::vector<Stop*> found;
  for (Stop& s : stops_) {
    if (name == "all" || name == std::to_string(s.id) || (!s.group.empty() && name == s.group))
      found.push_back(&s);
  }
  return found;
}

bool Stops::remove(int id) {
  return std::erase_if(stops_, [id](const Stop& s) { return s.id == id; }) != 0;
}

}  // namespace rtvp::debug
