// See stops.hpp.
#include "models/debug/stops.hpp"

#include <algorithm>

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
  if (once) text += " once";
  if (!group.empty()) text += " group " + group;
  if (!actions.empty()) text += " do {" + actions + "}";
  return text;
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
