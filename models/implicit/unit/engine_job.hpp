// A job under way, and what its kinds have in common.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "models/implicit/unit/engine.hpp"
#include "models/implicit/unit/words.hpp"

namespace rtvp::implicit::unit {

struct Engine::Job {
  const Configuration& configuration;
  std::uint64_t address;
  Clock clock;  ///< the front end's
  std::vector<std::uint8_t> descriptor;
  JobResult result;
};

[[noreturn]] inline void refuse(const std::string& what, std::uint32_t position = kNone) {
  throw JobFault(Fault::Descriptor, "job descriptor: " + what, kNone, position);
}

/// `bytes` from `address` on do not leave the address space.
inline void requireRoom(std::uint64_t address, std::uint64_t bytes) {
  if (address + bytes < address) refuse("a buffer beyond 64 bits");
}

inline float coneOf(const std::uint8_t* descriptor) {
  const float cone = floatAt(descriptor, job::kCone);
  if (!(cone >= 0) || !std::isfinite(cone)) refuse("the cone is not a number from 0 up");
  return cone;
}

inline std::vector<render::Placed> placedOf(const std::vector<LoadedObject*>& objects) {
  std::vector<render::Placed> out;
  for (const LoadedObject* object : objects) out.push_back({&object->object(), &object->hull()});
  return out;
}

}  // namespace rtvp::implicit::unit
