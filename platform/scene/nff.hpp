// The Neutral File Format of Haines' Standard Procedural Databases (board.md section 6, design.md
// section 6).
#pragma once

#include <filesystem>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// Reads `file` into the builder's scene. Throws SceneError.
///
/// The format is read word by word, lines do not matter; '#' hides the rest of its line.
///
///   v          then, in any order: from x y z, at x y z, up x y z, angle degrees, hither d (read,
///   not used),
///              resolution w h
///   b r g b    background, default black
///   l x y z [r g b]   light; without colour white at 1 / sqrt(number of lights)
///   f r g b Kd Ks Shine T index   kdiff = Kd, kspec = reflect = Ks, ns = Shine, ktrans = T, kamb =
///   0 s x y z r         sphere; a negative radius (inside visible in NFF) counts as positive c x y
///   z r x y z r open cone or cylinder p n, pp n         polygon of n points, or of n points with
///   normals
///
/// Without `v` the camera is fitted to the scene, as for OBJ. Materials before the first `f` are
/// white with the `.shk` constants.
void readNff(Builder& builder, const std::filesystem::path& file);

}  // namespace rtvp::scene
