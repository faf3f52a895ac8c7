// Reads a value change dump back, and refuses what is not well formed: undeclared or repeated
// identifiers, times that do not ascend, values that their variable cannot have, changes to the
// same value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rtvp::test {

class Vcd {
 public:
  struct Change {
    std::uint64_t ps;
    std::string value;  ///< 0, 1, binary digits, z, or the name of a state
  };
  struct Variable {
    std::string kind;
    std::size_t width = 0;
    std::vector<Change> changes;  ///< the first: at the beginning of the trace
  };

  explicit Vcd(const std::string& text) {
    std::istringstream in(text);
    std::string line;
    while (std::getline(in, line)) {
      ++number_;
      if (line.empty()) fail("an empty line");
      if (!body_) {
        header(line);
      } else if (line[0] == '#') {
        time(std::stoull(line.substr(1)));
      } else if (line[0] != '$') {
        change(line);
      }
    }
    if (!body_ || !started_) fail("no changes");
    for (const auto& [name, variable] : variables_) {
      if (variable.changes.empty()) fail(name + " has no value");
    }
  }

  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const { return now_; }
  [[nodiscard]] bool has(const std::string& name) const { return variables_.count(name) != 0; }
  [[nodiscard]] const std::map<std::string, Variable>& all() const { return variables_; }
  [[nodiscard]] const std::vector<Change>& of(const std::string& name) const {
    const auto found = variables_.find(name);
    if (found == variables_.end()) throw std::runtime_error("VCD: no variable " + name);
    return found->second.changes;
  }
  /// How often the variable took the value.
  [[nodiscard]] std::uint64_t times(const std::string& name, const std::string& value) const {
    const auto& changes = of(name);
    return static_cast<std::uint64_t>(std::count_if(
        changes.begin() + 1, changes.end(), [&](const Change& c) { return c.value == value; }));
  }
  [[nodiscard]] std::uint64_t last(const std::string& name) const {
    return std::stoull(of(name).back().value, nullptr, 2);
  }
  [[nodiscard]] std::uint64_t most(const std::string& name) const {
    std::uint64_t most = 0;
    for (const Change& c : of(name))
      most = std::max<std::uint64_t>(most, std::stoull(c.value, nullptr, 2));
    return most;
  }
  /// Value in force at `ps`.
  [[nodiscard]] std::string at(const std::string& name, std::uint64_t ps) const {
    std::string value;
    for (const Change& c : of(name)) {
      if (c.ps <= ps) value = c.value;
    }
    return value;
  }
  /// Picoseconds that the variable had the value.
  [[nodiscard]] std::uint64_t duration(const std::string& name, const std::string& value) const {
    const auto& changes = of(name);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (changes[i].value != value) continue;
      sum += (i + 1 < changes.size() ? changes[i + 1].ps : now_) - changes[i].ps;
    }
    return sum;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("VCD line " + std::to_string(number_) + ": " + what);
  }

  void header(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "$scope") {
      std::string kind, name;
      words >> kind >> name;
      if (kind != "module") fail("a scope that is no module");
      scopes_.push_back(name);
    } else if (word == "$upscope") {
      if (scopes_.empty()) fail("one $upscope too many");
      scopes_.pop_back();
    } else if (word == "$var") {
      variable(words);
    } else if (word == "$timescale") {
      if (line != "$timescale 1ps $end") fail(line);
    } else if (word == "$enddefinitions") {
      if (!scopes_.empty()) fail("a scope is open");
      body_ = true;
    } else if (word != "$version" && word != "$comment") {
      fail(line);
    }
    if (line.size() < 4 || line.substr(line.size() - 4) != "$end") fail("no $end");
  }

  void variable(std::istringstream& words) {
    Variable variable;
    std::string id, name, path;
    words >> variable.kind >> variable.width >> id >> name;
    for (const std::string& scope : scopes_) path += scope + ".";
    path += name;
    if (!ids_.emplace(id, path).second) fail("identifier " + id + " again");
    if (!variables_.emplace(path, variable).second) fail(path + " again");
  }

  void time(std::uint64_t ps) {
    if (started_ && ps <= now_ && ps != begin_) fail("time does not ascend");
    if (!started_) begin_ = ps;
    started_ = true;
    now_ = ps;
  }

  void change(const std::string& line) {
    if (!started_) fail("a change without a time");
    const bool wire = line[0] == '0' || line[0] == '1';
    const std::size_t blank = wire ? 1 : line.find(' ');
    if (blank == std::string::npos) fail(line);
    const std::string id = line.substr(wire ? 1 : blank + 1);
    const std::string value = wire ? line.substr(0, 1) : line.substr(1, blank - 1);
    const auto known = ids_.find(id);
    if (known == ids_.end()) fail("undeclared identifier " + id);
    Variable& v = variables_.at(known->second);
    const bool binary = v.kind != "string";
    if (wire != (v.kind == "wire" && v.width == 1)) fail(known->second + " is no such variable");
    if (!wire && (line[0] == 'b') != binary) fail(known->second + " is no such variable");
    if (binary && value != "z" &&
        (value.size() > v.width || value.find_first_not_of("01") != std::string::npos))
      fail(value + " is no value of " + known->second);
    if (!v.changes.empty() && v.changes.back().value == value) fail(known->second + ": no change");
    if (!v.changes.empty() && v.changes.back().ps == now_ && now_ != begin_)
      fail(known->second + " changes twice at one time");
    v.changes.push_back({now_, value});
  }

  std::size_t number_ = 0;
  bool body_ = false;
  bool started_ = false;
  std::uint64_t begin_ = 0;
  std::uint64_t now_ = 0;
  std::vector<std::string> scopes_;
  std::map<std::string, std::string> ids_;
  std::map<std::string, Variable> variables_;
};

}  // namespace rtvp::test
