// A call graph as text and for Graphviz.
#include <algorithm>
#include <cstdio>

#include "models/c32/analysis/call_graph.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32::analysis {
namespace {

std::string numberOr(const std::optional<std::uint64_t>& value) {
  return value ? std::to_string(*value) : "?";
}
std::optional<std::uint64_t> wide(const std::optional<std::uint32_t>& value) {
  if (!value) return std::nullopt;
  return *value;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

/// `symbol+3 000123h fir.asm:12`.
std::string placeText(const RoutineReport& r, std::uint32_t address, const Image& image) {
  std::string text = common::hexH(address, 6);
  if (address >= r.start)
    text += " " + r.name + (address == r.start ? "" : "+" + std::to_string(address - r.start));
  const std::string line = image.sourceLine(address);
  return line.empty() ? text : text + " (" + line + ")";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

void addEdges(const CallGraph& graph, const std::map<std::uint32_t, std::vector<std::uint32_t>>& to,
              const char* verb, std::string& out) {
  for (const auto& [target, places] : to) {
    const auto name = graph.names.find(target);
    out += "    " + std::string(verb) + " " +
           (name == graph.names.end() ? common::hexH(target, 6) : name->second) + " at";
    for (const std::uint32_t p : places) out += " " + common::hexH(p, 6);
    out += "\n";
  }
}

}  // namespace

std::string callGraphText(const CallGraph& graph, const Image& image) {
  std::string out =
      "ROUTINES (words of code; of stack at most, calls included; cycles at most)\n"
      "  address     words   stack        cycles  name\n";
  for (const RoutineReport& r : graph.routines) {
    out += "  " + common::hexH(r.start, 6) + " " + padded(std::to_string(r.words), 9) +
           padded(numberOr(wide(r.stack)) + (r.ownStack ? "*" : ""), 8) +
           padded(numberOr(r.cycles), 14) + "  " + r.name + "\n";
  }
  const bool own = std::any_of(graph.routines.begin(), graph.routines.end(),
                               [](const RoutineReport& r) { return r.ownStack; });
  if (own) out += "  * from where it sets SP\n";
  out += "\nCALLS\n";
  for (const RoutineReport& r : graph.routines) {
    if (r.calls.empty() && r.jumps.empty()) continue;
    out += "  " + r.name + "\n";
    addEdges(graph, r.calls, "calls", out);
    addEdges(graph, r.jumps, "goes on in", out);
  }
  std::string unbounded;
  for (const RoutineReport& r : graph.routines) {
    if (r.problems.empty() && r.stackProblems.empty()) continue;
    unbounded += "  " + r.name + "\n";
    for (const Problem& p : r.problems)
      unbounded += "    cycles: " + p.text + ", " + placeText(r, p.address, image) + "\n";
    for (const Problem& p : r.stackProblems)
      unbounded += "    stack: " + p.text + ", " + placeText(r, p.address, image) + "\n";
  }
  return unbounded.empty() ? out : out + "\nUNBOUNDED\n" + unbounded;
}

std::string callGraphDot(const CallGraph& graph) {
  std::string out = "digraph calls {\n  rankdir=LR;\n  node [shape=box];\n";
  for (const RoutineReport& r : graph.routines) {
    std::string label = quoted(r.name);
    label.insert(label.size() - 1,
                 "\\nstack " + numberOr(wide(r.stack)) + "\\ncycles " + numberOr(r.cycles));
    out += "  " + quoted(r.name) + " [label=" + label;
    out += r.circle.empty() ? "];\n" : ",color=red];\n";
  }
  const auto edges = [&](const RoutineReport& r,
                         const std::map<std::uint32_t, std::vector<std::uint32_t>>& to,
                         const std::string& style) {
    for (const auto& [target, places] : to) {
      const auto name = graph.names.find(target);
      if (name == graph.names.end()) continue;
      out += "  " + quoted(r.name) + " -> " + quoted(name->second) + " [" + style +
             (places.size() > 1 ? "label=" + quoted(std::to_string(places.size())) : "") + "];\n";
    }
  };
  for (const RoutineReport& r : graph.routines) {
    edges(r, r.calls, "");
    edges(r, r.jumps, "style=dashed,");
  }
  return out + "}\n";
}

}  // namespace rtvp::c32::analysis
