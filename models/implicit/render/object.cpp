// See object.hpp.
#include "models/implicit/render/object.hpp"

#include <utility>

namespace rtvp::implicit::render {
namespace {

registers::Program compiled(const Tape& tape) {
  try {
    return registers::compile(tape);
  } catch (const registers::ProgramError& error) {
    throw ObjectError(std::string("tape without register form: ") + error.what());
  }
}

}  // namespace

Code Code::masked(const Tape& tape, Mask mask) {
  Code code;
  code.program = std::make_shared<const registers::Program>(registers::compile(tape, mask));
  code.executed = static_cast<std::uint32_t>(mask.executed());
  code.skipped = static_cast<std::uint32_t>(mask.size()) - code.executed;
  code.mask = std::move(mask);
  return code;
}

Code Code::compact(registers::Program program) {
  Code code;
  code.executed = static_cast<std::uint32_t>(program.clauses().size()) + 1;
  code.program = std::make_shared<const registers::Program>(std::move(program));
  return code;
}

float Code::valueAt(const Vec& point) const {
  return registers::evaluate(*program, singleOf(point));
}

Object::Object(Tape tape, const Bounds& bounds, const Affine& world, double lipschitz,
               std::uint32_t id)
    : tape_(std::move(tape)),
      program_(compiled(*tape_)),
      bounds_(bounds),
      to_world_(world),
      lipschitz_(lipschitz),
      id_(id) {
  check();
}

Object::Object(registers::Program program, const Bounds& bounds, const Affine& world,
               double lipschitz, std::uint32_t id)
    : program_(std::move(program)),
      bounds_(bounds),
      to_world_(world),
      lipschitz_(lipschitz),
      id_(id) {
  check();
}

void Object::check() {
  for (unsigned n = 0; n < 3; ++n) {
    if (!std::isfinite(bounds_.min[n]) || !std::isfinite(bounds_.max[n]))
      throw ObjectError("bounds that are not finite");
    if (!(bounds_.min[n] < bounds_.max[n])) throw ObjectError("bounds reversed or without extent");
  }
  if (!to_world_.invertible()) throw ObjectError("world matrix that has no inverse");
  if (!(lipschitz_ >= 0) || !std::isfinite(lipschitz_))
    throw ObjectError("Lipschitz bound that is not a number from 0 up");
  to_object_ = to_world_.inverse();
}

}  // namespace rtvp::implicit::render
