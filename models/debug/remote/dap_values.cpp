// Values of dap.hpp: registers and words with their views, and how they are changed.
#include <algorithm>
#include <cstdio>

#include "models/common/core/text.hpp"
#include "models/debug/remote/dap_arguments.hpp"
#include "models/debug/remote/dap_references.hpp"

namespace rtvp::debug {

namespace json = boost::json;
using Body = json::object;

namespace {

struct View {
  std::string_view name, suffix;
  bool ofReal;  ///< only if there is such a form
};
constexpr View kViews[] = {{"float", ".f", true},
                           {"signed", ".i", false},
                           {"unsigned", ".u", false},
                           {"exponent", ".e", true}};

std::string realText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::int64_t extended(std::uint64_t raw, unsigned bits) {
  if (bits >= 64) return static_cast<std::int64_t>(raw);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>(((raw & (2 * sign - 1)) ^ sign) - sign);
}

/// All forms in a line.
std::string registerValue(const Unit& unit, unsigned index) {
  const Register& reg = unit.registers()[index];
  const std::uint64_t raw = unit.value(index);
  const std::string hex = common::hex0x(raw, (reg.bits + 3) / 4);
  const std::string integer = std::to_string(extended(raw, reg.integerBits));
  return reg.real ? hex + "  " + integer + "  " + realText(unit.real(raw, reg.bits))
                  : hex + "  " + integer;
}

std::string wordValue(const Unit& unit, std::uint64_t address) {
  const auto word = unit.peek(address);
  if (!word) return "nothing answers";
  return common::hex0x(*word, unit.wordBits() / 4) + "  " +
         std::to_string(extended(*word, unit.wordBits())) + "  " +
         realText(unit.real(*word, unit.wordBits()));
}

}  // namespace

/// Places with a name that are not code.
std::vector<std::uint64_t> DapHost::dataLabels() const {
  std::vector<std::uint64_t> found;
  const Program& program = dialogue_->program();
  for (const auto& [address, name] : program.labels) {
    if (!program.isCode(address)) found.push_back(address);
  }
  return found;
}

std::string DapHost::nameOf(std::size_t unit, std::int64_t r, const std::string& name) const {
  const std::int64_t what = reference::whatOf(r);
  const Unit& u = unitAt(unit);
  if (what == reference::kData) return "[" + name + "]";
  if (what < reference::kFirstRegister) return name;
  std::string base;
  if (what < reference::kFirstLabel) {
    const auto index = static_cast<std::size_t>(what - reference::kFirstRegister);
    if (index >= u.registers().size()) throw DapRefusal("found a reference that is not there");
    base = u.registers()[index].name;
  } else {
    const auto labels = dataLabels();
    const auto index = static_cast<std::size_t>(what - reference::kFirstLabel);
    if (index >= labels.size()) throw DapRefusal("found a reference that is not there");
    base = "[" + dialogue_->program().labels.at(labels[index]) + "]";
  }
  for (const View& view : kViews) {
    if (view.name == name) return base + std::string(view.suffix);
  }
  return base;
}

json::array DapHost::registersOf(std::size_t unit, bool ofMachine) const {
  const Unit& u = unitAt(unit);
  json::array all;
  const auto add = [&all](std::string_view name, std::string value, std::int64_t reference) {
    all.emplace_back(Body{{"name", name},
                          {"value", std::move(value)},
                          {"evaluateName", name},
                          {"variablesReference", reference}});
    return &all.back().as_object();
  };
  if (!ofMachine) {
    add("PC", dialogue_->place(u.pc()), 0)->emplace("memoryReference", common::hex0x(u.pc()));
    add("cycle", std::to_string(u.cycle()), 0);
    add("instructions", std::to_string(u.instructions()), 0);
  }
  const auto registers = u.registers();
  for (unsigned n = 0; n < registers.size(); ++n) {
    if (registers[n].shared != ofMachine) continue;
    Body& row = *add(registers[n].name, registerValue(u, n),
                     ofMachine ? 0 : reference::of(unit, reference::kFirstRegister + n));
    if (!registers[n].real)
      row["memoryReference"] = common::hex0x(u.value(n) & u.addressMask(), u.addressDigits());
  }
  return all;
}

json::array DapHost::dataOf(std::size_t unit) const {
  json::array all;
  const auto labels = dataLabels();
  for (std::size_t n = 0; n < labels.size(); ++n) {
    const std::string& name = dialogue_->program().labels.at(labels[n]);
    const auto index = reference::kFirstLabel + static_cast<std::int64_t>(n);
    all.emplace_back(
        Body{{"name", name},
             {"value", wordValue(unitAt(unit), labels[n])},
             {"evaluateName", "[" + name + "]"},
             {"memoryReference", common::hex0x(labels[n], unitAt(unit).addressDigits())},
             {"variablesReference", index < reference::kAll ? reference::of(unit, index) : 0}});
  }
  return all;
}

json::array DapHost::viewsOf(std::size_t unit, const std::string& expression, bool withReal) const {
  json::array all;
  for (const View& view : kViews) {
    if (view.ofReal && !withReal) continue;
    const std::string name = expression + std::string(view.suffix);
    Body row = {{"name", view.name}, {"evaluateName", name}, {"variablesReference", 0}};
    try {
      std::size_t at = 0;
      const Value v = Expression::parse(name, at, dialogue_->scope(), unit)
                          .evaluate({&dialogue_->scope(), unit, 0, {}, {}});
      row["value"] = v.isReal ? realText(v.real) : std::to_string(v.integer);
    } catch (const CommandError&) {
      continue;  // a word has no exponent of its own
    }
    all.emplace_back(std::move(row));
  }
  return all;
}

Body DapHost::valued(std::size_t unit, const std::string& expression) const {
  const Scope& scope = dialogue_->scope();
  const Unit& u = unitAt(unit);
  std::size_t at = 0;
  const Expression e = Expression::parse(expression, at, scope, unit);
  if (expression.find_first_not_of(" \t", at) != std::string::npos)
    throw CommandError("found more behind the expression " + common::quoted(e.text()));
  Body body = {{"variablesReference", 0}};
  const Program& program = dialogue_->program();
  const auto symbol = program.find(expression);
  if (symbol && program.labels.contains(*symbol & u.addressMask())) {
    const std::uint64_t place = *symbol & u.addressMask();
    body["memoryReference"] = common::hex0x(place, u.addressDigits());
    body["value"] = program.isCode(place) ? dialogue_->place(place) : wordValue(u, place);
    return body;
  }
  const auto registers = u.registers();
  for (unsigned n = 0; n < registers.size(); ++n) {
    if (expression != registers[n].name) continue;
    body["value"] = registerValue(u, n);
    if (!registers[n].shared)
      body["variablesReference"] = reference::of(unit, reference::kFirstRegister + n);
    return body;
  }
  const Value v = e.evaluate({&scope, unit, 0, {}, {}});
  body["value"] = valueText(v, u.wordBits());
  if (!v.isReal)
    body["memoryReference"] =
        common::hex0x(static_cast<std::uint64_t>(v.integer) & u.addressMask(), u.addressDigits());
  return body;
}

Body DapHost::assign(std::size_t unit, const std::string& target, const std::string& value) {
  const Scope& scope = dialogue_->scope();
  const Moment moment = {&scope, unit, 0, {}, {}};
  std::size_t at = 0, from = 0;
  const Expression to = Expression::parseTarget(target, at, scope, unit);
  const Expression what = Expression::parse(value, from, scope, unit);
  if (at != target.size() || value.find_first_not_of(" \t", from) != std::string::npos)
    throw CommandError("found " + common::quoted(value) + ", expected an expression");
  to.assign(moment, what.evaluate(moment));
  dialogue_->touch();
  return valued(unit, target);
}

Body DapHost::setVariable(const Arguments& a) {
  const std::int64_t r = arguments::needInteger(a, "variablesReference");
  const std::size_t unit = unitOfReference(r);
  return assign(unit, nameOf(unit, r, arguments::text(a, "name")), arguments::text(a, "value"));
}

Body DapHost::setExpression(const Arguments& a) {
  return assign(frameUnit(a), arguments::text(a, "expression"), arguments::text(a, "value"));
}

}  // namespace rtvp::debug
