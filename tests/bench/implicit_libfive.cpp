// See implicit_libfive.hpp.
#include "tests/bench/implicit_libfive.hpp"

#include <atomic>
#include <cmath>
#include <libfive/eval/evaluator.hpp>
#include <libfive/render/discrete/heightmap.hpp>
#include <libfive/render/discrete/voxels.hpp>
#include <libfive/tree/tree.hpp>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace rtvp::bench {
namespace {

using libfive::Tree;
namespace Op = libfive::Opcode;

Op::Opcode opcodeOf(const std::string& name) {
  static const std::unordered_map<std::string, Op::Opcode> opcodes{
      {"neg", Op::OP_NEG},      {"recip", Op::OP_RECIP}, {"sqrt", Op::OP_SQRT},
      {"sin", Op::OP_SIN},      {"cos", Op::OP_COS},     {"tan", Op::OP_TAN},
      {"asin", Op::OP_ASIN},    {"acos", Op::OP_ACOS},   {"atan", Op::OP_ATAN},
      {"exp", Op::OP_EXP},      {"ln", Op::OP_LOG},      {"abs", Op::OP_ABS},
      {"add", Op::OP_ADD},      {"sub", Op::OP_SUB},     {"mul", Op::OP_MUL},
      {"div", Op::OP_DIV},      {"min", Op::OP_MIN},     {"max", Op::OP_MAX},
      {"mod", Op::OP_MOD},      {"atan2", Op::OP_ATAN2}, {"compare", Op::OP_COMPARE},
      {"square", Op::OP_SQUARE}};
  const auto found = opcodes.find(name);
  if (found == opcodes.end())
    throw std::runtime_error("found operation '" + name + "', which libfive does not have");
  return found->second;
}

/// The point of the model that stands for x, y, z.
std::array<Tree, 3> pointOf(const implicit::import::View& view) {
  const std::array<Tree, 3> from{Tree::X(), Tree::Y(), Tree::Z()};
  if (view.identity()) return from;
  const std::array<float, 9> m = view.matrix();
  const auto row = [&](std::size_t n) {
    return Tree(m[n]) * from[0] + Tree(m[3 + n]) * from[1] + Tree(m[6 + n]) * from[2];
  };
  return {row(0), row(1), row(2)};
}

Tree treeOf(std::string_view source, const implicit::import::View& view) {
  const std::array<Tree, 3> point = pointOf(view);
  std::unordered_map<std::string, Tree> names;
  Tree last(0.0F);
  std::istringstream lines{std::string(source)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, op, a, b;
    if (!(words >> name >> op)) continue;
    words >> a >> b;
    if (op == "const") {
      last = Tree(std::stof(a));
    } else if (op.starts_with("var-")) {
      last = point.at(static_cast<std::size_t>(op.back() - 'x'));
    } else if (b.empty()) {
      last = Tree::unary(opcodeOf(op), names.at(a));
    } else {
      last = Tree::binary(opcodeOf(op), names.at(a), names.at(b));
    }
    names.insert_or_assign(name, last);
  }
  return last;
}

}  // namespace

struct Libfive::State {
  State(const Tree& tree, const libfive::Voxels& cube)
      : evaluator(tree.optimized()), evaluators{&evaluator}, voxels(cube) {}
  libfive::Evaluator evaluator;
  std::vector<libfive::Evaluator*> evaluators;
  libfive::Voxels voxels;
  std::atomic_bool abort{false};
};

Libfive::Libfive(std::string_view source, const implicit::import::View& view, bool flat,
                 unsigned size) {
  const float depth = flat ? 0.0F : 1.0F, density = static_cast<float>(size) / 2;
  const Eigen::Vector3f lower(-1, -1, -depth), upper(1, 1, depth);
  state_ = std::make_unique<State>(
      treeOf(source, view),
      libfive::Voxels(lower, upper, Eigen::Vector3f(density, density, density)));
}

Libfive::~Libfive() = default;

std::size_t Libfive::render() {
  const auto map = libfive::Heightmap::render(state_->evaluators, state_->voxels, state_->abort);
  return static_cast<std::size_t>((map->depth > -std::numeric_limits<float>::infinity()).count());
}

}  // namespace rtvp::bench
