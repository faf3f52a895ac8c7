// A surface as a pipeline has it, and what runs at it start with.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "models/sl/unit/shading_core.hpp"

namespace rtvp::sl::unit {

struct Surface {
  std::uint64_t generation = 0;
  std::uint32_t number = 0;
  std::uint32_t start = 0;  ///< of the program in the store
  std::shared_ptr<const Program> program;
  std::array<TextureSlot, kTextureSlots> textures;
  bool cubes = false;   ///< a slot that the program uses is a cube map
  unsigned needed = 0;  ///< words of a slot that a run needs
  Registers registers;  ///< the constants; everything else 0
};

/// Finds or makes the program of these words of the store; null: there is none.
using ProgramStore = std::function<std::shared_ptr<const Program>(
    std::uint32_t start, std::uint32_t count, OffsetBase base)>;

/// Surface `number` from its words; what is wrong with it, if anything.
[[nodiscard]] Fault decodeSurface(std::span<const std::uint32_t, surface::kWords> words,
                                  const ProgramStore& programs, Surface& out);

/// Registers of a new run.
[[nodiscard]] Registers startOf(const Surface& surface, std::span<const std::uint32_t> words,
                                const Samples& samples);

/// Of registers t0..t7 those that the program reads, the others 0: textures at (s, t), cube maps in
/// the direction in which the viewer is mirrored at the surface. `now` becomes kBusError when the
/// port fails.
void sampleTextures(const Surface& surface, std::span<const std::uint32_t> words, Samples& samples,
                    TextureReader& reader, MemoryPort& port, Clock& now);

/// A run that was set aside stands at its trace again; false: there is none.
[[nodiscard]] bool resumeSaved(std::span<const std::uint32_t, slot::kSavedWords> saved, Vm& vm);

/// An object-space direction in the world, by the slot's axes.
[[nodiscard]] Vec3 toWorld(const Vec3& d, std::span<const std::uint32_t> words);

}  // namespace rtvp::sl::unit
