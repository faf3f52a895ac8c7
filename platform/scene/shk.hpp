// The TigerSHARK scene format `.shk` (board.md sections 5.1 and 5.2, seed appendix B.4).
#pragma once

#include <filesystem>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// Reads `file` into the builder's scene. Throws SceneError.
///
/// Strict form, as in 1996: the first character of a line, case ignored, decides: w h b e lo u li m
/// t n. The first word is skipped, text behind the numbers a record needs is ignored, `#` lines and
/// empty lines are comments, `l` with any other second letter is ignored, whatever else begins a
/// line (a blank, a carriage return) is fatal. What a line holds beyond 499 characters is not seen.
/// A missing number, which left garbage in 1996, is an error.
///
/// Extensions: a first word that is exactly one of these, case ignored, is read as below; lines may
/// have any length. Text behind the last field must be a comment.
///
///   sphere cx cy cz r (or s)
///   g minx miny minz maxx maxy maxz count (or group): the next `count` primitives must lie in the
///   box obj FILE: its triangles and materials; faces without a material take the current one
///   include FILE: the lines of another `.shk`, as if they stood here
///
///   implicit FILE [KEYWORD NUMBERS]...: see shk_implicit.hpp
///   texture, bump, cubemap, surface, paint, st, object: see shk_shading.hpp
///
/// FILE is relative to the folder of the file that names it; quotes are allowed.
void readShk(Builder& builder, const std::filesystem::path& file, bool strict);

}  // namespace rtvp::scene
