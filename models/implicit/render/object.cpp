// See object.hpp.
#include "models/implicit/render/object.hpp"

#include <utility>

namespace rtvp::implicit::render {

Object::Object(Tape tape, const Bounds& bounds, const Affine& world, double lipschitz,
               std::uint32_t id)
    : tape_(std::move(tape)), bounds_(bounds), to_world_(world), lipschitz_(lipschitz), id_(id) {
  for (unsigned n = 0; n < 3; ++n) {
    if (!std::isfinite(bounds.min[n]) || !std::isfinite(bounds.max[n]))
      throw ObjectError("bounds that are not finite");
    if (!(bounds.min[n] < bounds.max[n])) throw ObjectError("bounds reversed or without extent");
  }
  if (!world.invertible()) throw ObjectError("world matrix that has no inverse");
  if (!(lipschitz > 0) || !std::isfinite(lipschitz))
    throw ObjectError("Lipschitz bound that is not a number above 0");
  to_object_ = world.inverse();
}

}  // namespace rtvp::implicit::render
