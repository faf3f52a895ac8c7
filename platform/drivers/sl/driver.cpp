// See sl_driver.hpp.
#include "platform/drivers/sl/driver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>

#include "models/common/core/state.hpp"
#include "models/sl/unit/layout.hpp"

namespace rtvp::host {
namespace {

namespace reg = sl::reg;
namespace unit = sl::unit;

constexpr std::uint32_t kSlots = 32768;  // runs that may be under way or set aside
constexpr std::uint64_t kAlign = 4096;
const sc_core::sc_time kLimit(100, sc_core::SC_SEC);  // a batch takes microseconds to seconds

// Textures that some surface binds; the others stay with the host.
std::vector<bool> boundTextures(const scene::Scene& scene) {
  std::vector<bool> bound(scene.textures.size());
  for (const scene::SurfaceShader& s : scene.surfaces) {
    for (const std::uint32_t t : s.textures) {
      if (t != scene::kNoIndex) bound[t] = true;
    }
  }
  return bound;
}

unit::Format formatOf(scene::Texture::Kind kind) {
  switch (kind) {
    case scene::Texture::Kind::Bump:
      return unit::Format::Bump;
    case scene::Texture::Kind::Cube:
      return unit::Format::Cube;
    case scene::Texture::Kind::Color:
      break;
  }
  return unit::Format::Rgba8;
}

std::uint32_t normalWord(const scene::Vec3& n) {
  const auto half = [](double x) {
    return static_cast<std::uint32_t>(
        static_cast<std::uint16_t>(static_cast<std::int16_t>(std::lround(x * 32767))));
  };
  return half(n.x) | half(n.y) << 16U;
}

std::vector<std::uint32_t> texelWords(const scene::Texture& texture) {
  std::vector<std::uint32_t> words;
  words.reserve(texture.rgba.size() / 4);
  if (texture.kind == scene::Texture::Kind::Bump) {
    for (int j = 0; j < texture.height; ++j) {
      for (int i = 0; i < texture.width; ++i) {
        words.push_back(normalWord(scene::bumpNormal(texture, i, j)));
      }
    }
    return words;
  }
  const std::vector<std::uint8_t>& b = texture.rgba;
  for (std::size_t at = 0; at < b.size(); at += 4) {
    words.push_back(b[at] | static_cast<std::uint32_t>(b[at + 1]) << 8U |
                    static_cast<std::uint32_t>(b[at + 2]) << 16U |
                    static_cast<std::uint32_t>(b[at + 3]) << 24U);
  }
  return words;
}

void put(std::span<std::uint32_t> words, unsigned at, const sl::Vec3& v) {
  words[at] = std::bit_cast<std::uint32_t>(v.x);
  words[at + 1] = std::bit_cast<std::uint32_t>(v.y);
  words[at + 2] = std::bit_cast<std::uint32_t>(v.z);
}
sl::Vec3 get(std::span<const std::uint32_t> words, std::size_t at) {
  return {std::bit_cast<float>(words[at]), std::bit_cast<float>(words[at + 1]),
          std::bit_cast<float>(words[at + 2])};
}
sl::Vec3 single(const scene::Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

}  // namespace

void SlDriver::Counters::report(common::StatGroup& group) const {
  group.count("batches", "1", "times the driver filled the request queue and slept", batches);
  group.count("runs", "runs", "runs queued", runs);
  group.count("answers", "rays", "colours given to programs that asked for rays", answers);
  group.count("texture_words", "words", "texels loaded into the unit's memory", textureWords);
}

/// Where everything lies, textures last.
struct SlDriver::Layout {
  Layout(std::uint64_t base, const scene::Scene& scene)
      : arena(base, kAlign),
        surfaces(arena.take(std::uint64_t{4} * unit::surface::kWords * scene.surfaces.size())),
        slots(arena.take(std::uint64_t{4} * unit::slot::kWords * kSlots)),
        requests(arena.take(std::uint64_t{4} * unit::request::kWords * kSlots)),
        results(arena.take(std::uint64_t{4} * unit::result::kWords * kSlots)) {
    const std::vector<bool> bound = boundTextures(scene);
    for (std::size_t i = 0; i < bound.size(); ++i) {
      textures.push_back(bound[i] ? arena.take(scene.textures[i].rgba.size()) : 0);
    }
  }
  Arena arena;
  std::uint64_t surfaces, slots, requests, results;
  std::vector<std::uint64_t> textures;  ///< 0: the unit does not need it
};

std::uint64_t SlDriver::memoryBytes(const scene::Scene& scene) {
  return Layout(0, scene).arena.used();
}

std::uint64_t SlDriver::instructions(std::span<const std::shared_ptr<const sl::Program>> programs) {
  std::vector<const sl::Program*> seen;
  std::uint64_t count = 0;
  for (const auto& p : programs) {
    if (std::find(seen.begin(), seen.end(), p.get()) != seen.end()) continue;
    seen.push_back(p.get());
    count += p->size();
  }
  return count;
}

std::vector<std::uint32_t> SlDriver::programPlaces(
    std::span<const std::shared_ptr<const sl::Program>> programs) {
  std::map<const sl::Program*, std::uint32_t> starts;
  std::vector<std::uint32_t> places;
  std::uint32_t next = 0;
  for (const auto& program : programs) {
    const auto [entry, added] = starts.try_emplace(program.get(), next);
    places.push_back(entry->second);
    if (added) next += program->size();
  }
  return places;
}

SlDriver::SlDriver(HostBus& bus, const scene::Scene& scene, SlDriverConfig config)
    : Device(bus, config.instance, "shading unit"),
      scene_(scene),
      config_(std::move(config)),
      unit_(bus, config_.unitBase),
      pixels_(kSlots) {
  Layout layout(config_.memoryBase, scene);
  surfaces_ = layout.surfaces;
  slots_ = layout.slots;
  requests_ = layout.requests;
  results_ = layout.results;
  textureAddress_ = std::move(layout.textures);
}

std::uint64_t SlDriver::slotAddress(std::uint32_t slot) const {
  return slots_ + std::uint64_t{4} * unit::slot::kWords * slot;
}

// ---- start

void SlDriver::start() {
  if (unit_.read("ID") != unit::kIdValue) fail("no unit answers at its address");
  unit_.write("CONTROL", 1);
  unit_.writePair("SURFACES_LOW", surfaces_);
  unit_.writePair("SLOTS_LOW", slots_);
  unit_.writePair("REQUESTS_LOW", requests_);
  unit_.writePair("RESULTS_LOW", results_);
  unit_.write("SURFACES", static_cast<std::uint32_t>(scene_.surfaces.size()));
  unit_.write("ENTRIES", kSlots);
  unit_.write("ENABLE", 1);
  loadPrograms();
  loadTextures();
  loadSurfaces();
  unit_.write("CONTROL", 2);
}

void SlDriver::loadPrograms() {
  programStart_ = programPlaces(config_.programs);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < config_.programs.size(); ++i) {
    const sl::Program& program = *config_.programs[i];
    if (programStart_[i] != next) continue;  // it is there already
    if (program.size() > config_.programWords - next) {
      fail("the programs do not fit its store");
    }
    bus_.upload(unit_.base() + unit::kProgramStore + std::uint64_t{8} * next,
                halves(program.words()));
    next += program.size();
  }
}

void SlDriver::loadTextures() {
  for (std::size_t i = 0; i < textureAddress_.size(); ++i) {
    if (textureAddress_[i] == 0) continue;
    const std::vector<std::uint32_t> words = texelWords(scene_.textures[i]);
    bus_.work(Work::EncodeWord, words.size());
    bus_.upload(textureAddress_[i], words);
    counters_.textureWords += words.size();
  }
}

void SlDriver::loadSurfaces() {
  namespace layout = unit::surface;
  for (std::size_t i = 0; i < scene_.surfaces.size(); ++i) {
    const scene::SurfaceShader& s = scene_.surfaces[i];
    std::vector<std::uint32_t> words(layout::kWords);
    bool cubes = false;
    words[layout::kProgramStart] = programStart_[i];
    words[layout::kProgramCount] = config_.programs[i]->size();
    words[layout::kFlags] = config_.programs[i]->base() == sl::OffsetBase::Branch ? 1 : 0;
    for (unsigned n = 0; n < sl::kTextureSlots; ++n) {
      if (s.textures[n] == scene::kNoIndex) continue;
      const scene::Texture& texture = scene_.textures[s.textures[n]];
      cubes = cubes || (texture.kind == scene::Texture::Kind::Cube &&
                        (config_.programs[i]->textureMask() >> n & 1U) != 0);
      const unsigned at = layout::kTextures + n * layout::kTextureWords;
      std::ranges::copy(halves(textureAddress_[s.textures[n]]), &words[at]);
      words[at + 2] = static_cast<std::uint32_t>(texture.width) |
                      static_cast<std::uint32_t>(texture.height) << 16U;
      words[at + 3] = static_cast<std::uint32_t>(formatOf(texture.kind));
    }
    slotWords_.push_back(unit::slot::wordsNeeded(config_.programs[i]->reads(), cubes));
    const sl::Registers r = surfaceRegisters(s);
    put(words, layout::kC0, r.vector(reg::C0));
    put(words, layout::kC1, r.vector(reg::C1));
    for (unsigned n = 0; n < 4; ++n) {
      put(words, layout::kR + 3 * n, r.vector(reg::r0 + n));
      words[layout::kS + n] = std::bit_cast<std::uint32_t>(r.scalar(reg::s0 + n));
    }
    unsigned at = layout::kScalars;
    for (const unsigned id : {reg::Kd, reg::Ks, reg::S, reg::Kr, reg::Kt, reg::Ka}) {
      words[at++] = std::bit_cast<std::uint32_t>(r.scalar(id));
    }
    bus_.work(Work::EncodeWord, words.size());
    bus_.upload(surfaces_ + std::uint64_t{4} * layout::kWords * i, words);
  }
}

// ---- shading

void SlDriver::shade(std::span<const ShadingPoint> points, const ShaderRays& rays,
                     std::span<sl::Vec3> colours) {
  // An eighth of what is free: the rest is for the hits that the programs' rays find in turn, and
  // after 32 levels there still is work for every pipeline.
  for (std::size_t at = 0; at < points.size();) {
    if (top_ >= kSlots) fail("out of slots");
    const std::size_t most = std::max<std::size_t>((kSlots - top_) / 8, 1);
    const std::size_t count = std::min(most, points.size() - at);
    shadeChunk(points.subspan(at, count), at, rays, colours.subspan(at, count));
    at += count;
  }
}

void SlDriver::shadeChunk(std::span<const ShadingPoint> points, std::size_t first,
                          const ShaderRays& rays, std::span<sl::Vec3> colours) {
  const std::uint32_t base = top_;
  top_ += static_cast<std::uint32_t>(points.size());
  std::vector<std::uint32_t> slots;
  std::uint64_t encoded = 0;
  for (const ShadingPoint& point : points) encoded += slotWords_[point.surface];
  bus_.work(Work::EncodeWord, encoded);
  for (std::size_t i = 0; i < points.size(); ++i) {
    slots.push_back(base + static_cast<std::uint32_t>(i));
    pixels_[slots.back()] = points[i].pixel;
    writeSlot(slots.back(), points[i]);
  }
  counters_.runs += points.size();
  queue(slots, points, base, unit::request::kStart);
  while (!slots.empty()) {
    const std::vector<std::uint32_t> results = readResults(slots.size());
    std::vector<ShaderRay> asked;
    std::vector<std::uint32_t> askers;
    for (std::size_t at = 0; at < results.size(); at += unit::result::kWords) {
      const std::uint32_t slot = results[at + unit::result::kSlot];
      if (slot < base || slot - base >= points.size()) {
        fail("a result for no request");
      }
      const std::size_t point = slot - base;
      if (results[at + unit::result::kKind] == unit::result::kTrace) {
        asked.push_back({first + point, get(results, at + unit::result::kVector),
                         get(results, at + unit::result::kDirection)});
        askers.push_back(slot);
      } else {
        colours[point] = get(results, at + unit::result::kVector);
      }
    }
    slots = std::move(askers);
    if (slots.empty()) break;
    std::vector<sl::Vec3> answers(asked.size());
    rays(asked, answers);
    counters_.answers += answers.size();
    bus_.work(Work::EncodeWord, 3 * answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      std::array<std::uint32_t, 3> words{};
      put(words, 0, answers[i]);
      bus_.writeBlock(slotAddress(slots[i]) + std::uint64_t{4} * unit::slot::kAnswer, words);
    }
    queue(slots, points, base, unit::request::kResume);
  }
  top_ = base;
}

void SlDriver::writeSlot(std::uint32_t slot, const ShadingPoint& point) {
  namespace layout = unit::slot;
  std::array<std::uint32_t, layout::kRequestWords> words{};
  const sl::Registers& r = point.registers;
  words[layout::kSeed] = point.seed;
  words[layout::kFlags] = point.traceLive ? layout::kTraceLive : 0;
  words[layout::kIndex] = std::bit_cast<std::uint32_t>(r.scalar(reg::I));
  words[layout::kS] = std::bit_cast<std::uint32_t>(point.s);
  words[layout::kT] = std::bit_cast<std::uint32_t>(point.t);
  unsigned at = layout::kVectors;
  for (const unsigned id : layout::kVectorOrder) {
    put(words, at, r.vector(id));
    at += 3;
  }
  for (unsigned axis = 0; axis < 3; ++axis) {
    put(words, layout::kAxes + 3 * axis, single(point.space.axes[axis]));
  }
  bus_.writeBlock(slotAddress(slot), std::span(words).first(slotWords_[point.surface]));
}

void SlDriver::queue(std::span<const std::uint32_t> slots, std::span<const ShadingPoint> points,
                     std::uint32_t base, std::uint32_t kind) {
  std::vector<std::uint32_t> words;
  for (const std::uint32_t slot : slots) {
    const std::size_t entry = words.size();
    words.resize(entry + unit::request::kWords);
    words[entry + unit::request::kSlot] = slot;
    words[entry + unit::request::kKind] = kind;
    words[entry + unit::request::kSurface] = points[slot - base].surface;
  }
  bus_.work(Work::Submit, 1);
  writeRing(requests_, tail_, unit::request::kWords, words);
  tail_ += static_cast<std::uint32_t>(slots.size());
  ++counters_.batches;
  unit_.write("REQUEST_TAIL", tail_);
  await({&config_.interruptLine, 1}, kLimit, "the shading unit");
  unit_.write("INTERRUPT", 1);
}

/// A queue's entries from number `from` on, in two pieces where they pass its end.
void SlDriver::writeRing(std::uint64_t base, std::uint32_t from, std::size_t entryWords,
                         std::span<const std::uint32_t> words) {
  const std::size_t entry = from % kSlots;
  const std::size_t before = std::min(words.size(), (kSlots - entry) * entryWords);
  bus_.writeBlock(base + 4 * entryWords * entry, words.first(before));
  if (before < words.size()) bus_.writeBlock(base, words.subspan(before));
}

std::vector<std::uint32_t> SlDriver::readResults(std::size_t count) {
  std::vector<std::uint32_t> words(count * unit::result::kWords);
  const std::size_t entry = answered_ % kSlots;
  const std::size_t before = std::min<std::size_t>(count, kSlots - entry);
  const std::span<std::uint32_t> all = words;
  bus_.readBlock(results_ + std::uint64_t{4} * unit::result::kWords * entry,
                 all.first(before * unit::result::kWords));
  if (before < count) bus_.readBlock(results_, all.subspan(before * unit::result::kWords));
  bus_.work(Work::DecodeWord, words.size());
  answered_ += static_cast<std::uint32_t>(count);
  return words;
}

void SlDriver::state(common::StateArchive& a) {
  a.mark("sl driver");
  a(tail_, answered_, top_, counters_.batches, counters_.runs, counters_.answers,
    counters_.textureWords);
  if (top_ != 0) throw common::StateError("the state has runs of surface programs under way");
}

}  // namespace rtvp::host
