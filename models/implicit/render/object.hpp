// An implicit surface placed in the world, and the code its evaluations run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "models/implicit/evaluate.hpp"
#include "models/implicit/registers/program.hpp"
#include "models/implicit/render/vector.hpp"
#include "models/implicit/tape.hpp"

namespace rtvp::implicit::render {

/// An object that cannot be rendered, and why.
class ObjectError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an evaluation of f runs: the tape under a mask, or a program in register form. Code 0 of a
/// hull is the whole tape or program. Both forms give the same f, bit by bit, and the program
/// computes it here; the mask says what a machine without registers would execute.
struct Code {
  std::optional<Mask> mask;  ///< with Settings::compact off
  std::shared_ptr<const registers::Program> program;
  std::uint32_t executed = 0;  ///< instructions or clauses that run, OPStop included
  std::uint32_t skipped = 0;   ///< instructions that the mask passes over

  static Code masked(const Tape& tape, Mask mask);
  static Code compact(registers::Program program);
  [[nodiscard]] float valueAt(const Vec& point) const;
};

/// A point as evaluations take it.
inline std::array<float, 3> singleOf(const Vec& p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

class Object {
 public:
  /// `bounds` in object space hold the surface; `world` takes object space to the world. Throws
  /// ObjectError: bounds reversed or not finite, a singular matrix, a Lipschitz bound below 0,
  /// a tape that needs more constants or registers than a program has.
  Object(Tape tape, const Bounds& bounds, const Affine& world = {}, double lipschitz = 1,
         std::uint32_t id = 0);
  /// Without a tape: no masks, so Settings::compact must be on; no materials.
  Object(registers::Program program, const Bounds& bounds, const Affine& world = {},
         double lipschitz = 1, std::uint32_t id = 0);

  /// Null for an object that is a program only.
  [[nodiscard]] const Tape* tape() const { return tape_ ? &*tape_ : nullptr; }
  [[nodiscard]] const registers::Program& program() const { return program_; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  [[nodiscard]] const Affine& toWorld() const { return to_world_; }
  [[nodiscard]] const Affine& toObject() const { return to_object_; }
  /// |f(p) - f(q)| <= lipschitz |p - q|: a step of f / lipschitz never passes the surface. As
  /// declared; 1 for an object that declares none.
  [[nodiscard]] double lipschitz() const { return declares() ? lipschitz_ : 1; }
  /// False for a bound of 0: the hull is to find the slopes (Settings::slopes).
  [[nodiscard]] bool declares() const { return lipschitz_ > 0; }
  /// Comes back in hit records.
  [[nodiscard]] std::uint32_t id() const { return id_; }

 private:
  void check();

  std::optional<Tape> tape_;
  registers::Program program_;
  Bounds bounds_;
  Affine to_world_, to_object_;
  double lipschitz_;
  std::uint32_t id_;
};

}  // namespace rtvp::implicit::render
