// The implicit surfaces of a scene as the unit reads them (models/implicit/unit/layout.hpp): tapes,
// description records, programs, object records. Host arithmetic only.
#pragma once

#include <cstdint>
#include <vector>

#include "models/implicit/codec.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

struct ImplicitDatabase {
  implicit::EncodedTapes tapes;         ///< a description an object that has a tape
  std::vector<std::uint8_t> objects;    ///< a record each of Scene::implicits, in that order
  std::vector<std::uint8_t> programs;   ///< records of objects without a tape
  std::vector<std::uint64_t> clauses;   ///< their code
  std::uint32_t count = 0;              ///< objects
  bool materials = false;               ///< some tape has colours
  bool slopes = false;                  ///< some object has no Lipschitz bound
  std::vector<std::uint32_t> elements;  ///< element number of each object
};

/// Throws implicit::registers::ProgramError for code that the unit's memory cannot hold.
[[nodiscard]] ImplicitDatabase implicitDatabase(const scene::Scene& scene);

}  // namespace rtvp::host
