// Where a run is to stop: breakpoints, watches of memory and registers, conditions, events of the
// machine. Each may have a condition, a count to let pass, a group, actions, and a unit of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/debug/expression.hpp"

namespace rtvp::debug {

struct Stop {
  enum class Kind : std::uint8_t {
    Place,      ///< the PC comes to `first`
    Access,     ///< a data access between `first` and `last`
    Value,      ///< `expression` has another value than before
    Condition,  ///< `expression` becomes true
    Event,      ///< the machine reports `event`
  };
  int id = 0;
  Kind kind = Kind::Place;
  std::string head;  ///< "break work", as it was given: what makes another of it
  std::uint64_t first = 0, last = 0;
  bool onRead = false, onWrite = false;
  bool onChange = false;  ///< Access: a write of another value only
  std::optional<Expression> expression;
  std::string event;
  std::optional<std::int64_t> threshold;  ///< Event: its value must be this or more (or equal)

  std::optional<std::size_t> unit;  ///< empty: any
  std::size_t focus = 0;            ///< whose registers its expressions name
  std::optional<Expression> condition;
  std::uint64_t hits = 0;
  std::uint64_t skip = 0;  ///< hits still to let pass
  bool once = false;
  bool enabled = true;
  std::uint64_t every = 0;  ///< stops at each so many hits only; 0: at each
  std::string group;
  std::string actions;
  std::string message;  ///< printed instead of stopping; see messageText()

  std::vector<std::optional<Value>> seen{};  ///< Value, Condition: by unit, the latest

  /// "breakpoint", "watchpoint" or "stop".
  [[nodiscard]] std::string_view noun() const;
  /// The command that makes it, without its hits; `units` by number.
  [[nodiscard]] std::string command(const std::vector<Unit*>& units) const;
};

/// `text` with the value of each `{expression}` in its place, of the moment's unit: integers in
/// decimal. An expression that has no value leaves the reason there.
[[nodiscard]] std::string messageText(std::string_view text, const Moment& moment);
/// Throws CommandError, its column counted from the text's begin, for what is no expression.
void checkMessage(std::string_view text, const Scope& scope, std::size_t focus);

class Stops {
 public:
  Stop& add(Stop stop);
  /// The same with its number, as another process had it.
  Stop& restore(Stop stop);
  [[nodiscard]] Stop* find(int id);
  /// By number, by group, or "all"; what there is none of is empty.
  [[nodiscard]] std::vector<Stop*> named(std::string_view name);
  bool remove(int id);
  void clear() { stops_.clear(); }
  [[nodiscard]] std::vector<Stop>& all() { return stops_; }
  [[nodiscard]] const std::vector<Stop>& all() const { return stops_; }
  [[nodiscard]] int nextId() const { return nextId_; }
  void setNextId(int id) { nextId_ = id; }

 private:
  std::vector<Stop> stops_;
  int nextId_ = 1;
};

}  // namespace rtvp::debug
