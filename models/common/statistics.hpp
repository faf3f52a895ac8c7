// How a module declares what it measured: name, unit, description, value, in a tree that mirrors
// the module tree. Models fill it; the platform prints it (table, JSON) and `--stats-help` prints
// the descriptions.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <variant>
#include <vector>

namespace rtvp::common {

struct Figure {
  std::string name;
  std::string unit;         ///< "cycles", "words", "1" for a pure number ...
  std::string description;  ///< one sentence
  std::variant<std::uint64_t, double, std::string> value;
};

/// One module's figures and sub-modules, in declaration order.
class StatGroup {
 public:
  explicit StatGroup(std::string name = {}, std::string description = {})
      : name_(std::move(name)), description_(std::move(description)) {}

  void count(std::string name, std::string unit, std::string description, std::uint64_t value) {
    figures_.push_back({std::move(name), std::move(unit), std::move(description), value});
  }
  void ratio(std::string name, std::string unit, std::string description, double value) {
    figures_.push_back({std::move(name), std::move(unit), std::move(description), value});
  }
  void text(std::string name, std::string description, std::string value) {
    figures_.push_back({std::move(name), "", std::move(description), std::move(value)});
  }
  StatGroup& group(std::string name, std::string description) {
    return groups_.emplace_back(std::move(name), std::move(description));
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const std::vector<Figure>& figures() const { return figures_; }
  [[nodiscard]] const std::deque<StatGroup>& groups() const { return groups_; }

 private:
  std::string name_;
  std::string description_;
  std::vector<Figure> figures_;
  std::deque<StatGroup> groups_;  // a deque: references handed out by group() stay valid
};

}  // namespace rtvp::common
