// An implicit surface placed in the world, and the code its evaluations run.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/implicit/evaluate.hpp"
#include "models/implicit/render/vector.hpp"
#include "models/implicit/tape.hpp"

namespace rtvp::implicit::render {

/// An object that cannot be rendered, and why.
class ObjectError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an evaluation of f runs: the tape under a mask. Code 0 of a hull is the whole tape.
struct Code {
  Mask mask;
  std::uint32_t executed = 0;  ///< instructions that run, OPStop included
  std::uint32_t skipped = 0;
};

class Object {
 public:
  /// `bounds` in object space hold the surface; `world` takes object space to the world. Throws
  /// ObjectError: bounds reversed or not finite, a singular matrix, a Lipschitz bound not above 0.
  Object(Tape tape, const Bounds& bounds, const Affine& world = {}, double lipschitz = 1,
         std::uint32_t id = 0);

  [[nodiscard]] const Tape& tape() const { return tape_; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  [[nodiscard]] const Affine& toWorld() const { return to_world_; }
  [[nodiscard]] const Affine& toObject() const { return to_object_; }
  /// |f(p) - f(q)| <= lipschitz |p - q|: a step of f / lipschitz never passes the surface.
  [[nodiscard]] double lipschitz() const { return lipschitz_; }
  /// Comes back in hit records.
  [[nodiscard]] std::uint32_t id() const { return id_; }

 private:
  Tape tape_;
  Bounds bounds_;
  Affine to_world_, to_object_;
  double lipschitz_;
  std::uint32_t id_;
};

}  // namespace rtvp::implicit::render
