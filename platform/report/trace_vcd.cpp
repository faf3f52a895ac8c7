#include <map>
#include <memory>

#include "platform/report/trace_file.hpp"

namespace rtvp::report {
namespace {

using Kind = common::TraceSpec::Kind;

/// Printable characters, shortest first.
std::string identifier(std::size_t number) {
  constexpr std::size_t kCharacters = 94;
  std::string code;
  do {
    code += static_cast<char>('!' + number % kCharacters);
    number /= kCharacters;
  } while (number-- != 0);
  return code;
}

/// Modules as nested scopes, in the order in which they were declared.
struct Scope {
  std::string name;
  std::vector<std::size_t> signals;
  std::vector<std::unique_ptr<Scope>> inner;

  Scope& enter(std::string_view module) {
    if (module.empty()) return *this;
    const std::size_t dot = std::min(module.find('.'), module.size());
    const std::string_view first = module.substr(0, dot);
    const std::string_view rest = module.substr(std::min(dot + 1, module.size()));
    for (const auto& scope : inner) {
      if (scope->name == first) return scope->enter(rest);
    }
    inner.push_back(std::make_unique<Scope>());
    inner.back()->name = first;
    return inner.back()->enter(rest);
  }
};

std::string variable(const TraceSignalInfo& signal, std::size_t number) {
  const std::string rest = identifier(number) + " " + signal.name;
  switch (signal.spec.kind) {
    case Kind::Wire:
      return "$var wire 1 " + rest + " $end\n";
    case Kind::Word: {
      const unsigned width = signal.spec.width;
      return "$var wire " + std::to_string(width) + " " + rest + " [" + std::to_string(width - 1) +
             ":0] $end\n";
    }
    case Kind::Count:
      return "$var integer 32 " + rest + " $end\n";
    case Kind::State:
    case Kind::Text:
      return "$var string 1 " + rest + " $end\n";
  }
  return {};
}

void writeScope(const Scope& scope, const std::vector<TraceSignalInfo>& signals, TraceText& out) {
  if (!scope.name.empty()) out.write("$scope module " + scope.name + " $end\n");
  for (const std::size_t signal : scope.signals) out.write(variable(signals[signal], signal));
  for (const auto& inner : scope.inner) writeScope(*inner, signals, out);
  if (!scope.name.empty()) out.write("$upscope $end\n");
}

void appendBinary(std::string& text, std::uint64_t value, unsigned width) {
  bool digits = false;
  for (unsigned bit = width; bit-- > 0;) {
    const bool one = (value >> bit & 1U) != 0;
    digits = digits || one || bit == 0;
    if (digits) text += one ? '1' : '0';
  }
}

std::string change(const TraceMerge& trace, std::uint64_t value, std::size_t number) {
  const common::TraceSpec& spec = trace.signals()[number].spec;
  std::string text;
  switch (spec.kind) {
    case Kind::Wire:
      text = value != 0 ? "1" : "0";
      return text + identifier(number) + "\n";
    case Kind::Word:
      text = "b";
      if (value == common::kNoValue) {
        text += 'z';
      } else {
        appendBinary(text, value, spec.width);
      }
      break;
    case Kind::Count:
      text = "b";
      appendBinary(text, value, 32);
      break;
    case Kind::State:
      text = "s" + spec.states.at(value);
      break;
    case Kind::Text:
      text = "s" + trace.text(number, value);
      break;
  }
  return text + " " + identifier(number) + "\n";
}

}  // namespace

void writeVcd(TraceMerge& trace, TraceText& out) {
  const std::vector<TraceSignalInfo>& signals = trace.signals();
  Scope root;
  for (std::size_t i = 0; i < signals.size(); ++i)
    root.enter(signals[i].module).signals.push_back(i);
  out.write("$version rtvp platform $end\n$timescale 1ps $end\n");
  for (const TraceSignalInfo& signal : signals) {
    out.write("$comment " + signal.module + "." + signal.name + ": " + signal.spec.help +
              " $end\n");
  }
  writeScope(root, signals, out);
  out.write("$enddefinitions $end\n#" + std::to_string(trace.from()) + "\n$dumpvars\n");
  for (std::size_t i = 0; i < signals.size(); ++i) {
    out.write(change(trace, signals[i].spec.initial, i));
  }
  out.write("$end\n");
  std::uint64_t now = trace.from();
  while (const auto event = trace.next()) {
    if (event->ps != now) out.write("#" + std::to_string(event->ps) + "\n");
    now = event->ps;
    out.write(change(trace, event->value, event->signal));
  }
  if (trace.to() != now) out.write("#" + std::to_string(trace.to()) + "\n");
}

}  // namespace rtvp::report
