// A camera seen from an object: eye rays in object space, and where points lie on the screen. The
// ray of pixel (x, y) runs along corner + x column + y row; points relative to the eye are
// w (corner + x column + y row), w growing with depth.
#pragma once

#include "models/implicit/render/frame.hpp"
#include "models/implicit/render/object.hpp"
#include "models/implicit/render/rows/kernels.hpp"
#include "models/implicit/render/trace.hpp"

namespace rtvp::implicit::render {

class View {
 public:
  /// `near`: distance of the near plane from the eye, in the world. The camera must be valid.
  View(const Camera& camera, const Affine& to_object, double near);

  struct PixelRay {
    ObjectRay ray;
    double scale = 1;  ///< object distance = world distance * scale
    double near = 0;   ///< object distance of the near plane along the ray
  };
  [[nodiscard]] PixelRay pixelRay(unsigned x, unsigned y) const;

  [[nodiscard]] const Vec& eye() const { return eye_; }
  [[nodiscard]] const Vec& corner() const { return corner_; }
  [[nodiscard]] const Vec& column() const { return column_; }
  [[nodiscard]] const Vec& row() const { return row_; }
  /// Radius of a pixel's cone at distance 1.
  [[nodiscard]] double cone() const { return cone_; }

  /// The same camera for rows of pixels.
  [[nodiscard]] rows::Eye rows() const;

  /// (x w, y w, w) of a point relative to the eye.
  [[nodiscard]] Vec onScreen(const Vec& relative) const { return screen_.vector(relative); }
  /// w at the near plane.
  [[nodiscard]] double nearDepth() const { return near_depth_; }

 private:
  Vec eye_, corner_, column_, row_;
  Vec world_corner_, world_column_, world_row_;
  Affine screen_;  ///< relative point to (x w, y w, w)
  double near_depth_;
  double cone_;
};

}  // namespace rtvp::implicit::render
