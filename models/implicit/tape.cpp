// See tape.hpp.
#include "models/implicit/tape.hpp"

#include <cmath>

namespace rtvp::implicit {
namespace {

constexpr std::uint32_t kQueryPoint = 0xFFFFFFFF;  ///< a producer that has no entry

/// The typed stacks with producers in place of values.
class SymbolicStacks {
 public:
  SymbolicStacks(unsigned limit, std::vector<Tape::Consumers>& consumers)
      : limit_(limit), consumers_(consumers) {
    of(Type::V3).push_back(kQueryPoint);
  }

  void require(std::size_t at, Type type, unsigned depth, unsigned input) {
    const std::size_t held = of(type).size();
    if (held >= depth) return;
    std::string others;
    for (unsigned n = 0; n < kStackTypes; ++n) {
      if (!stacks_[n].empty())
        others += (others.empty() ? "" : ", ") + std::string(nameOf(static_cast<Type>(n)));
    }
    throw TapeError(at, TapeReason::Underflow,
                    "stack underflow: input " + std::to_string(input) + " expects " +
                        std::to_string(depth) + (depth == 1 ? " entry" : " entries") + " on the " +
                        std::string(nameOf(type)) + " stack, found " + std::to_string(held) +
                        (others.empty() ? "" : " (type error? values wait on " + others + ")"));
  }

  void pop(std::size_t at, Type type, unsigned input) {
    require(at, type, 1, input);
    const std::uint32_t producer = of(type).back();
    of(type).pop_back();
    if (producer == kQueryPoint) return;
    for (std::uint16_t& slot : consumers_[producer].at) {
      if (slot != Tape::Consumers::kNone) continue;
      slot = static_cast<std::uint16_t>(at);
      return;
    }
  }

  void push(std::size_t at, Type type) {
    if (of(type).size() == limit_)
      throw TapeError(at, TapeReason::Overflow,
                      "stack overflow: the " + std::string(nameOf(type)) + " stack holds at most " +
                          std::to_string(limit_) + " entries");
    of(type).push_back(static_cast<std::uint32_t>(at));
  }

 private:
  std::vector<std::uint32_t>& of(Type type) { return stacks_[static_cast<std::size_t>(type)]; }

  unsigned limit_;
  std::vector<Tape::Consumers>& consumers_;
  std::array<std::vector<std::uint32_t>, kStackTypes> stacks_;
};

void checkConstants(std::size_t at, const Instruction& in) {
  for (unsigned n = 0; n < in.constant.size(); ++n) {
    const std::string input = "input " + std::to_string(n);
    if (n >= in.op->in.size()) {
      if (in.constant[n])
        throw TapeError(at, TapeReason::Operand,
                        "constant flag of " + input + ", which is not there");
    } else if (in.op->mustBeConstant(n) && !in.constant[n]) {
      throw TapeError(at, TapeReason::Operand,
                      input + " comes from the stack, expected a constant");
    } else if (!in.op->mayBeConstant(n) && in.constant[n]) {
      throw TapeError(at, TapeReason::Operand, input + " is a constant, expected var");
    }
  }
  if (in.op->function == Function::Extract) {
    const float component = (*in.constant[1])[0];
    const auto width = static_cast<float>(widthOf(in.op->in[0]));
    if (!(component >= 0 && component < width) || component != std::floor(component))
      throw TapeError(at, TapeReason::Operand,
                      "the component is no whole number from 0 to " +
                          std::to_string(widthOf(in.op->in[0]) - 1));
  }
}

}  // namespace

std::uint16_t Instruction::word() const {
  unsigned bits = op->number;
  for (unsigned n = 0; n < constant.size(); ++n)
    if (constant[n]) bits |= 1U << (15 - n);
  return static_cast<std::uint16_t>(bits);
}

Tape::Tape(std::vector<Instruction> code, Limits limits)
    : code_(std::move(code)), limits_(limits), consumers_(code_.size()) {
  check();
}

void Tape::checkMaterials() const {
  std::size_t shapes = 0;
  for (const Instruction& in : code_) shapes += in.op->name.starts_with("OPSDF") ? 1U : 0U;
  if (materials.size() > shapes)
    throw TapeError(code_.size(), TapeReason::Materials,
                    "material " + std::to_string(materials.size() - 1) +
                        " belongs to no instruction: the tape has " + std::to_string(shapes) +
                        " OPSDF instructions");
}

void Tape::check() {
  SymbolicStacks stacks(limits_.depth, consumers_);
  bool stopped = false;
  for (std::size_t at = 0; at < code_.size(); ++at) {
    const Instruction& in = code_[at];
    const OpcodeInfo& op = *in.op;
    if (at >= limits_.instructions)
      throw TapeError(
          at, TapeReason::Length,
          "the tape is longer than " + std::to_string(limits_.instructions) + " instructions");
    if (op.function == Function::Invalid)
      throw TapeError(at, TapeReason::Opcode, "OPInvalid is not an instruction");
    checkConstants(at, in);
    if (stopped)
      throw TapeError(at, TapeReason::Stop, "found an instruction behind OPStop, expected the end");
    const unsigned peek = op.peekDepth();
    if (peek > 0) {
      stacks.require(at, op.in[0], peek, 0);
      stacks.push(at, op.in[0]);
    } else {
      for (unsigned n = 0; n < op.in.size(); ++n)
        if (!in.constant[n]) stacks.pop(at, op.in[n], n);
      for (unsigned n = 0; n < op.out.size(); ++n) stacks.push(at, op.out[n]);
    }
    const bool constant_dup = op.function == Function::Dup && in.constant[0].has_value();
    if (peek > 0 || constant_dup || op.info().inputs == Inputs::StackOnly) reorders_ = true;
    stopped = op.function == Function::Stop;
  }
  if (stopped) return;
  if (code_.size() < limits_.instructions)
    throw TapeError(code_.size(), TapeReason::Stop, "found the end of the tape, expected OPStop");
  stacks.require(code_.size(), Type::F, 1, 0);
}

}  // namespace rtvp::implicit
