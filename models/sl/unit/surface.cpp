// See surface.hpp.
#include "models/sl/unit/surface.hpp"

#include "models/sl/math.hpp"
#include "models/sl/unit/number_words.hpp"

namespace rtvp::sl::unit {
namespace {

// Scalars a surface gives, in its order.
constexpr std::array<reg::Id, 6> kSurfaceScalars{reg::Kd, reg::Ks, reg::S,
                                                 reg::Kr, reg::Kt, reg::Ka};

Vec3 slotVector(std::span<const std::uint32_t> words, reg::Id id) {
  return vectorAt(words, slot::vectorPlace(id));
}

}  // namespace

Vec3 toWorld(const Vec3& d, std::span<const std::uint32_t> words) {
  const Vec3 x = vectorAt(words, slot::kAxes);
  const Vec3 y = vectorAt(words, slot::kAxes + 3);
  const Vec3 z = vectorAt(words, slot::kAxes + 6);
  return {x.x * d.x + y.x * d.y + z.x * d.z, x.y * d.x + y.y * d.y + z.y * d.z,
          x.z * d.x + y.z * d.y + z.z * d.z};
}

Fault decodeSurface(std::span<const std::uint32_t, surface::kWords> words,
                    const ProgramStore& programs, Surface& s) {
  s.start = words[surface::kProgramStart];
  s.program = programs(words[surface::kProgramStart], words[surface::kProgramCount],
                       (words[surface::kFlags] & 1U) != 0 ? OffsetBase::Branch : OffsetBase::Next);
  if (!s.program) return Fault::Program;
  for (unsigned n = 0; n < kTextureSlots; ++n) {
    const unsigned at = surface::kTextures + n * surface::kTextureWords;
    TextureSlot& slot = s.textures[n];
    slot.address = words[at] | std::uint64_t{words[at + 1]} << 32U;
    slot.width = words[at + 2] & 0xFFFFU;
    slot.height = words[at + 2] >> 16U;
    slot.format = static_cast<Format>(words[at + 3]);
    if (!isUsable(slot)) return Fault::Texture;
    s.cubes = s.cubes || (slot.format == Format::Cube && (s.program->textureMask() >> n & 1U) != 0);
  }
  s.needed = slot::wordsNeeded(s.program->reads(), s.cubes);
  Registers& r = s.registers;
  r.vector(reg::C0) = vectorAt(words, surface::kC0);
  r.vector(reg::C1) = vectorAt(words, surface::kC1);
  for (unsigned n = 0; n < 4; ++n) {
    r.vector(reg::r0 + n) = vectorAt(words, surface::kR + 3 * n);
    r.scalar(reg::s0 + n) = asFloat(words[surface::kS + n]);
  }
  for (unsigned n = 0; n < kSurfaceScalars.size(); ++n) {
    r.scalar(kSurfaceScalars[n]) = asFloat(words[surface::kScalars + n]);
  }
  return Fault::None;
}

Registers startOf(const Surface& surface, std::span<const std::uint32_t> words,
                  const Samples& samples) {
  Registers registers = surface.registers;
  for (unsigned n = 0; n < slot::kVectorOrder.size(); ++n) {
    registers.vector(slot::kVectorOrder[n]) = vectorAt(words, slot::kVectors + 3 * n);
  }
  registers.scalar(reg::I) = asFloat(words[slot::kIndex]);
  for (unsigned n = 0; n < kTextureSlots; ++n) registers.vector(reg::t0 + n) = samples[n];
  return registers;
}

void sampleTextures(const Surface& surface, std::span<const std::uint32_t> words, Samples& samples,
                    TextureReader& reader, MemoryPort& port, Clock& now) {
  const std::uint64_t used = surface.program->reads() >> reg::t0 & 0xFFU;
  if (used == 0) return;
  for (unsigned n = 0; n < kTextureSlots && now != kBusError; ++n) {
    const TextureSlot& slot = surface.textures[n];
    if ((used >> n & 1U) == 0 || slot.format == Format::None) continue;
    Vec3 at{asFloat(words[slot::kS]), asFloat(words[slot::kT]), 0};
    if (slot.format == Format::Cube) {
      const Vec3 normal = slotVector(words, reg::N), eye = slotVector(words, reg::V);
      const float twice = 2 * dot(normal, eye);
      at = toWorld({normal.x * twice - eye.x, normal.y * twice - eye.y, normal.z * twice - eye.z},
                   words);
    }
    samples[n] = reader.sample(slot, at, port, now);
  }
}

bool resumeSaved(std::span<const std::uint32_t, slot::kSavedWords> saved, Vm& vm) {
  Registers registers;
  constexpr unsigned kFirst = slot::kSavedRegisters - slot::kSaved;
  for (unsigned n = 0; n < kVectors; ++n) registers.vectors[n] = vectorAt(saved, kFirst + 3 * n);
  for (unsigned n = 0; n < kScalars; ++n) {
    registers.scalars[n] = asFloat(saved[kFirst + 3 * kVectors + n]);
  }
  return vm.resume(registers, saved[0], saved[1], saved[2]);
}

}  // namespace rtvp::sl::unit
