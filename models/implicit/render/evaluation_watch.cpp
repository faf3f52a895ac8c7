// See evaluation_watch.hpp.
#include "models/implicit/render/evaluation_watch.hpp"

#include <utility>

#include "models/implicit/registers/watched.hpp"
#include "models/implicit/watched.hpp"

namespace rtvp::implicit::render {
namespace {

RunWatch* beginning(EvaluationWatch* watch, const Evaluation& what) {
  return watch == nullptr ? nullptr : watch->begins(what);
}

}  // namespace

std::string_view nameOf(Phase phase) {
  constexpr std::array<std::string_view, 11> kNames{"point",    "box",    "task",    "mesh",
                                                    "trim",     "slope",  "side",    "trace",
                                                    "gradient", "normal", "material"};
  return kNames.at(static_cast<std::size_t>(phase));
}

float valueAt(EvaluationWatch* watch, const Evaluation& what, const std::array<float, 3>& point) {
  const Code& code = *what.code;
  RunWatch* const run = beginning(watch, what);
  if (run == nullptr)
    return code.program ? registers::evaluate(*code.program, point)
                        : evaluate(*what.tape, *code.mask, point);
  return code.mask ? evaluate(*what.tape, *code.mask, point, *run)
                   : registers::evaluate(*code.program, point, *run);
}

Interval rangeOver(EvaluationWatch* watch, const Evaluation& what, const Bounds& box) {
  const Code& code = *what.code;
  RunWatch* const run = beginning(watch, what);
  if (run == nullptr) return registers::evaluate(*code.program, box);
  return code.mask ? evaluate(*what.tape, *code.mask, box, *run)
                   : registers::evaluate(*code.program, box, *run);
}

BoxResult pruneMask(EvaluationWatch* watch, const Evaluation& what, const Bounds& box,
                    const PruneOptions& options) {
  RunWatch* const run = beginning(watch, what);
  if (run == nullptr) return prune(*what.tape, *what.code->mask, box, options);
  return prune(*what.tape, *what.code->mask, box, options, *run);
}

registers::IntervalResult pruneProgram(EvaluationWatch* watch, const Evaluation& what,
                                       const Bounds& box) {
  RunWatch* const run = beginning(watch, what);
  if (run == nullptr) return registers::prune(*what.code->program, box);
  return registers::prune(*what.code->program, box, *run);
}

registers::SlopeBound slopesOver(EvaluationWatch* watch, const Evaluation& what,
                                 const Bounds& box) {
  RunWatch* const run = beginning(watch, what);
  if (run == nullptr) return registers::slopeBound(*what.code->program, box);
  return registers::slopeBound(*what.code->program, box, *run);
}

registers::Gradient gradientAt(EvaluationWatch* watch, const Evaluation& what,
                               const std::array<float, 3>& point) {
  RunWatch* const run = beginning(watch, what);
  if (run == nullptr) return registers::gradient(*what.code->program, point);
  return registers::gradient(*what.code->program, point, *run);
}

}  // namespace rtvp::implicit::render
