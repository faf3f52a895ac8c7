// Reads the files that define implicit surfaces: text tapes `.sdf` (sdf.md 3.8), binary tapes
// `.sdft` and expression files `.vm` (models/implicit/README.md).
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "platform/inputs/input_files.hpp"
#include "platform/scene/implicit.hpp"

namespace rtvp::scene {

/// How a statement wants its file read.
struct ImplicitReading {
  unsigned object = 0;  ///< which one of a `.sdft` file, from 0
  /// `.vm` only: the solid between the planes z = -extrude and z = extrude whose every section is
  /// the file's; 0: the file as it is.
  double extrude = 0;
  /// `.vm` only: the part within a box, smallest and largest corner, closed by its faces.
  std::optional<std::array<Vec3, 2>> clip = std::nullopt;
  bool operator==(const ImplicitReading&) const = default;
};

/// True for the extensions of such files, case ignored.
[[nodiscard]] bool isImplicitFile(const std::filesystem::path& file);

/// Throws SceneError: "file:line:column: ..." of a text, "file: ..." of a binary.
[[nodiscard]] std::shared_ptr<const ImplicitModel> readImplicit(
    const std::filesystem::path& file, const ImplicitReading& reading,
    const platform::InputReader& reader);

/// The Lipschitz bound of a file's f: 1 of a tape, which gives distances (sdf.md section 1); of an
/// expression file, which may give anything, none.
[[nodiscard]] std::optional<double> declaredSlope(const ImplicitModel& model);

/// True for an expression file, by its extension.
[[nodiscard]] bool isExpressionFile(const std::filesystem::path& file);

/// The box that an expression file draws: the cube -1..1, as `view` shows it (object space to the
/// picture).
[[nodiscard]] std::array<Vec3, 2> expressionBox(const Placement& view = {});

/// Has the file closed by the faces of a box, so that what the box cuts is a surface of f; returns
/// the bounds for it, a little larger.
std::array<Vec3, 2> closeBy(ImplicitReading& reading, const std::array<Vec3, 2>& box);

/// The box of object space that holds the model's surface: the one its file gives; of an expression
/// file the cube -1..1 that such files draw, as `view` shows it (object space to the picture); else
/// the far query (sdf.md section 8). Throws SceneError where none of them knows.
void boundImplicit(Implicit& implicit, const Placement& view = {});

}  // namespace rtvp::scene
