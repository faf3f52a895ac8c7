#include "platform/report/statistics.hpp"

#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <set>

namespace rtvp::report {
namespace {

namespace json = boost::json;
using common::Figure;
using common::StatGroup;

constexpr const char* kHostGroup = "host_side";

json::value toJson(const Figure& figure) {
  struct Visitor {
    json::value operator()(std::uint64_t v) const { return v; }
    // JSON knows no infinity; a ratio without a denominator is null.
    json::value operator()(double v) const { return std::isfinite(v) ? json::value(v) : nullptr; }
    json::value operator()(const std::string& v) const { return json::string(v); }
  };
  return std::visit(Visitor{}, figure.value);
}

void addFigures(json::object& object, const StatGroup& group) {
  json::object units;
  for (const Figure& f : group.figures()) {
    object[f.name] = toJson(f);
    if (!f.unit.empty()) units[f.name] = json::string(f.unit);
  }
  if (!units.empty()) object["units"] = std::move(units);
}

void checkGroup(const StatGroup& group, const std::string& path,
                std::vector<std::string>& problems) {
  const std::string here = path.empty() ? group.name() : path + "." + group.name();
  const std::uint64_t* total = nullptr;
  std::uint64_t sum = 0;
  bool parts = false;
  for (const Figure& f : group.figures()) {
    const auto* const count = std::get_if<std::uint64_t>(&f.value);
    if (count == nullptr) continue;
    if (f.name == "cycles") total = count;
    if (f.name.starts_with("cycles_")) {
      sum += *count;
      parts = true;
    }
  }
  if (total != nullptr && parts && *total != sum) {
    problems.push_back(here + ": cycles = " + std::to_string(*total) +
                       ", but its parts add up to " + std::to_string(sum));
  }
  for (const StatGroup& sub : group.groups()) checkGroup(sub, here, problems);
}

// Boards, DSPs and computers repeat: "board0", "board1" ... are explained once, as "board*".
std::string withoutNumber(const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string::npos || end + 1 == name.size()) return name;
  return name.substr(0, end + 1) + "*";
}

void helpGroup(std::ostream& out, const StatGroup& group, const std::string& path) {
  const std::string name = withoutNumber(group.name());
  const std::string here = path.empty() ? name : path + "." + name;
  if (!here.empty()) out << here << ": " << group.description() << "\n";
  for (const Figure& f : group.figures()) {
    out << "  " << std::left << std::setw(28) << f.name << " " << std::setw(14)
        << (f.unit.empty() ? "-" : f.unit) << " " << f.description << "\n";
  }
  std::set<std::string> seen;
  for (const StatGroup& sub : group.groups()) {
    if (seen.insert(withoutNumber(sub.name())).second) helpGroup(out, sub, here);
  }
}

void prettyPrint(std::string& out, const json::value& value, std::size_t depth) {
  const auto indent = [&](std::size_t d) { out += "\n" + std::string(2 * d, ' '); };
  if (const json::object* const object = value.if_object(); object != nullptr && !object->empty()) {
    out += "{";
    bool first = true;
    for (const auto& [key, member] : *object) {
      if (!first) out += ",";
      first = false;
      indent(depth + 1);
      out += json::serialize(json::value(key)) + ": ";
      prettyPrint(out, member, depth + 1);
    }
    indent(depth);
    out += "}";
    return;
  }
  if (const double* const number = value.if_double()) {
    // Shortest digits that read back as the same number; 3e+07 as 30000000.
    const double magnitude = std::abs(*number);
    const bool plain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e15);
    const auto format = plain ? std::chars_format::fixed : std::chars_format::general;
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), *number, format).ptr;
    out.append(text.data(), end);
    return;
  }
  out += json::serialize(value);
}

}  // namespace

json::object statisticsJson(const StatGroup& group) {
  json::object object;
  addFigures(object, group);
  for (const StatGroup& sub : group.groups()) {
    if (sub.name() != kHostGroup) object[sub.name()] = statisticsJson(sub);
  }
  return object;
}

json::object hostStatisticsJson(const StatGroup& group) {
  json::object object;
  for (const StatGroup& sub : group.groups()) {
    if (sub.name() == kHostGroup) {
      addFigures(object, sub);
    } else if (json::object inner = hostStatisticsJson(sub); !inner.empty()) {
      object[sub.name()] = std::move(inner);
    }
  }
  return object;
}

std::vector<std::string> checkClosedSums(const StatGroup& group) {
  std::vector<std::string> problems;
  checkGroup(group, "", problems);
  return problems;
}

void printStatisticsHelp(std::ostream& out, const StatGroup& group) {
  helpGroup(out, group, "");
}

std::string prettyJson(const json::value& value) {
  std::string text;
  prettyPrint(text, value, 0);
  return text + "\n";
}

}  // namespace rtvp::report
