// See condition.hpp.
#include "platform/sweep/condition.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "models/common/core/text.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::sweep {
namespace {

using platform::InputError;

// The longer ones first.
constexpr std::array<std::string_view, 6> kComparisons = {"<=", ">=", "==", "!=", "<", ">"};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool isWord(std::string_view text) {
  return !text.empty() && text.find_first_of(" ()*/,<>=!") == std::string_view::npos;
}

bool isName(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return isWord(text) && letter(text.front()) && text.find_first_of("+-") == std::string_view::npos;
}

std::optional<double> numberOf(std::string_view text) {
  if (text == "on") return 1;
  if (text == "off") return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool endsWithKey(std::string_view key, std::string_view name) {
  return key == name || (key.ends_with(name) && key[key.size() - name.size() - 1] == '.');
}

}  // namespace

Condition::Condition(const std::string& text, const platform::OptionTable& table,
                     const std::vector<std::string>& own, const std::string& origin)
    : text_(text), origin_(origin) {
  std::size_t at = std::string::npos;
  for (std::size_t i = 0; i < text.size() && at == std::string::npos; ++i) {
    for (const std::string_view c : kComparisons) {
      if (text.compare(i, c.size(), c) != 0) continue;
      at = i;
      comparison_ = c;
      break;
    }
  }
  if (at == std::string::npos) {
    throw InputError(origin + ": found " + common::quoted(text) +
                     ", expected a comparison: A <= B, with <=, >=, ==, !=, < or >");
  }
  const std::string_view left = trimmed(std::string_view(text).substr(0, at));
  const std::string_view right = trimmed(std::string_view(text).substr(at + comparison_.size()));
  const bool equality = comparison_ == "==" || comparison_ == "!=";
  // A word that is no parameter is a text: engine == theia.
  const bool texts = equality && isName(left) && isWord(right) && !numberOf(right) &&
                     std::none_of(table.all().begin(), table.all().end(),
                                  [&](const auto& o) { return endsWithKey(o.key, right); });
  if (texts) {
    resolve(left, table, own);
    key_ = keys_.begin()->second;
    word_ = right;
    return;
  }
  for (const std::string_view side : {left, right}) {
    sides_.emplace_back(side, origin);
    for (const std::string& name : sides_.back().names()) resolve(name, table, own);
  }
}

void Condition::resolve(std::string_view name, const platform::OptionTable& table,
                        const std::vector<std::string>& own) {
  std::vector<std::string> found;
  const auto look = [&](std::string_view key) {
    const bool known = std::find(found.begin(), found.end(), key) != found.end();
    if (!known && endsWithKey(key, name)) found.emplace_back(key);
  };
  for (const std::string& key : own) look(key);
  // What the sweep varies is meant before what it leaves alone.
  if (found.empty()) {
    for (const platform::OptionSpec& option : table.all()) look(option.key);
  }
  if (found.size() == 1) {
    keys_.emplace(name, found.front());
    return;
  }
  std::string list;
  for (const std::string& key : found) list += (list.empty() ? "" : ", ") + key;
  throw InputError(origin_ + ": found " + common::quoted(name) +
                   (found.empty() ? ", which ends no parameter's name, expected one like '" +
                                        std::string(table.nearest(name)) + "'"
                                  : ", expected more of one of " + list));
}

double Condition::evaluate(const Formula& formula, const ValueOf& valueOf) const {
  std::string bad;
  const Lookup lookup = [&](std::string_view name) {
    const std::string& key = keys_.find(name)->second;
    const std::string value = valueOf(key);
    const auto number = numberOf(value);
    if (!number) bad = key + " = '" + value + "'";
    return number;
  };
  const auto value = formula.evaluate(lookup, lookup);
  if (value) return *value;
  throw InputError(origin_ + ": '" + text_ + "' has no value" +
                   (bad.empty() ? " at a point" : " where " + bad + ", expected numbers"));
}

bool Condition::holds(const ValueOf& valueOf) const {
  if (sides_.empty()) return (valueOf(key_) == word_) == (comparison_ == "==");
  const double a = evaluate(sides_[0], valueOf);
  const double b = evaluate(sides_[1], valueOf);
  if (comparison_ == "<=") return a <= b;
  if (comparison_ == ">=") return a >= b;
  if (comparison_ == "<") return a < b;
  if (comparison_ == ">") return a > b;
  return (a == b) == (comparison_ == "==");
}

}  // namespace rtvp::sweep
