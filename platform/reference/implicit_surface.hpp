// The golden definition of where a ray meets an implicit surface: the solid is the set of points
// of the object's box with f <= 0, its surface is met where a ray changes between inside and
// outside, and f is the plain binary64 value. Nothing here is shared with the machine's renderer
// (models/implicit/render) but the sound ranges of f over boxes: they say where no change can be,
// so no assumption on distances is made.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/implicit/registers/program.hpp"
#include "platform/raytree/hit_finder.hpp"
#include "platform/scene/implicit.hpp"

namespace rtvp::reference {

class ImplicitSurface {
 public:
  /// Keeps a reference to the object.
  explicit ImplicitSurface(const scene::Implicit& object);

  /// The first t with 0 < t <= limit where the ray meets the surface, to 1e-9 of the box's
  /// diagonal. Pieces of the inside or outside that a ray crosses within 1e-5 of the diagonal (1e-3
  /// where f may have no value) may be missed.
  [[nodiscard]] std::optional<double> hit(const host::Ray& ray, double limit) const;

 private:
  /// A cell of the box in which f may change its sign, or one with such cells in it.
  struct Cell {
    implicit::Bounds box;
    std::uint32_t first = 0;               ///< of the cells in it
    std::uint32_t count = 0;               ///< 0: a leaf
    implicit::registers::Program program;  ///< f in the cell
  };
  /// A ray in object space; t is the world's.
  struct Line {
    scene::Vec3 origin;
    scene::Vec3 direction;
    [[nodiscard]] scene::Vec3 at(double t) const { return origin + direction * t; }
  };
  struct Span {
    double from;
    double to;
  };

  void divide(std::uint32_t cell, int depth);
  [[nodiscard]] static std::optional<Span> clip(const Line& line, const implicit::Bounds& box,
                                                Span span);
  [[nodiscard]] std::optional<double> walk(std::uint32_t cell, const Line& line, Span span) const;
  [[nodiscard]] std::optional<double> change(const Cell& leaf, const Line& line, Span span) const;
  [[nodiscard]] double bisect(const Line& line, Span span) const;
  [[nodiscard]] bool inside(const Line& line, double t) const;

  const scene::Implicit& object_;
  double diagonal_;          ///< of the box
  std::vector<Cell> cells_;  ///< [0] is the whole box
};

}  // namespace rtvp::reference
