// Bounds of an object from f alone (sdf.md 8), for tapes whose author gives none.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "models/implicit/tape.hpp"

namespace rtvp::implicit::render {

/// Six numbers in binary64 as the formula gives them; may be reversed or not finite.
struct FarBounds {
  std::array<double, 3> min{}, max{};
};

/// The report's formula: six values of f at 65536 from the origin, times 1.00001. Wrong for bounds
/// near zero or of the other sign, and for f that is no distance far away.
FarBounds seedFarQuery(const Tape& tape);

struct FarQuery {
  std::optional<Bounds> bounds;  ///< binary32, rounded outward
  std::string fault;             ///< why there are none
  bool grown = false;            ///< the formula's box was too small; slabs were moved outward
};

/// The same with slack outward, then checked: f > 0 is proven by intervals in the six slabs
/// beyond its sides, up to 65536 from the origin; where that fails the box grows. No bounds
/// if the formula's box is reversed or not finite, or if f > 0 cannot be proven out there.
FarQuery farQuery(const Tape& tape);

}  // namespace rtvp::implicit::render
