// Implicit surfaces in a scene: a function f of object space, negative inside, with the placement
// of the object (sdf.md sections 8 and 11). Engines find its surface in a box of object space only;
// where a box face cuts through the inside, the face is the surface.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "models/implicit/registers/program.hpp"
#include "models/implicit/tape.hpp"
#include "platform/scene/vec3.hpp"

namespace rtvp::scene {

/// world = origin + rotation * (scale * object), per axis. Unlike an object space it may scale each
/// axis by another factor.
class Placement {
 public:
  Placement() = default;
  /// Turns about x, then y, then z, degrees. Factors must not be zero.
  Placement(const Vec3& origin, const Vec3& degrees, const Vec3& scale);
  /// `columns` are the world images of the object axes; they must be independent.
  Placement(const Vec3& origin, const std::array<Vec3, 3>& columns);

  [[nodiscard]] const Vec3& origin() const { return origin_; }
  /// World images of the object's unit axes: the columns of the world matrix.
  [[nodiscard]] const std::array<Vec3, 3>& columns() const { return columns_; }

  [[nodiscard]] Vec3 directionToWorld(const Vec3& d) const {
    return columns_[0] * d.x + columns_[1] * d.y + columns_[2] * d.z;
  }
  [[nodiscard]] Vec3 directionToObject(const Vec3& d) const {
    return {dot(rows_[0], d), dot(rows_[1], d), dot(rows_[2], d)};
  }
  [[nodiscard]] Vec3 toWorld(const Vec3& p) const { return origin_ + directionToWorld(p); }
  [[nodiscard]] Vec3 toObject(const Vec3& p) const { return directionToObject(p - origin_); }
  /// Unit normal from a gradient in object space: by the inverse transpose.
  [[nodiscard]] Vec3 normalToWorld(const Vec3& gradient) const {
    return unit(rows_[0] * gradient.x + rows_[1] * gradient.y + rows_[2] * gradient.z);
  }
  /// The longest world image of an object's unit vector is at most this; exact if the columns are
  /// at right angles.
  [[nodiscard]] double largestScale() const;

 private:
  Vec3 origin_;
  std::array<Vec3, 3> columns_{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  std::array<Vec3, 3> rows_{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< of the inverse
};

/// What a file defines; statements that name the same file alike share it.
struct ImplicitModel {
  std::filesystem::path file;
  std::shared_ptr<const implicit::Tape> tape;  ///< null: there is no stack order, only a program
  std::shared_ptr<const implicit::registers::Program> program;  ///< the same in register form

  ImplicitModel() = default;
  /// Compiles it. Throws implicit::registers::ProgramError on tapes beyond the register form.
  explicit ImplicitModel(implicit::Tape code);
  explicit ImplicitModel(implicit::registers::Program code);

  /// Instructions of the tape, or clauses of the program.
  [[nodiscard]] std::size_t instructions() const {
    return tape ? tape->size() : program->clauses().size();
  }
  /// f at a point of object space, plain binary64; NaN where it has no value.
  [[nodiscard]] double value(const Vec3& p) const;
  /// Gradient by central differences of step `h`; zero where f has no value nearby.
  [[nodiscard]] Vec3 gradient(const Vec3& p, double h) const;
};

struct Implicit {
  std::shared_ptr<const ImplicitModel> model;
  std::string where;  ///< "file:line:column: " of the statement, for later errors; may be empty
  Placement placement;
  Vec3 lo;  ///< box in object space
  Vec3 hi;
  /// abs(f(p) - f(q)) <= lipschitz * distance of p and q, in object space; none: not known.
  std::optional<double> lipschitz = 1;

  /// Unit normal in the world where the world point `p` lies on the surface; points to growing f,
  /// or out of the box on a face that cuts the inside.
  [[nodiscard]] Vec3 normal(const Vec3& p) const;
  /// Base colour of the tape's material there (sdf.md section 12), if the tape has materials.
  [[nodiscard]] std::optional<Vec3> color(const Vec3& p) const;
};

}  // namespace rtvp::scene
