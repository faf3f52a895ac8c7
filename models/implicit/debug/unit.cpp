// See unit.hpp.
#include "models/implicit/debug/unit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <utility>

#include "models/common/core/text.hpp"
#include "models/implicit/assembler.hpp"
#include "models/implicit/registers/watched.hpp"
#include "models/implicit/render/hull.hpp"
#include "models/implicit/unit/timing.hpp"

namespace rtvp::implicit {
namespace {

using render::Phase;

constexpr std::array<std::string_view, 6> kContext{"PHASE",  "OBJECT", "CELL",
                                                   "TARGET", "SAMPLE", "CODE"};
constexpr std::array<std::string_view, 4> kComponents{".x", ".y", ".z", ".w"};
constexpr std::array<std::string_view, 3> kAxes{"X", "Y", "Z"};
constexpr std::size_t kSpareRows = 16;  ///< shorter programs may name a few rows more

/// The most entries that a tape's stacks hold at a time.
std::array<std::size_t, kStackTypes> depthsOf(const Tape& tape) {
  std::array<std::size_t, kStackTypes> now{}, most{};
  const auto push = [&](Type type) {
    const auto n = static_cast<std::size_t>(type);
    most[n] = std::max(most[n], ++now[n]);
  };
  push(Type::V3);
  for (const Instruction& in : tape.code()) {
    const unsigned peek = in.op->peekDepth();
    for (unsigned n = 0; n < in.op->in.size(); ++n)
      if (!in.constant[n] && peek == 0) --now[static_cast<std::size_t>(in.op->in[n])];
    for (unsigned n = peek > 0 ? 1 : 0; n < in.op->out.size(); ++n) push(in.op->out[n]);
  }
  return most;
}

std::size_t rowsOf(const DebugCode& code) {
  return code.tape ? registers::compile(*code.tape).rows() : code.program->rows();
}

std::string decimal(float a) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(a));
  return text.data();
}

/// Cycles of an instruction by itself, at the costs that a unit has by default.
std::uint64_t ownCycles(const OpcodeInfo& op, bool range) {
  constexpr unit::Timing kTiming;
  const unit::Micro micro = unit::microOf(op);
  return kTiming.decode + (range ? kTiming.intervalCost(micro) : kTiming.pointCost(micro));
}

}  // namespace

DebugUnit::DebugUnit(std::string name, const DebugCodes& codes)
    : name_(std::move(name)), codes_(codes) {
  declareContext();
  std::size_t rows = 0;
  std::array<std::size_t, kStackTypes> depths{};
  for (const DebugCode& code : codes.all()) {
    if (codes.form() != DebugForm::Stacks || !code.tape)
      rows = std::max(rows, rowsOf(code) + kSpareRows);
    if (!code.tape || (codes.form() == DebugForm::Rows && code.tape->materials.empty())) continue;
    const auto own = depthsOf(*code.tape);
    for (unsigned n = 0; n < kStackTypes; ++n) depths[n] = std::max(depths[n], own[n]);
  }
  declareRows(rows);
  declareStacks(depths);
}

void DebugUnit::declare(std::string name, Part part, std::size_t index) {
  debug::Register& r = registers_.emplace_back();
  r.name = names_.emplace_back(std::move(name));
  r.real = r.number = part != Part::Context;
  places_.push_back({part, index});
}

void DebugUnit::declareContext() {
  for (std::size_t n = 0; n < kContext.size(); ++n)
    declare(std::string(kContext[n]), Part::Context, n);
  for (std::size_t n = 0; n < kAxes.size(); ++n) {
    declare(std::string(kAxes[n]), Part::Point, n);
    declare(std::string(kAxes[n]) + ".hi", Part::Point, n + kAxes.size());
  }
}

void DebugUnit::declareRows(std::size_t rows) {
  rows_ = std::min<std::size_t>(rows, registers::kMaxRows);
  written_.resize(rows_);
  for (std::size_t n = 0; n < rows_; ++n) {
    const std::string row = "r" + std::to_string(n);
    slots_.push_back({true, Type::F, n, 0});
    declare(row, Part::Low, n);
    declare(row + ".hi", Part::High, n);
    declare(row + ".dx", Part::Dx, n);
    declare(row + ".dy", Part::Dy, n);
    declare(row + ".dz", Part::Dz, n);
  }
}

void DebugUnit::declareStacks(const std::array<std::size_t, kStackTypes>& depths) {
  depth_ = depths;
  for (unsigned t = 0; t < kStackTypes; ++t) {
    const auto type = static_cast<Type>(t);
    stackAt_[t] = slots_.size();
    for (std::size_t n = 0; n < depths[t]; ++n) {
      const std::string entry =
          std::string(nameOf(type)) + (type == Type::F ? "" : "_") + std::to_string(n);
      for (unsigned k = 0; k < widthOf(type); ++k) {
        const std::string lane = type == Type::F ? "" : std::string(kComponents[k]);
        declare(entry + lane, Part::Low, slots_.size());
        declare(entry + lane + (type == Type::F ? ".hi" : "_hi"), Part::High, slots_.size());
        slots_.push_back({false, type, n, k});
      }
    }
  }
}

// ---- what runs

void DebugUnit::begins(const render::Evaluation& what) {
  finished_ += present_;
  present_ = what.code->executed;
  if (what.object != what_.object) passed_.reset();
  what_ = what;
  begun_ = true;
  inRows_ = DebugCodes::inRows(what);
  steps_ = 0;
  written_.assign(written_.size(), false);
}

void DebugUnit::passes(const render::Evaluation& what, std::uint64_t count) {
  finished_ += present_ + count * what.code->executed;
  present_ = 0;
  if (what.object != what_.object || !passed_) {
    passed_ = codes_.start(what.object) + codes_.of(what.object).stop;
  }
  what_ = what;
  begun_ = true;
  pc_ = *passed_;
  ends();
}

void DebugUnit::stands(std::size_t at, RunValues& values) {
  values_ = &values;
  at_ = at;
  pc_ = codes_.address(what_, at);
  if (steps_ == 0) {
    const Type type = inRows_ ? Type::F : Type::V3;
    for (unsigned n = 0; n < 3; ++n)
      query_[n] = values.number(type, inRows_ ? n : 0, inRows_ ? 0 : n);
  }
  collect(at);
}

void DebugUnit::executes() {
  ++steps_;
  if (clock) return;
  const bool clause = inRows_ && at_ < what_.code->program->clauses().size();
  const bool instruction = !inRows_ && at_ < what_.tape->size();
  const OpcodeInfo* const op = clause        ? what_.code->program->clauses()[at_].op
                               : instruction ? what_.tape->code()[at_].op
                                             : nullptr;
  cycles_ += op != nullptr ? ownCycles(*op, ranged()) : unit::Timing{}.decode;
}

/// What the run has written since, as it is now.
void DebugUnit::collect(std::size_t at) {
  if (!inRows_) {
    for (unsigned t = 0; t < kStackTypes; ++t) {
      const auto type = static_cast<Type>(t);
      const std::size_t count = std::min(values_->count(type), depth_[t]);
      Slot* slot = slots_.data() + stackAt_[t];
      for (std::size_t n = 0; n < count * widthOf(type); ++n, ++slot)
        slot->last = values_->number(type, slot->entry, slot->component);
    }
    return;
  }
  const auto take = [this](std::size_t row) {
    if (row >= rows_) return;
    slots_[row].last = values_->number(Type::F, row, 0);
    written_[row] = true;
  };
  if (steps_ == 0)
    for (unsigned n = 0; n < registers::kPointRows; ++n) take(n);
  if (at == 0) return;
  const registers::Clause& clause = what_.code->program->clauses()[at - 1];
  for (unsigned n = 0; n < clause.width(); ++n) take(clause.destination + std::size_t{n});
}

std::uint64_t DebugUnit::instructions() const {
  return finished_ + std::min(steps_, present_);
}

bool DebugUnit::ranged() const {
  switch (what_.phase) {
    case Phase::Box:
    case Phase::Task:
    case Phase::Mesh:
    case Phase::Trim:
    case Phase::Slope:
      return true;
    default:
      return false;
  }
}

// ---- registers

bool DebugUnit::holds(const Slot& slot) const {
  if (values_ == nullptr || slot.row != inRows_) return false;
  if (slot.row) return slot.entry < values_->count(Type::F) && written_[slot.entry];
  return slot.entry < values_->count(slot.type);
}

std::uint64_t DebugUnit::value(unsigned reg) const {
  const Place& place = places_.at(reg);
  if (place.part == Part::Context) {
    const std::array<std::uint32_t, kContext.size()> all{static_cast<std::uint32_t>(what_.phase),
                                                         what_.object,
                                                         what_.cell,
                                                         what_.target,
                                                         what_.sample,
                                                         what_.number};
    return all.at(place.index);
  }
  if (place.part == Part::Point) {
    const SeenNumber& number = query_.at(place.index % query_.size());
    return std::bit_cast<std::uint32_t>(place.index < query_.size() ? number.low : number.high);
  }
  const SeenNumber& number = slots_.at(place.index).last;
  switch (place.part) {
    case Part::Low:
      return std::bit_cast<std::uint32_t>(number.low);
    case Part::High:
      return std::bit_cast<std::uint32_t>(number.high);
    default:
      return std::bit_cast<std::uint32_t>(number.slope.at(static_cast<std::size_t>(place.part) -
                                                          static_cast<std::size_t>(Part::Dx)));
  }
}

void DebugUnit::setValue(unsigned reg, std::uint64_t raw) {
  const Place& place = places_.at(reg);
  if (place.part == Part::Context || place.part == Part::Point) return;
  Slot& slot = slots_.at(place.index);
  if (!holds(slot)) return;
  const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(raw));
  SeenNumber& number = slot.last;
  switch (place.part) {
    case Part::Low:
      number.low = value;
      // A range keeps its ends in order, and a number has but one.
      number.high = ranged() ? std::max(number.high, value) : value;
      break;
    case Part::High:
      number.high = value;
      number.low = ranged() ? std::min(number.low, value) : value;
      break;
    default:
      number.slope.at(static_cast<std::size_t>(place.part) - static_cast<std::size_t>(Part::Dx)) =
          value;
  }
  values_->change(slot.type, slot.entry, slot.component, number);
}

std::optional<std::uint64_t> DebugUnit::peek(std::uint64_t address) const {
  const DebugCode* const code = codes_.at(address);
  if (code == nullptr) return std::nullopt;
  const std::uint64_t place = address % kCodeRoom;
  if (code->tape && place < code->tape->size()) return code->tape->code()[place].word();
  if (!code->tape && place < code->program->clauses().size())
    return code->program->clauses()[place].op->number;
  if (place == code->stop) return findOpcode("OPStop")->number;
  return std::nullopt;
}

double DebugUnit::real(std::uint64_t raw, unsigned /*bits*/) const {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
}

std::uint64_t DebugUnit::rawOf(double value, unsigned /*bits*/) const {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

// ---- text

std::string DebugUnit::disassemble(std::uint64_t address) const {
  const DebugCode* const code = codes_.at(address);
  if (code == nullptr || !peek(address)) return "(nothing is there)";
  const std::uint64_t place = address % kCodeRoom;
  std::string text;
  if (code->tape && place < code->tape->size()) {
    text = implicit::disassemble(code->tape->code()[place]);
  } else {
    text = code->tape ? "OPStop var" : registers::disassemble(*code->program, place);
  }
  if (!begun_ || values_ == nullptr || code != &codes_.of(what_.object)) return text;
  const auto at = codes_.executed(what_, place);
  if (!at) return text + "  (left out)";
  if (!inRows_) return text;
  const std::string clause = registers::disassemble(*what_.code->program, *at);
  return clause == text ? text : text + "  ; " + clause;
}

std::string DebugUnit::placeText() const {
  const auto grid = [this](unsigned cells) {
    return std::to_string(what_.cell) + " of " + std::to_string(cells);
  };
  switch (what_.phase) {
    case Phase::Point:
    case Phase::Box:
      return "";
    case Phase::Task:
      return ", cell " + grid(2 * render::kGroup);
    case Phase::Mesh:
    case Phase::Slope:
      return ", leaf " + grid(render::kLeaves);
    case Phase::Trim:
      return ", part " + std::to_string(what_.cell % render::kTrimCells) + " of leaf " +
             std::to_string(what_.cell / render::kTrimCells);
    default:
      break;
  }
  std::string text =
      ", " + std::string(target ? target() : "ray") + " " + std::to_string(what_.target);
  if (what_.phase != Phase::Side) text += ", leaf " + std::to_string(what_.cell);
  if (what_.phase == Phase::Trace || what_.phase == Phase::Normal)
    text += ", sample " + std::to_string(what_.sample);
  return text;
}

std::string DebugUnit::numberText(const SeenNumber& number) const {
  if (ranged())
    return "[" + decimal(number.low) + ", " + decimal(number.high) + "]" +
           (number.undefined ? " maybe undefined" : "");
  std::string text = decimal(number.low);
  if (what_.phase != Phase::Gradient) return text;
  for (unsigned n = 0; n < 3; ++n) text += (n == 0 ? "  d(" : ", ") + decimal(number.slope[n]);
  return text + ")";
}

std::string DebugUnit::situation() const {
  if (values_ == nullptr) return "";
  std::string text(render::nameOf(what_.phase));
  text += " of object " + std::to_string(what_.object) + placeText() + ", code " +
          std::to_string(what_.number) + " of " + std::to_string(what_.code->executed) +
          " instructions";
  text += ranged() ? " over " : " at ";
  SeenNumber one;
  for (unsigned n = 0; n < 3; ++n) {
    one.low = query_[n].low;
    one.high = query_[n].high;
    text += (n == 0     ? ""
             : ranged() ? " x "
                        : ", ") +
            (ranged() ? numberText(one) : decimal(one.low));
  }
  return text;
}

std::string DebugUnit::valuesText() const {
  std::string text;
  for (std::size_t n = 0; n < slots_.size();) {
    const Slot& slot = slots_[n];
    const unsigned width = slot.row ? 1 : widthOf(slot.type);
    if (holds(slot)) {
      std::string head = slot.row ? "r" : std::string(nameOf(slot.type));
      if (!slot.row && slot.type != Type::F) head += "_";
      head += std::to_string(slot.entry);
      head.resize(std::max<std::size_t>(head.size() + 1, 6), ' ');
      text += head;
      for (unsigned k = 0; k < width; ++k)
        text += (k == 0 ? (width > 1 ? "(" : "") : ", ") + numberText(slots_[n + k].last);
      text += width > 1 ? ")\n" : "\n";
    }
    n += width;
  }
  return text;
}

std::string DebugUnit::registerText() const {
  const std::string what = situation();
  return (what.empty() ? "" : what + "\n") + valuesText() + "pc " +
         common::hex(pc(), addressDigits()) + ", " + std::to_string(instructions()) +
         " instructions, cycle " + std::to_string(cycle()) + "\n";
}

}  // namespace rtvp::implicit
