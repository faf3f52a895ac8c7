// See codes.hpp.
#include "models/implicit/debug/codes.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace rtvp::implicit {
namespace {

/// A name that expressions take, and that no other code has.
std::string symbolFor(const std::string& name, const debug::Program& program) {
  std::string symbol = name.empty() ? "code" : name;
  for (char& c : symbol)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  if (std::isdigit(static_cast<unsigned char>(symbol.front())) != 0) symbol.insert(0, "_");
  const std::string own = symbol;
  for (unsigned n = 2; program.symbols.contains(symbol); ++n)
    symbol = own + "_" + std::to_string(n);
  return symbol;
}

/// Instructions that are executed by whoever runs the code: all, or in register form those with a
/// clause.
std::set<std::uint64_t> executedOf(const DebugCode& code, bool rows) {
  std::set<std::uint64_t> places{code.stop};
  if (code.tape && rows) {
    const registers::Program program = registers::compile(*code.tape);
    for (const registers::Clause& clause : program.clauses()) places.insert(code.origin(clause));
  } else {
    for (std::uint64_t n = 0; n < code.stop; ++n) places.insert(n);
  }
  return places;
}

}  // namespace

std::uint64_t DebugCode::origin(const registers::Clause& clause) const {
  const auto shape = [](const OpcodeInfo& op) { return op.name.starts_with("OPSDF"); };
  if (!shape(*clause.op)) return clause.shape;
  std::uint16_t seen = 0;
  for (std::uint64_t n = 0; n < stop; ++n) {
    if (tape && shape(*tape->code()[n].op) && seen++ == clause.shape) return n;
    const registers::Clause* const own = tape ? nullptr : &program->clauses()[n];
    if (own != nullptr && shape(*own->op) && own->shape == clause.shape) return n;
  }
  return stop;
}

void DebugCodes::add(DebugCode code) {
  if (code.tape) {
    const Tape& tape = *code.tape;
    const bool written = tape.size() != 0 && tape.code().back().op->function == Function::Stop;
    code.stop = tape.size() - (written ? 1 : 0);
  } else {
    code.stop = code.program->clauses().size();
  }
  ofObject_.push_back(codes_.size());
  codes_.push_back(std::move(code));
}

debug::Program DebugCodes::program() const {
  debug::Program all;
  all.addressDigits = addressDigits();
  for (std::size_t n = 0; n < codes_.size(); ++n) {
    const DebugCode& code = codes_[n];
    const std::uint64_t start = kCodeRoom * n;
    const std::set<std::uint64_t> places = executedOf(code, form_ == DebugForm::Rows);
    // A breakpoint there is to stop.
    const std::uint64_t first = start + *places.begin();
    const std::string symbol = symbolFor(code.name, all);
    all.symbols.emplace(symbol, first);
    all.labels.emplace(first, symbol);
    std::uint32_t file = 0;
    if (!code.lines.empty()) {
      const auto it = std::find(all.files.begin(), all.files.end(), code.file);
      file = static_cast<std::uint32_t>(it - all.files.begin());
      if (it == all.files.end()) all.files.push_back(code.file);
    }
    for (const std::uint64_t place : places) {
      all.code.push_back({start + place, start + place});
      if (place < code.lines.size()) all.lines.push_back({start + place, file, code.lines[place]});
    }
  }
  return all;
}

bool DebugCodes::inRows(const render::Evaluation& what) {
  switch (what.phase) {
    case render::Phase::Material:
      return false;
    case render::Phase::Slope:
    case render::Phase::Gradient:
      return true;
    default:
      return !what.code->mask;
  }
}

std::uint64_t DebugCodes::address(const render::Evaluation& what, std::size_t at) const {
  const std::uint64_t start = this->start(what.object);
  if (!inRows(what)) return start + at;
  const std::span<const registers::Clause> clauses = what.code->program->clauses();
  const DebugCode& code = of(what.object);
  return start + (at < clauses.size() ? code.origin(clauses[at]) : code.stop);
}

std::optional<std::size_t> DebugCodes::executed(const render::Evaluation& what,
                                                std::uint64_t place) const {
  const DebugCode& code = of(what.object);
  const std::uint64_t stop = code.stop;
  if (!inRows(what)) {
    const bool skipped =
        what.code->mask && place < what.code->mask->size() && !what.code->mask->executes(place);
    return skipped || place > stop ? std::nullopt : std::optional<std::size_t>(place);
  }
  const std::span<const registers::Clause> clauses = what.code->program->clauses();
  if (place == stop) return clauses.size();
  // Clauses keep the order of what they come from.
  const auto it = std::lower_bound(clauses.begin(), clauses.end(), place,
                                   [&code](const registers::Clause& clause, std::uint64_t p) {
                                     return code.origin(clause) < p;
                                   });
  if (it == clauses.end() || code.origin(*it) != place) return std::nullopt;
  return static_cast<std::size_t>(it - clauses.begin());
}

}  // namespace rtvp::implicit
