// See vm.hpp: expressions as programs and as tapes.
#include <algorithm>
#include <span>

#include "models/implicit/import/vm.hpp"
#include "models/implicit/registers/builder.hpp"

namespace rtvp::implicit::import {
namespace {

using registers::Builder;
using registers::Source;

constexpr unsigned kMaxHeight = 4000;  ///< of an expression that recursion walks

/// Instructions that leave an expression's value on the Float stack.
class Scheduler {
 public:
  Scheduler(const Expression& expression, const View& view, Limits limits)
      : nodes_(expression.nodes), view_(view), limits_(limits) {}

  std::optional<Tape> run(std::uint32_t root) {
    measure();
    // With OPStop the tape has one instruction more.
    if (sizes_[root] >= limits_.instructions || heights_[root] > kMaxHeight) return std::nullopt;
    push(root);
    Instruction stop;
    stop.op = findOpcode("OPStop");
    if (isNumber(root)) {
      stop.constant[0] = numbers({{nodes_[root].number}});
    }
    code_.push_back(stop);
    try {
      return Tape(std::move(code_), limits_);
    } catch (const TapeError&) {
      return std::nullopt;
    }
  }

 private:
  [[nodiscard]] bool isNumber(std::uint32_t node) const {
    return nodes_[node].op == nullptr && nodes_[node].axis < 0;
  }

  /// Instructions and stack entries each value takes when everything below is computed for it.
  void measure() {
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      std::uint64_t size = node.op == nullptr && node.axis < 0 ? 0 : view_.identity() ? 2 : 3;
      unsigned depth = size > 0 ? 1 : 0, height = 1;
      if (node.op != nullptr) {
        const std::uint32_t a = node.in[0], b = node.in[1];
        const bool two = node.op->in.size() > 1;
        const bool shared = two && a == b && !isNumber(a);
        height = 1 + std::max(heights_[a], two ? heights_[b] : 0U);
        const bool ordered = shared || (two && depths_[a] > depths_[b] && !isNumber(b));
        size = (ordered ? 2 : 1) + sizes_[a] + (two && !shared ? sizes_[b] : 0);
        depth = shared ? std::max(depths_[a], 2U) : depths_[a];
        if (two && !shared) {
          const unsigned first = std::max(depths_[a], depths_[b]);
          const unsigned second = std::min(depths_[a], depths_[b]);
          depth = std::max({first, second + 1, 1U});
        }
      }
      sizes_.push_back(std::min<std::uint64_t>(size, 1U << 20U));
      depths_.push_back(depth);
      heights_.push_back(height);
    }
  }

  static std::array<float, 16> numbers(std::span<const float> list) {
    std::array<float, 16> padded{};
    std::copy(list.begin(), list.end(), padded.begin());
    return padded;
  }

  void emit(std::string_view name) {
    Instruction in;
    in.op = findOpcode(name);
    code_.push_back(in);
  }

  void pushCoordinate(int axis) {
    emit("OPPushP");
    if (!view_.identity()) {
      emit("OPMulMat3Vec3");
      code_.back().constant[0] = numbers(view_.matrix());
    }
    emit("OPExtractVec3");
    code_.back().constant[1] = numbers({{static_cast<float>(axis)}});
  }

  /// Recursion is as deep as the expression is high, which is bounded.
  void push(std::uint32_t at) {
    if (code_.size() > limits_.instructions) return;
    const Node& node = nodes_[at];
    if (node.axis >= 0) return pushCoordinate(node.axis);
    if (node.op == nullptr) return;
    Instruction in;
    in.op = node.op;
    const std::uint32_t a = node.in[0], b = node.in[1];
    const bool two = node.op->in.size() > 1;
    if (isNumber(a)) in.constant[0] = numbers({{nodes_[a].number}});
    if (two && isNumber(b)) in.constant[1] = numbers({{nodes_[b].number}});
    if (two && a == b && !isNumber(a)) {
      push(a);
      emit("OPDupFloat");
    } else if (two && depths_[a] > depths_[b] && !isNumber(b)) {
      // The deeper one first; then what is popped first must come to the top.
      push(a);
      push(b);
      emit("OPSwap2Float");
    } else {
      if (two) push(b);
      push(a);
    }
    code_.push_back(in);
  }

  const std::vector<Node>& nodes_;
  View view_;
  Limits limits_;
  std::vector<Instruction> code_;
  std::vector<std::uint64_t> sizes_;
  std::vector<unsigned> depths_, heights_;
};

/// The model's coordinates: OPMulMat3Vec3 on numbers, without the terms that are 0.
std::array<Source, 3> viewed(Builder& builder, const View& view) {
  const std::array<Source, 3> from{Builder::point(0), Builder::point(1), Builder::point(2)};
  if (view.identity()) return from;
  std::array<Source, 3> point = from;
  const std::array<float, 9> matrix = view.matrix();
  for (unsigned row = 0; row < 3; ++row) {
    bool first = true;
    for (unsigned n = 0; n < 3; ++n) {
      const float factor = matrix[3 * n + row];
      if (factor == 0) continue;
      const Source term =
          builder.append(*findOpcode("OPMulFloatFloat"), {from[n], builder.constant({&factor, 1})});
      point[row] =
          first ? term : builder.append(*findOpcode("OPAddFloatFloat"), {point[row], term});
      first = false;
    }
  }
  return point;
}

}  // namespace

registers::Program toProgram(const Expression& expression, const View& view) {
  Builder builder;
  const std::array<Source, 3> point = viewed(builder, view);
  std::vector<Source> values;
  values.reserve(expression.nodes.size());
  for (const Node& node : expression.nodes) {
    if (node.axis >= 0) {
      values.push_back(point[static_cast<unsigned>(node.axis)]);
    } else if (node.op == nullptr) {
      values.push_back(builder.constant({&node.number, 1}));
    } else {
      std::array<Source, 4> in{values[node.in[0]]};
      if (node.op->in.size() > 1) in[1] = values[node.in[1]];
      values.push_back(builder.append(*node.op, in));
    }
  }
  return builder.finish(values[expression.root]);
}

std::optional<Tape> toTape(const Expression& expression, const View& view, Limits limits) {
  return Scheduler(expression, view, limits).run(expression.root);
}

}  // namespace rtvp::implicit::import
