// See program.hpp: from tapes, and one value at a time.
#include "models/implicit/registers/program.hpp"

#include <algorithm>
#include <charconv>

#include "models/implicit/assembler.hpp"
#include "models/implicit/point.hpp"
#include "models/implicit/registers/allocator.hpp"
#include "models/implicit/registers/builder.hpp"
#include "models/implicit/registers/machine.hpp"
#include "models/implicit/registers/watched.hpp"
#include "models/implicit/selection.hpp"

namespace rtvp::implicit::registers {
namespace {

/// The typed stacks with sources in place of values.
class Compiler {
 public:
  explicit Compiler(const Tape& tape) : tape_(tape) {
    stack(Type::V3).push_back(Builder::point(0));
  }

  Program run(const Mask& mask) {
    std::uint16_t shapes = 0;
    for (std::size_t at = 0; at < tape_.size(); ++at) {
      const Instruction& instruction = tape_.code()[at];
      const std::uint16_t shape =
          instruction.op->name.starts_with("OPSDF") ? shapes++ : static_cast<std::uint16_t>(at);
      if (!mask.executes(at) || instruction.op->function == Function::Nop) continue;
      const std::array<Source, 4> in = fetch(at, instruction);
      if (instruction.op->function == Function::Stop) return builder_.finish(in[0]);
      execute(*instruction.op, in, shape);
    }
    return builder_.finish(pop(tape_.size(), Type::F));
  }

 private:
  std::vector<Source>& stack(Type type) { return stacks_[static_cast<std::size_t>(type)]; }

  Source pop(std::size_t at, Type type) {
    if (stack(type).empty()) fault(at);
    const Source value = stack(type).back();
    stack(type).pop_back();
    return value;
  }

  [[noreturn]] static void fault(std::size_t at) {
    throw MaskFault("instruction " + std::to_string(at) + ": stack underflow under this mask");
  }

  std::array<Source, 4> fetch(std::size_t at, const Instruction& instruction) {
    const OpcodeInfo& op = *instruction.op;
    std::array<Source, 4> in{};
    if (const unsigned depth = op.peekDepth(); depth > 0) {
      const std::vector<Source>& values = stack(op.in[0]);
      if (values.size() < depth) fault(at);
      in[0] = values[values.size() - depth];
      return in;
    }
    for (unsigned n = 0; n < op.in.size(); ++n) {
      const auto& constant = instruction.constant[n];
      // The component of Extract is no number of the pool: the source itself is shifted.
      if (constant && op.function == Function::Extract && n == 1) {
        in[n].index = static_cast<std::uint16_t>((*constant)[0]);
      } else {
        in[n] = constant ? builder_.constant(std::span(*constant).first(widthOf(op.in[n])))
                         : pop(at, op.in[n]);
      }
    }
    return in;
  }

  void execute(const OpcodeInfo& op, const std::array<Source, 4>& in, std::uint16_t shape) {
    switch (op.function) {
      case Function::Dup:
        push(op, in[0]);
        return push(op, in[0]);
      case Function::Swap2:
        push(op, in[0]);
        return push(op, in[1]);
      case Function::Dup2:
      case Function::Dup3:
      case Function::Dup4:
      case Function::PushConst:
        return push(op, in[0]);
      case Function::PushP:
        return push(op, Builder::point(0));
      case Function::Drop:
        return;
      case Function::Extract:
        return push(op, Builder::component(in[0], in[1].index));
      default:
        return push(op, builder_.append(op, in, shape));
    }
  }
  void push(const OpcodeInfo& op, const Source& value) { stack(op.out[0]).push_back(value); }

  const Tape& tape_;
  Builder builder_;
  std::array<std::vector<Source>, kStackTypes> stacks_;
};

/// Numbers: binary32 or binary64.
template <class T>
struct Points {
  using Value = T;
  static T constant(float a) { return static_cast<T>(a); }
  static T unary(Function f, T a) { return point::unary(f, a); }
  static T binary(Function f, T a, T b) { return point::binary(f, a, b); }
  static T ternary(Function f, T a, T b, T c) { return point::ternary(f, a, b, c); }
  static void apply(const OpcodeInfo& op, const std::array<const T*, 4>& in, T* out) {
    point::apply(op, in, out);
  }
  static SeenNumber seen(T a) { return SeenNumber::of(a); }
  static void change(T& a, const SeenNumber& to) { to.into(a); }
};

struct Ranges {
  using Value = Interval;
  static Interval constant(float a) { return Interval::of(a); }
  static Interval unary(Function f, const Interval& a) { return interval::unary(f, a); }
  static Interval binary(Function f, const Interval& a, const Interval& b) {
    return interval::binary(f, a, b);
  }
  static Interval ternary(Function f, const Interval& a, const Interval& b, const Interval& c) {
    return interval::ternary(f, a, b, c);
  }
  static void apply(const OpcodeInfo& op, const std::array<const Interval*, 4>& in, Interval* out) {
    interval::apply(op, in, out);
  }
  static SeenNumber seen(const Interval& a) { return SeenNumber::of(a); }
  static void change(Interval& a, const SeenNumber& to) { to.into(a); }
};

std::array<Interval, 3> intervalsOf(const Bounds& box) {
  std::array<Interval, 3> query;
  for (unsigned n = 0; n < 3; ++n) query[n] = {box.min[n], box.max[n], false};
  return query;
}

std::string numberText(float number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

std::string sourceText(const Program& program, const Source& source, Type type) {
  if (!source.constant()) return "r" + std::to_string(source.index);
  std::string text(nameOf(type));
  for (char& c : text) c = static_cast<char>(c + ('a' - 'A') * (c >= 'A' && c <= 'Z' ? 1 : 0));
  for (unsigned n = 0; n < widthOf(type); ++n)
    text += (n == 0 ? "(" : ",") + numberText(program.pool()[source.index + n]);
  return text + ")";
}

}  // namespace

Clause::Clause(const OpcodeInfo& opcode, const std::array<Source, 4>& in,
               std::uint16_t shape_number)
    : op(&opcode),
      shape(shape_number),
      source(in),
      function(opcode.function),
      components(static_cast<std::uint8_t>(widthOf(opcode.out[0]))),
      inputs(static_cast<std::uint8_t>(opcode.in.size())),
      decidable(selects(opcode)) {
  if (!opcode.info().reduces)
    arity = opcode.in.size() == 1 ? Arity::One : opcode.in.size() == 2 ? Arity::Two : Arity::Three;
}

Program compile(const Tape& tape) {
  return compile(tape, Mask(tape.size()));
}
Program compile(const Tape& tape, const Mask& mask) {
  return Compiler(tape).run(mask);
}

float evaluate(const Program& program, const std::array<float, 3>& point) {
  return Machine<Points<float>>(program, point).run();
}
double evaluate64(const Program& program, const std::array<double, 3>& point) {
  return Machine<Points<double>>(program, point).run();
}
Interval evaluate(const Program& program, const Bounds& box) {
  return Machine<Ranges>(program, intervalsOf(box)).run();
}

float evaluate(const Program& program, const std::array<float, 3>& point, RunWatch& watch) {
  return watched<Points<float>>(program, point, watch);
}
Interval evaluate(const Program& program, const Bounds& box, RunWatch& watch) {
  return watched<Ranges>(program, intervalsOf(box), watch);
}

namespace {

/// `run(record)`: runs the program, and tells of each clause.
template <class Run>
IntervalResult pruned(const Program& program, Run&& run) {
  std::vector<Decision> decided;
  const auto record = [&](std::size_t n, const std::array<const Interval*, 4>& in) {
    const Clause& clause = program.clauses()[n];
    const int winner = clause.decidable ? winnerOf(*clause.op, in) : -1;
    if (winner >= 0)
      decided.push_back({static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(winner)});
  };
  IntervalResult result;
  result.value = run(record);
  Allocator().prune(program, decided, result.program);
  return result;
}

}  // namespace

IntervalResult prune(const Program& program, const Bounds& box) {
  return pruned(program, [&](const auto& record) {
    return Machine<Ranges>(program, intervalsOf(box)).run(record);
  });
}
IntervalResult prune(const Program& program, const Bounds& box, RunWatch& watch) {
  return pruned(program, [&](const auto& record) {
    return watched<Ranges>(program, intervalsOf(box), watch, record);
  });
}

std::string disassemble(const Program& program, std::size_t number) {
  if (number >= program.clauses().size())
    return "OPStop " + sourceText(program, program.result(), Type::F);
  const Clause& clause = program.clauses()[number];
  std::string text =
      "r" + std::to_string(clause.destination) + " = " + std::string(clause.op->name);
  for (unsigned n = 0; n < clause.op->in.size(); ++n)
    text += " " + sourceText(program, clause.source[n], clause.op->in[n]);
  return text;
}

std::string disassemble(const Program& program) {
  std::string text;
  for (std::size_t n = 0; n <= program.clauses().size(); ++n)
    text += disassemble(program, n) + "\n";
  return text;
}

}  // namespace rtvp::implicit::registers
