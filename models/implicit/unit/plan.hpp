// What an evaluation touches and costs: the tape under a mask, line by line with its constants, or
// a program in register form, clause by clause.
#pragma once

#include <span>

#include "models/implicit/evaluate.hpp"
#include "models/implicit/registers/program.hpp"
#include "models/implicit/unit/loader.hpp"
#include "models/implicit/unit/warp.hpp"

namespace rtvp::implicit::unit {

enum class Flavour : std::uint8_t {
  Point,
  Gradient,  ///< a point with derivatives: four lanes
  Interval,  ///< with the backward pass of pruning
  Range,     ///< an interval run without it
  Slope,     ///< a range of f and of its derivatives
  Material,  ///< a point with the materials of its SDFs
};

/// The regions must outlive the plan.
Plan maskPlan(const Tape& tape, const Mask& mask, const TapeRegions& regions, const Timing& timing,
              Flavour flavour);
/// `words` is where the program lies, as registers::encode() wrote it; `program` is those words
/// decoded. `materials`: the object's material tape, or null.
Plan programPlan(const registers::Program& program, const Region& words, const Region* materials,
                 const Timing& timing, Flavour flavour);

}  // namespace rtvp::implicit::unit
