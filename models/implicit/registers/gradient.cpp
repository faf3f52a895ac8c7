// See gradient.hpp.
#include "models/implicit/registers/gradient.hpp"

#include <cmath>

#include "models/implicit/registers/duals.hpp"
#include "models/implicit/registers/machine.hpp"
#include "models/implicit/registers/watched.hpp"

namespace rtvp::implicit::registers {

bool Gradient::defined() const {
  return !std::isnan(value) && std::isfinite(slope[0]) && std::isfinite(slope[1]) &&
         std::isfinite(slope[2]) && (slope[0] != 0 || slope[1] != 0 || slope[2] != 0);
}

namespace {

std::array<Gradient, 3> coordinates(const std::array<float, 3>& point) {
  return {Gradient{point[0], {1, 0, 0}}, Gradient{point[1], {0, 1, 0}},
          Gradient{point[2], {0, 0, 1}}};
}

}  // namespace

Gradient gradient(const Program& program, const std::array<float, 3>& point) {
  return Machine<Duals>(program, coordinates(point)).run();
}

Gradient gradient(const Program& program, const std::array<float, 3>& point, RunWatch& watch) {
  return watched<Duals>(program, coordinates(point), watch);
}

}  // namespace rtvp::implicit::registers
