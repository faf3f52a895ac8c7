// Directions of many eye rays of one picture: what they share is computed once.
#pragma once

#include "platform/scene/scene.hpp"

namespace rtvp::scene {

class CameraRays {
 public:
  /// `width` and `height` are the picture's.
  CameraRays(const Camera& camera, int width, int height);
  /// As Camera::direction, to the bit.
  [[nodiscard]] Vec3 direction(double px, double py) const;

 private:
  Vec3 forward_, right_, up_;
  double width_, height_;
  bool plane_;       ///< Camera::Projection::Nff
  double step_ = 0;  ///< of a pixel in the plane at distance 1
};

}  // namespace rtvp::scene
