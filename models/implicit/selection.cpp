// See selection.hpp.
#include "models/implicit/selection.hpp"

namespace rtvp::implicit {
namespace {

/// Whether every component of input `a` lies strictly below input `b` by more than `gap`.
bool separated(const Interval* a, const Interval* b, unsigned width, float gap) {
  for (unsigned n = 0; n < width; ++n) {
    if (a[n].undefined || b[n].undefined) return false;
    if (!(interval::sumUp(a[n].hi, gap) < b[n].lo)) return false;
  }
  return true;
}

}  // namespace

bool selects(const OpcodeInfo& op) {
  switch (op.info().prune) {
    case Prune::Select:
    case Prune::Smooth:
      return true;
    case Prune::Clamp:
      return op.in[1] == op.in[0];  // a Float bound cannot stand for a vector
    default:
      return false;
  }
}

int winnerOf(const OpcodeInfo& op, const std::array<const Interval*, 4>& in,
             const PruneOptions& options) {
  const unsigned width = widthOf(op.out.size() > 0 ? op.out[0] : Type::F);
  const bool least = op.function == Function::Min || op.function == Function::SmoothMin;
  switch (op.info().prune) {
    case Prune::Select:
      if (separated(in[0], in[1], width, 0)) return least ? 0 : 1;
      return separated(in[1], in[0], width, 0) ? (least ? 1 : 0) : -1;
    case Prune::Smooth: {
      if (!options.smooth || in[0]->undefined) return -1;
      const float gap = in[0]->hi > 0 ? in[0]->hi : 0;
      if (separated(in[1], in[2], width, gap)) return least ? 1 : 2;
      return separated(in[2], in[1], width, gap) ? (least ? 2 : 1) : -1;
    }
    case Prune::Clamp: {
      if (!selects(op)) return -1;
      if (separated(in[2], in[0], width, 0) && !in[1]->undefined) {
        for (unsigned n = 0; n < width; ++n)
          if (in[1][n].undefined) return -1;
        return 2;
      }
      if (separated(in[1], in[0], width, 0) && separated(in[0], in[2], width, 0)) return 0;
      return separated(in[0], in[1], width, 0) && separated(in[1], in[2], width, 0) ? 1 : -1;
    }
    default:
      return -1;
  }
}

}  // namespace rtvp::implicit
