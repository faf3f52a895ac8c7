// Runs of tapes that are watched (watch.hpp): the results of evaluate.hpp, bit by bit.
#pragma once

#include <array>

#include "models/implicit/evaluate.hpp"
#include "models/implicit/watch.hpp"

namespace rtvp::implicit {

/// Throw MaskFault, as those alone.
float evaluate(const Tape& tape, const Mask& mask, const std::array<float, 3>& point,
               RunWatch& watch);
float evaluate(const Tape& tape, const Mask& mask, const std::array<float, 3>& point,
               const PointObserver& observe, RunWatch& watch);
Interval evaluate(const Tape& tape, const Mask& mask, const Bounds& box, RunWatch& watch);
BoxResult prune(const Tape& tape, const Mask& mask, const Bounds& box, const PruneOptions& options,
                RunWatch& watch);

}  // namespace rtvp::implicit
