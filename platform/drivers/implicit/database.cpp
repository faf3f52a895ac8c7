// See implicit_database.hpp.
#include "platform/drivers/implicit/database.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "models/implicit/registers/program.hpp"
#include "models/implicit/unit/layout.hpp"
#include "models/implicit/unit/words.hpp"

namespace rtvp::host {
namespace {

namespace iu = implicit::unit;
using scene::Vec3;

float outward(double x, bool up) {
  const auto f = static_cast<float>(x);
  if (up ? double{f} >= x : double{f} <= x) return f;
  const float to = std::numeric_limits<float>::infinity();
  return std::nextafter(f, up ? to : -to);
}

/// The object's box, rounded outward: what lies on its border stays in it.
implicit::Bounds boundsOf(const scene::Implicit& object) {
  implicit::Bounds box;
  for (int axis = 0; axis < 3; ++axis) {
    box.min[static_cast<std::size_t>(axis)] = outward(object.lo[axis], false);
    box.max[static_cast<std::size_t>(axis)] = outward(object.hi[axis], true);
  }
  return box;
}

void addProgram(ImplicitDatabase& database, const scene::Implicit& object) {
  const std::vector<std::uint64_t> words = implicit::registers::encode(*object.model->program);
  std::vector<std::uint8_t> record(iu::program::kBytes);
  iu::putWord(record.data(), iu::program::kStart,
              static_cast<std::uint32_t>(database.clauses.size()));
  iu::putWord(record.data(), iu::program::kWords, static_cast<std::uint32_t>(words.size()));
  const implicit::Bounds box = boundsOf(object);
  for (unsigned axis = 0; axis < 3; ++axis) {
    iu::putFloat(record.data(), iu::program::kBounds + 4 * axis, box.max[axis]);
    iu::putFloat(record.data(), iu::program::kBounds + 12 + 4 * axis, box.min[axis]);
  }
  database.programs.insert(database.programs.end(), record.begin(), record.end());
  database.clauses.insert(database.clauses.end(), words.begin(), words.end());
}

std::vector<std::uint8_t> recordOf(const scene::Implicit& object, std::uint32_t kind,
                                   std::uint32_t number, std::uint32_t element) {
  std::vector<std::uint8_t> record(iu::object::kBytes);
  iu::putWord(record.data(), iu::object::kKind, kind);
  iu::putWord(record.data(), iu::object::kNumber, number);
  iu::putWord(record.data(), iu::object::kId, element);
  iu::putFloat(record.data(), iu::object::kLipschitz,
               static_cast<float>(object.lipschitz.value_or(0)));
  const Vec3& origin = object.placement.origin();
  for (int row = 0; row < 3; ++row) {
    const unsigned at = iu::object::kWorld + 16 * static_cast<unsigned>(row);
    for (unsigned column = 0; column < 3; ++column) {
      iu::putFloat(record.data(), at + 4 * column,
                   static_cast<float>(object.placement.columns()[column][row]));
    }
    iu::putFloat(record.data(), at + 12, static_cast<float>(origin[row]));
  }
  return record;
}

}  // namespace

ImplicitDatabase implicitDatabase(const scene::Scene& scene) {
  ImplicitDatabase database;
  database.count = static_cast<std::uint32_t>(scene.implicits.size());
  database.elements.resize(scene.implicits.size());
  for (std::uint32_t e = 0; e < scene.elements.size(); ++e) {
    const scene::Element& element = scene.elements[e];
    if (element.kind == scene::Element::Kind::Implicit) database.elements[element.index] = e;
  }
  std::vector<implicit::Tape> tapes;
  std::uint32_t programs = 0;
  for (std::size_t i = 0; i < scene.implicits.size(); ++i) {
    const scene::Implicit& object = scene.implicits[i];
    const bool tape = object.model->tape != nullptr;
    database.slopes = database.slopes || !object.lipschitz;
    if (tape) {
      tapes.push_back(*object.model->tape);
      tapes.back().bounds = boundsOf(object);
      database.materials = database.materials || !tapes.back().materials.empty();
    } else {
      addProgram(database, object);
    }
    const std::uint32_t number = tape ? static_cast<std::uint32_t>(tapes.size() - 1) : programs++;
    const std::vector<std::uint8_t> record = recordOf(
        object, tape ? iu::object::kTape : iu::object::kProgram, number, database.elements[i]);
    database.objects.insert(database.objects.end(), record.begin(), record.end());
  }
  database.tapes = implicit::encode(tapes);
  return database;
}

}  // namespace rtvp::host
