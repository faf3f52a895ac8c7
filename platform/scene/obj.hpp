// Wavefront OBJ and MTL, read by tinyobjloader.
#pragma once

#include <filesystem>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// Adds the faces of `file` to the builder's scene, in file order. Throws SceneError.
///
/// tinyobjloader trusts its input, so this reader first checks every line itself (finite numbers,
/// indices that name a vertex, at most 255 corners a face) and hands on only what it has checked:
/// v, vt, vn, f, usemtl, mtllib. A backslash continues a record on the next line. Groups and
/// objects (g, o) do not change the picture; lines, points, curves and what else is not known are
/// skipped, with one warning a kind, as are faces of fewer than three corners.
///
/// A face with more than three corners is cut like an NFF polygon; every triangle is a primitive.
/// Normals at all three corners make a smooth triangle. Faces without normals that are in a
/// smoothing group (s) get them: at each vertex the mean of the group's faces there, by area. Faces
/// without a material take the builder's current one, which is left unchanged.
///
/// MTL in our constants: colour = Kd / max(Kd), kdiff = max(Kd), kspec = max(Ks), kamb = 0.2
/// max(Ka) (0.2 is the
/// `.shk` default, which Ka scales), ns = Ns, ktrans = 1 - d, refindex = Ni (1 if not positive),
/// reflect = max(Ks) for illum 3 and above, otherwise 0. A material without Kd has Kd = 0.8.
/// Constants are cut to 0..1. map_Kd names a PNG or JPEG beside the MTL file that multiplies the
/// colour; other textures are ignored with a warning, as are a missing picture, a missing MTL file
/// and an unknown material.
///
/// `from` is the directive that names the file, for errors that concern the file as a whole.
void readObj(Builder& builder, const std::filesystem::path& file, const Where* from = nullptr);

}  // namespace rtvp::scene
