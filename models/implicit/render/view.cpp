// See view.hpp.
#include "models/implicit/render/view.hpp"

namespace rtvp::implicit::render {
namespace {

/// Distance of the image plane that corner + x column + y row spans.
double planeDistance(const Camera& camera) {
  return std::abs(dot(unit(cross(camera.column, camera.row)), camera.corner));
}

}  // namespace

View::View(const Camera& camera, const Affine& to_object, double near)
    : eye_(to_object.point(camera.eye)),
      corner_(to_object.vector(camera.corner)),
      column_(to_object.vector(camera.column)),
      row_(to_object.vector(camera.row)),
      world_corner_(camera.corner),
      world_column_(camera.column),
      world_row_(camera.row),
      near_depth_(near / planeDistance(camera)),
      cone_(camera.cone > 0 ? camera.cone : length(camera.column) / 2 / planeDistance(camera)) {
  Affine frame;
  for (std::size_t n = 0; n < 3; ++n) {
    frame.row[4 * n] = column_[n];
    frame.row[4 * n + 1] = row_[n];
    frame.row[4 * n + 2] = corner_[n];
  }
  screen_ = frame.inverse();
}

View::PixelRay View::pixelRay(unsigned x, unsigned y) const {
  PixelRay out;
  const auto along = [&](const Vec& c, const Vec& u, const Vec& v) {
    return add(add(c, scaled(u, x)), scaled(v, y));
  };
  const Vec direction = along(corner_, column_, row_);
  const double object_length = length(direction);
  const double world_length = length(along(world_corner_, world_column_, world_row_));
  out.ray.origin = eye_;
  out.ray.direction = scaled(direction, 1 / object_length);
  out.ray.cone = cone_;
  out.scale = object_length / world_length;
  out.near = near_depth_ * object_length;
  return out;
}

rows::Eye View::rows() const {
  rows::Eye out{};
  for (unsigned n = 0; n < 3; ++n) {
    out.eye[n] = eye_[n];
    out.corner[n] = corner_[n];
    out.column[n] = column_[n];
    out.row[n] = row_[n];
    out.world_corner[n] = world_corner_[n];
    out.world_column[n] = world_column_[n];
    out.world_row[n] = world_row_[n];
  }
  out.near_depth = near_depth_;
  return out;
}

Camera Camera::lookAt(const Vec& eye, const Vec& target, const Vec& up, double field_of_view,
                      unsigned width, unsigned height) {
  const Vec forward = unit(sub(target, eye));
  const Vec right = unit(render::cross(forward, up));
  const Vec above = render::cross(right, forward);
  const double half = std::tan(field_of_view / 2 * (std::acos(-1.0) / 180));
  const double step = 2 * half / height;  // side of a pixel at distance 1
  Camera out;
  out.eye = eye;
  out.column = scaled(right, step);
  out.row = scaled(above, -step);
  out.corner = add(forward, add(scaled(right, step * (0.5 - width / 2.0)),
                                scaled(above, step * (height / 2.0 - 0.5))));
  out.cone = step / 2;
  return out;
}

bool Camera::valid() const {
  Affine frame;
  for (std::size_t n = 0; n < 3; ++n) {
    if (!std::isfinite(eye[n])) return false;
    frame.row[4 * n] = column[n];
    frame.row[4 * n + 1] = row[n];
    frame.row[4 * n + 2] = corner[n];
  }
  return frame.invertible();
}

}  // namespace rtvp::implicit::render
