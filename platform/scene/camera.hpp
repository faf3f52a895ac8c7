// Cameras that a scene file does not bring: fitted to what the scene holds, or as the user says.
#pragma once

#include <string_view>

#include "platform/scene/scene.hpp"

namespace rtvp::scene {

/// The camera of a scene file that brings none (design.md section 6, OBJ): from centre + (0.62,
/// 0.42, 1.02) x longest side towards the centre, farther off on that line if some corner would lie
/// outside the picture; y up. A square picture has the `.shk` projection; another one has square
/// pixels and the same angle along its shorter side. Scene::fittedCamera becomes true.
void fitView(Scene& scene);

/// fitView() for a picture of 512 x 512.
void fitCamera(Scene& scene);

/// The two lights of a scene file that brings none: those of the shared `.shk` scenes, scaled from
/// their longest side of 100 to the scene's.
void fitLights(Scene& scene);

/// What a user says of the camera; empty: nothing.
struct ViewWish {
  /// "EYE:TARGET:FOV[:UP]", places as x,y,z; FOV is the vertical angle in degrees, square pixels.
  std::string_view camera;
  /// "DIRECTION[:UP]": from that side, as near as the whole scene fits; 40 degrees along the
  /// shorter side, square pixels.
  std::string_view lookFrom;
};

/// Sets the camera for the picture's size that the scene has by now. Throws SceneError
/// "render.camera: found ..., expected ..." for a wish that cannot be.
void placeCamera(Scene& scene, const ViewWish& wish);

}  // namespace rtvp::scene
