// What the render stages do and what they leave out: the unit's registers in plain form (sdf.md
// sections 10 and 18.7). Each of the report's choices has a switch of its own; the named settings
// put them together.
#pragma once

#include <cstdint>
#include <string_view>

namespace rtvp::implicit::render {

enum class Mode : std::uint8_t {
  Seed,      ///< the report's pipeline: masks, all layers, its steps and far end
  Improved,  ///< front to back, exact exit, shared shorter code
  Brute,     ///< no hull: rays run from the box of the object with the whole tape
};

/// How far a trace steps once f is known (sdf.md 14).
enum class Stepping : std::uint8_t {
  Plain,    ///< step_scale * f / L
  Relaxed,  ///< relaxation * f / L with Keinert's overlap test
  Planar,   ///< Balint and Valasek: the surface is taken as a plane through the last two samples
};

enum class Normals : std::uint8_t {
  Forward,      ///< (f(p + h e_i) - f(p)) with h = eps and the leaf's own code, as the seed does
  Tetrahedron,  ///< four corners of a tetrahedron, h = max(1e-3, 2^-10 |p|), code valid at all four
  Derivative,   ///< one run of the leaf's own code with derivatives, Tetrahedron where it has none
};

struct Settings {
  Mode mode = Mode::Improved;

  float eps = 1e-3F;            ///< hit when f <= max(eps, cone * distance), object space
  float cone_scale = 0;         ///< weight of the pixel cone's radius in that; 0: eps alone
  unsigned step_limit = 50;     ///< evaluations of one trace, 1 or more
  unsigned slope_steps = 1000;  ///< the same of a trace by found slopes, 1 or more
  float step_scale = 1;         ///< the seed takes 0.9 of f
  Stepping stepping = Stepping::Planar;
  float relaxation = 0.95F;  ///< 1 to 2 (Relaxed); for Planar the weight of the next sphere, 0 to 1
  double near = 0.001;       ///< distance of the near plane (sdf.md 11)

  bool compact = true;       ///< cells run programs in register form; off: tapes under masks
  bool prune = true;         ///< off: each cell runs the whole tape
  bool smooth_prune = true;  ///< off: smooth selections are never decided, as in the report;
                             ///< needs compact off
  bool trim = true;  ///< a third stage tests 2 x 2 x 4 parts of each leaf and draws the box around
                     ///< those that may hold the surface
  bool early_depth = true;  ///< a fragment behind the depth buffer is not traced, rays end there
  bool front_to_back = true;
  bool exact_exit = true;   ///< off: the far end is the cuboid's diagonal (seed)
  bool front_faces = true;  ///< faces that really face the camera; off: always three (seed)
  bool near_patch = true;   ///< leaves cut by the near plane are entered there
  /// A ray that leaves a cuboid keeps how far it is known to be clear, and goes on from there in
  /// the next. Has no effect without exact_exit and front_to_back.
  bool carry = true;
  /// A stage finds how steep f is in each leaf of an object that declares no Lipschitz bound, and
  /// traces step by that. Has no effect without exact_exit, or in another mode than improved.
  bool slopes = true;
  bool last_step = true;       ///< a hit moves on by its last f / L, which cannot pass the surface
  bool best_candidate = true;  ///< a capped trace ends at the sample nearest in screen space if
                               ///< that lies within the pixel's cone (Keinert)
  bool materials = true;
  Normals normals = Normals::Derivative;

  /// The author's source: 0.9 f, eps 1e-4, the cuboid's diagonal, three faces, all layers.
  static Settings seedSource();
  /// The same with the report's eps of 1e-3.
  static Settings seedReport();
  /// eps 1e-3, exact exit, front to back with early depth, planar steps, derivatives.
  static Settings improved();
  /// The whole tape from the entry of the object's box to its exit.
  static Settings brute();

  [[nodiscard]] bool carries() const { return carry && exact_exit && front_to_back; }
  [[nodiscard]] bool findsSlopes() const { return slopes && exact_exit && mode == Mode::Improved; }
  /// Empty, or why these settings cannot run.
  [[nodiscard]] std::string_view fault() const;
};

}  // namespace rtvp::implicit::render
