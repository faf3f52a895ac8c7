// Materials at a hit (sdf.md 12): every value on the F stack carries a material. An OPSDF sets its
// own, the material opcodes blend, plain Min and Max take the winner's, all others keep that of
// their first F input. A blend is at most four numbers with weights, resolved once.
#pragma once

#include <array>
#include <cstdint>

#include "models/implicit/evaluate.hpp"
#include "models/implicit/tape.hpp"
#include "models/implicit/watch.hpp"

namespace rtvp::implicit::render {

inline constexpr std::uint32_t kNoShape = 0xFFFFFFFF;

/// Words 0-2 base colour, 3 opacity, 4 metallic, 5 roughness, 6 specular, 7 clear coat, 8-10
/// emission, 11 index of refraction, 12-15 user: of surfaces without a material.
inline constexpr Material kDefaultMaterial{0.8F, 0.8F, 0.8F, 1, 0, 0.5F, 0.5F, 0,
                                           0,    0,    0,    1, 0, 0,    0,    0};

struct MaterialResult {
  std::uint32_t shape = kNoShape;  ///< the n-th OPSDF of the tape that weighs most
  Material words = kDefaultMaterial;
};
/// `run`: sees it from within, or null.
MaterialResult materialAt(const Tape& tape, const Mask& mask, const std::array<float, 3>& point,
                          RunWatch* run = nullptr);

}  // namespace rtvp::implicit::render
