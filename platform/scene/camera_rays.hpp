// Directions of many eye rays of one picture: what they share is computed once.
#pragma once

#include "platform/scene/scene.hpp"

namespace rtvp::scene {

class CameraRays {
 public:
  /// `width` and `height` are the picture's.
  CameraRays(const Camera& camera, int width, int height);
  /// As Camera::direction, to the bit.
  [[nodiscard]] Vec3 direction(double px, double py) const {
    double x = px / width_ - 0.5;
    double y = 0.5 - py / height_;
    if (plane_) {
      x = (px - width_ / 2) * step_;
      y = (height_ / 2 - py) * step_;
    }
    return unit(up_ * y + right_ * x + forward_);
  }

 private:
  Vec3 forward_, right_, up_;
  double width_, height_;
  bool plane_;       ///< Camera::Projection::Nff
  double step_ = 0;  ///< of a pixel in the plane at distance 1
};

}  // namespace rtvp::scene
