// See implicit.hpp.
#include "platform/scene/implicit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "models/implicit/evaluate.hpp"
#include "models/implicit/render/material.hpp"

namespace rtvp::scene {

namespace {

// Multiples of a right angle shall be exact: a box then stays a box.
double exact(double x) {
  return std::abs(x) < 1e-15 ? 0.0 : x;
}

}  // namespace

Placement::Placement(const Vec3& origin, const Vec3& degrees, const Vec3& scale) {
  constexpr double kDegree = std::numbers::pi / 180;
  std::array<Vec3, 3> columns{{{scale.x, 0, 0}, {0, scale.y, 0}, {0, 0, scale.z}}};
  for (int axis = 0; axis < 3; ++axis) {
    const double c = exact(std::cos(degrees[axis] * kDegree));
    const double s = exact(std::sin(degrees[axis] * kDegree));
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    for (Vec3& column : columns) {
      const double a = column[u];
      const double b = column[v];
      column[u] = c * a - s * b;
      column[v] = s * a + c * b;
    }
  }
  *this = Placement(origin, columns);
}

Placement::Placement(const Vec3& origin, const std::array<Vec3, 3>& columns)
    : origin_(origin), columns_(columns) {
  const double volume = dot(columns[0], cross(columns[1], columns[2]));
  for (std::size_t k = 0; k < 3; ++k) {
    rows_[k] = cross(columns[(k + 1) % 3], columns[(k + 2) % 3]) * (1 / volume);
  }
}

double Placement::largestScale() const {
  double largest = 0;  // Gershgorin's bound of the eigenvalues of transpose(M) * M
  for (const Vec3& a : columns_) {
    double sum = 0;
    for (const Vec3& b : columns_) sum += std::abs(dot(a, b));
    largest = std::max(largest, sum);
  }
  return std::sqrt(largest);
}

ImplicitModel::ImplicitModel(implicit::registers::Program code)
    : program(std::make_shared<implicit::registers::Program>(std::move(code))) {}

ImplicitModel::ImplicitModel(implicit::Tape code)
    : tape(std::make_shared<implicit::Tape>(std::move(code))),
      program(std::make_shared<implicit::registers::Program>(implicit::registers::compile(*tape))) {
}

double ImplicitModel::value(const Vec3& p) const {
  if (!tape) return implicit::registers::evaluate64(*program, {p.x, p.y, p.z});
  return implicit::evaluate64(*tape, {p.x, p.y, p.z});
}

Vec3 ImplicitModel::gradient(const Vec3& p, double h) const {
  Vec3 result;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 ahead = p;
    Vec3 behind = p;
    ahead[axis] += h;
    behind[axis] -= h;
    const double difference = value(ahead) - value(behind);
    result[axis] = std::isfinite(difference) ? difference / (2 * h) : 0;
  }
  return result;
}

Vec3 Implicit::normal(const Vec3& world) const {
  const Vec3 p = placement.toObject(world);
  const double size = length(hi - lo);
  const double inside = model->value(p);
  // Deep inside there is no surface of f: the point lies on the box.
  if (inside < -1e-6 * size * lipschitz.value_or(1)) {
    int face = 0;
    double nearest = size;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double distance : {std::abs(p[axis] - lo[axis]), std::abs(hi[axis] - p[axis])}) {
        if (distance >= nearest) continue;
        nearest = distance;
        face = axis;
      }
    }
    if (nearest < 1e-6 * size) {
      Vec3 out;
      out[face] = p[face] * 2 < lo[face] + hi[face] ? -1 : 1;
      return placement.normalToWorld(out);
    }
  }
  const Vec3 n = placement.normalToWorld(model->gradient(p, 1e-6 * size));
  return n == Vec3{} ? Vec3{0, 0, 1} : n;
}

std::optional<Vec3> Implicit::color(const Vec3& world) const {
  if (!model->tape || model->tape->materials.empty()) return std::nullopt;
  const Vec3 p = placement.toObject(world);
  const implicit::render::MaterialResult material = implicit::render::materialAt(
      *model->tape, implicit::Mask(model->tape->size()),
      {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
  return Vec3{material.words[0], material.words[1], material.words[2]};
}

}  // namespace rtvp::scene
