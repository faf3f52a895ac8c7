// From the results of a sweep's points to its figures.
#pragma once

#include "platform/sweep/sweep.hpp"

namespace rtvp::sweep {

/// What the name of a figure of a sample's 95 % interval ends with.
inline constexpr const char* kIntervalSuffix = "_ci95";

/// A name of a formula has to mean one thing, or the figure means none. Throws InputError.
void checkMeanings(const SweepSpec& spec, const Stats& stats);

/// SweepResult::figures, from its results.
void computeFigures(SweepResult& sweep);

/// Behind each figure half the width of its 95 % interval, where pictures are sampled.
void addIntervals(SweepResult& sweep);

/// Warns of names that mean nothing at any point that succeeded.
void findUnknownNames(SweepResult& sweep);

/// SweepResult::limits: the part of each point's machines that was at work for most of the time.
void findLimits(SweepResult& sweep);

/// Of the figures that the user did not ask for, leaves those that the engine has; of several
/// machines those that all have.
void dropEmptyFigures(SweepResult& sweep);

}  // namespace rtvp::sweep
