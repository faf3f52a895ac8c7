// See evaluate.hpp. One loop runs both forms of values, and hands each executed instruction to an
// observer: pruning learns there which value each input came from.
#include "models/implicit/evaluate.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "models/implicit/point.hpp"
#include "models/implicit/selection.hpp"
#include "models/implicit/watched.hpp"

namespace rtvp::implicit {
namespace {

using ValueId = std::uint32_t;
constexpr ValueId kNoValue = Links::kConstant;
constexpr ValueId kPointValue = 0;  ///< the query point on the stack

template <class T>
struct Entry {
  std::array<T, 4> number;
  ValueId id;
};

template <class T>
class Machine {
 public:
  Machine(const Tape& tape, const std::array<T, 3>& query) : tape_(tape), query_(query) {
    push(0, Type::V3, {{query[0], query[1], query[2], T{}}, kPointValue});
  }

  /// Runs to OPStop; `observe(links, operands)` sees each executed instruction, `before(at)` is
  /// called in front of it.
  template <class Observer, class Before>
  T run(const Mask& mask, Observer&& observe, Before&& before) {
    const std::vector<Instruction>& code = tape_.code();
    for (std::size_t at = 0; at < code.size(); ++at) {
      if (!mask.executes(at)) continue;
      before(at);
      const OpcodeInfo& op = *code[at].op;
      if (op.function == Function::Nop) continue;
      Links links;
      links.at = static_cast<std::uint32_t>(at);
      fetch(code[at], links);
      std::array<const T*, 4> in{};
      for (unsigned n = 0; n < op.in.size(); ++n) in[n] = operand_[n].data();
      if (op.function != Function::Stop) execute(op, in, links);
      observe(std::as_const(links), in);
      if (op.function == Function::Stop) return *in[0];
    }
    before(code.size());
    Links end;  // the implicit OPStop behind a tape of full length
    end.at = static_cast<std::uint32_t>(code.size());
    const Entry<T> result = pop(code.size(), Type::F);
    end.in[0] = result.id;
    observe(std::as_const(end), std::array<const T*, 4>{result.number.data()});
    return result.number[0];
  }
  template <class Observer>
  T run(const Mask& mask, Observer&& observe) {
    return run(mask, observe, [](std::size_t) {});
  }

  [[nodiscard]] std::vector<Entry<T>>& stack(Type type) {
    return stacks_[static_cast<std::size_t>(type)];
  }

 private:
  void fetch(const Instruction& instruction, Links& links) {
    const OpcodeInfo& op = *instruction.op;
    if (const unsigned depth = op.peekDepth(); depth > 0) {
      const auto& stack = stacks_[static_cast<std::size_t>(op.in[0])];
      if (stack.size() < depth) fault(links.at, "underflow");
      take(stack[stack.size() - depth], 0, links);
      return;
    }
    for (unsigned n = 0; n < op.in.size(); ++n) {
      if (const auto& constant = instruction.constant[n]) {
        for (unsigned k = 0; k < widthOf(op.in[n]); ++k) operand_[n][k] = fromFloat((*constant)[k]);
      } else {
        take(pop(links.at, op.in[n]), n, links);
      }
    }
  }

  void take(const Entry<T>& entry, unsigned n, Links& links) {
    std::copy(entry.number.begin(), entry.number.end(), operand_[n].begin());
    links.in[n] = entry.id;
  }

  void execute(const OpcodeInfo& op, const std::array<const T*, 4>& in, Links& links) {
    links.out = next_;
    switch (op.function) {
      case Function::Dup:
        emit(op, links, in[0]);
        emit(op, links, in[0]);
        return;
      case Function::Swap2:
        emit(op, links, in[0]);
        emit(op, links, in[1]);
        return;
      case Function::Dup2:
      case Function::Dup3:
      case Function::Dup4:
      case Function::PushConst:
        return emit(op, links, in[0]);
      case Function::PushP:
        return emit(op, links, query_.data(), 3);
      case Function::Drop:
        return;
      default: {
        std::array<T, 4> out{};
        apply(op, in, out.data());
        emit(op, links, out.data());
      }
    }
  }

  void emit(const OpcodeInfo& op, const Links& links, const T* number) {
    emit(op, links, number, widthOf(op.out[0]));
  }
  void emit(const OpcodeInfo& op, const Links& links, const T* number, unsigned width) {
    Entry<T> entry{{}, next_++};
    std::copy_n(number, width, entry.number.begin());
    push(links.at, op.out[0], entry);
  }

  void push(std::size_t at, Type type, const Entry<T>& entry) {
    auto& stack = stacks_[static_cast<std::size_t>(type)];
    if (stack.size() == tape_.limits().depth) fault(at, "overflow");
    stack.push_back(entry);
  }

  Entry<T> pop(std::size_t at, Type type) {
    auto& stack = stacks_[static_cast<std::size_t>(type)];
    if (stack.empty()) fault(at, "underflow");
    const Entry<T> entry = stack.back();
    stack.pop_back();
    return entry;
  }

  [[noreturn]] static void fault(std::size_t at, const char* what) {
    throw MaskFault("instruction " + std::to_string(at) + ": stack " + what + " under this mask");
  }

  static void apply(const OpcodeInfo& op, const std::array<const T*, 4>& in, T* out) {
    if constexpr (std::is_same_v<T, Interval>) {
      interval::apply(op, in, out);
    } else {
      point::apply(op, in, out);
    }
  }
  static T fromFloat(float a) {
    if constexpr (std::is_same_v<T, Interval>) {
      return Interval::of(a);
    } else {
      return static_cast<T>(a);
    }
  }

  const Tape& tape_;
  std::array<T, 3> query_;
  std::array<std::vector<Entry<T>>, kStackTypes> stacks_;
  std::array<std::array<T, 16>, 4> operand_{};
  ValueId next_ = kPointValue + 1;
};

/// The stacks of a run, for whoever watches it.
template <class T>
class StackValues final : public RunValues {
 public:
  explicit StackValues(Machine<T>& machine) : machine_(machine) {}
  [[nodiscard]] std::size_t count(Type type) const override { return machine_.stack(type).size(); }
  [[nodiscard]] SeenNumber number(Type type, std::size_t entry, unsigned component) const override {
    return SeenNumber::of(machine_.stack(type).at(entry).number.at(component));
  }
  void change(Type type, std::size_t entry, unsigned component, const SeenNumber& to) override {
    to.into(machine_.stack(type).at(entry).number.at(component));
  }

 private:
  Machine<T>& machine_;
};

template <class T, class Observer>
T watched(Machine<T> machine, const Mask& mask, RunWatch& watch, Observer&& observe) {
  StackValues<T> values(machine);
  return machine.run(mask, observe, [&](std::size_t at) { watch.before(at, values); });
}
constexpr auto kUnobserved = [](const Links&, const auto&) {};

std::array<Interval, 3> intervalsOf(const Bounds& box) {
  std::array<Interval, 3> query;
  for (unsigned n = 0; n < 3; ++n) query[n] = {box.min[n], box.max[n], false};
  return query;
}

/// The backward pass of 6.3 over the instructions that ran.
class Pruner {
 public:
  Pruner(const Tape& tape, const std::vector<Links>& ran) : tape_(tape), ran_(ran) {
    ValueId last = kPointValue;
    for (const Links& links : ran) {
      for (unsigned n = 0; n < outputs(links); ++n) last = std::max(last, links.out + n);
    }
    uses_.assign(last + 1, 0);
    same_as_.resize(last + 1);
    for (ValueId id = 0; id <= last; ++id) same_as_[id] = id;
  }

  Mask run(const Mask& before) {
    Mask mask = before;
    for (auto it = ran_.rbegin(); it != ran_.rend(); ++it) visit(*it, mask);
    if (tape_.reorders() && !keepsOrder(mask)) return before;
    return mask;
  }

 private:
  [[nodiscard]] const OpcodeInfo* opcode(const Links& links) const {
    return links.at < tape_.size() ? tape_.code()[links.at].op : nullptr;
  }
  [[nodiscard]] unsigned outputs(const Links& links) const {
    const OpcodeInfo* const op = opcode(links);
    return op != nullptr ? op->out.size() - (op->peekDepth() > 0 ? 1U : 0U) : 0;
  }
  void use(ValueId id) {
    if (id != kNoValue) ++uses_[id];
  }
  void useAll(const Links& links) {
    for (const ValueId id : links.in) use(id);
  }

  void visit(const Links& links, Mask& mask) {
    const OpcodeInfo* const op = opcode(links);
    if (op == nullptr || op->function == Function::Stop) return useAll(links);
    unsigned alive = 0;
    for (unsigned n = 0; n < outputs(links); ++n) alive += uses_[links.out + n] > 0 ? 1U : 0U;
    if (alive == 0) return mask.skip(links.at);
    if (links.winner >= 0 && links.in[static_cast<std::size_t>(links.winner)] != kNoValue)
      return passOn(links, 0, static_cast<unsigned>(links.winner), mask);
    const bool pair = op->function == Function::Dup || op->function == Function::Swap2;
    if (pair && alive == 1 && links.in[0] != kNoValue) {
      const unsigned out = uses_[links.out] > 0 ? 0 : 1;
      return passOn(links, out, op->function == Function::Swap2 ? out : 0, mask);
    }
    useAll(links);
  }

  /// The instruction goes; what was its output is its input.
  void passOn(const Links& links, unsigned out, unsigned in, Mask& mask) {
    mask.skip(links.at);
    same_as_[links.out + out] = links.in[in];
    use(links.in[in]);
  }

  [[nodiscard]] ValueId resolved(ValueId id) const {
    while (same_as_[id] != id) id = same_as_[id];
    return id;
  }

  /// Whether each kept instruction still finds its own operands: opcodes that copy from below
  /// the top or drop can leave a value in between that nobody takes away any more.
  [[nodiscard]] bool keepsOrder(const Mask& mask) const {
    std::array<std::vector<ValueId>, kStackTypes> stacks;
    stacks[static_cast<std::size_t>(Type::V3)].push_back(kPointValue);
    for (const Links& links : ran_) {
      const OpcodeInfo* const op = opcode(links);
      if (op == nullptr) {
        const auto& floats = stacks[0];
        return !floats.empty() && resolved(floats.back()) == resolved(links.in[0]);
      }
      if (!mask.executes(links.at)) continue;
      if (!takesOwn(*op, links, stacks)) return false;
      for (unsigned n = 0; n < outputs(links); ++n) {
        auto& stack = stacks[static_cast<std::size_t>(op->out[n])];
        if (stack.size() == tape_.limits().depth) return false;
        stack.push_back(links.out + n);
      }
    }
    return true;
  }

  [[nodiscard]] bool takesOwn(const OpcodeInfo& op, const Links& links,
                              std::array<std::vector<ValueId>, kStackTypes>& stacks) const {
    const unsigned peek = op.peekDepth();
    for (unsigned n = 0; n < op.in.size(); ++n) {
      if (links.in[n] == kNoValue) continue;
      auto& stack = stacks[static_cast<std::size_t>(op.in[n])];
      const std::size_t depth = peek > 0 ? peek : 1;
      if (stack.size() < depth) return false;
      if (resolved(stack[stack.size() - depth]) != resolved(links.in[n])) return false;
      if (peek == 0) stack.pop_back();
    }
    return true;
  }

  const Tape& tape_;
  const std::vector<Links>& ran_;
  std::vector<std::uint32_t> uses_;
  std::vector<ValueId> same_as_;
};

}  // namespace

Mask::Mask(std::size_t instructions) : Mask(instructions, {}) {}

Mask::Mask(std::size_t instructions, std::vector<std::uint8_t> bytes)
    : size_(instructions), bytes_(std::move(bytes)) {
  const bool all = bytes_.empty();
  bytes_.resize((instructions + 7) / 8, all ? 0xFF : 0);
  if (instructions % 8 != 0)
    bytes_.back() = static_cast<std::uint8_t>(bytes_.back() & ((1U << instructions % 8) - 1));
}

std::size_t Mask::executed() const {
  std::size_t ones = 0;
  for (const std::uint8_t byte : bytes_) ones += static_cast<std::size_t>(std::popcount(byte));
  return ones;
}

std::string Mask::hex() const {
  std::string text;
  for (std::size_t digit = (size_ + 3) / 4; digit-- > 0;)
    text += "0123456789abcdef"[unsigned{bytes_[digit / 2]} >> (digit % 2 * 4) & 15U];
  return text;
}

float evaluate(const Tape& tape, const Mask& mask, const std::array<float, 3>& point) {
  return Machine<float>(tape, point).run(mask, kUnobserved);
}

float evaluate(const Tape& tape, const std::array<float, 3>& point) {
  return evaluate(tape, Mask(tape.size()), point);
}

double evaluate64(const Tape& tape, const std::array<double, 3>& point) {
  return Machine<double>(tape, point).run(Mask(tape.size()), kUnobserved);
}

float evaluate(const Tape& tape, const Mask& mask, const std::array<float, 3>& point,
               const PointObserver& observe) {
  return Machine<float>(tape, point).run(mask, observe);
}

float evaluate(const Tape& tape, const Mask& mask, const std::array<float, 3>& point,
               const PointObserver& observe, RunWatch& watch) {
  return watched(Machine<float>(tape, point), mask, watch, observe);
}

float evaluate(const Tape& tape, const Mask& mask, const std::array<float, 3>& point,
               RunWatch& watch) {
  return watched(Machine<float>(tape, point), mask, watch, kUnobserved);
}

Interval evaluate(const Tape& tape, const Mask& mask, const Bounds& box) {
  return Machine<Interval>(tape, intervalsOf(box)).run(mask, kUnobserved);
}

Interval evaluate(const Tape& tape, const Mask& mask, const Bounds& box, RunWatch& watch) {
  return watched(Machine<Interval>(tape, intervalsOf(box)), mask, watch, kUnobserved);
}

namespace {

/// `run(record)`: runs the tape, and tells of each instruction.
template <class Run>
BoxResult pruned(const Tape& tape, const Mask& mask, const PruneOptions& options, Run&& run) {
  std::vector<Links> ran;
  ran.reserve(tape.size());
  const auto record = [&](Links links, const std::array<const Interval*, 4>& in) {
    if (links.at < tape.size()) links.winner = winnerOf(*tape.code()[links.at].op, in, options);
    ran.push_back(links);
  };
  const Interval value = run(record);
  return {value, Pruner(tape, ran).run(mask)};
}

}  // namespace

BoxResult prune(const Tape& tape, const Mask& mask, const Bounds& box,
                const PruneOptions& options) {
  return pruned(tape, mask, options, [&](const auto& record) {
    return Machine<Interval>(tape, intervalsOf(box)).run(mask, record);
  });
}

BoxResult prune(const Tape& tape, const Mask& mask, const Bounds& box, const PruneOptions& options,
                RunWatch& watch) {
  return pruned(tape, mask, options, [&](const auto& record) {
    return watched(Machine<Interval>(tape, intervalsOf(box)), mask, watch, record);
  });
}

}  // namespace rtvp::implicit
