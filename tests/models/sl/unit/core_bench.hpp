// A shading core with a memory of words behind it, and the host's side of its queues.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/sl/assembler.hpp"
#include "models/sl/unit/shading_core.hpp"

namespace rtvp::sl::unit::test {

constexpr auto word(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

/// Words at byte addresses; each transfer takes kLatency clocks and one a word.
class FakeMemory : public MemoryPort {
 public:
  static constexpr Clock kLatency = 6;
  explicit FakeMemory(std::size_t count) : words(count) {}

  Clock read(std::uint64_t address, std::span<std::uint32_t> to, Clock at) override {
    if (address % 4 != 0 || address / 4 + to.size() > words.size()) return kBusError;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = words[address / 4 + i];
    ++reads;
    return use(at, to.size());
  }
  Clock write(std::uint64_t address, std::span<const std::uint32_t> from, Clock at) override {
    if (address % 4 != 0 || address / 4 + from.size() > words.size()) return kBusError;
    for (std::size_t i = 0; i < from.size(); ++i) words[address / 4 + i] = from[i];
    ++writes;
    return use(at, from.size());
  }

  bool look(std::uint64_t address, std::span<std::uint32_t> to) override {
    if (address % 4 != 0 || address / 4 + to.size() > words.size()) return false;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = words[address / 4 + i];
    return true;
  }

  std::vector<std::uint32_t> words;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  bool overlapped = false;  ///< two transfers at the same time
  Clock busyUntil = 0;

 private:
  Clock use(Clock at, std::size_t count) {
    overlapped = overlapped || at < busyUntil;
    busyUntil = at + kLatency + count;
    return busyUntil;
  }
};

inline Program assembled(const std::string& lines) {
  AssemblyResult result = assemble("test.sl", "sl 1.0\n" + lines);
  if (!result.program) throw std::runtime_error(result.report());
  return *result.program;
}

struct Result {
  std::uint32_t kind = ~0U;
  Vec3 vector;
  Vec3 direction;
};

/// Surfaces at word 0, slots at 4096, requests at 60000, results at 61000, texels at 65536.
struct CoreBench {
  static constexpr std::size_t kSlots = 4096, kRequests = 60000, kResults = 61000, kTexels = 65536;
  static constexpr std::uint32_t kEntries = 64;

  explicit CoreBench(const CoreConfig& config = {}) : core(config), memory(kTexels + 8192) {
    at.surfaces = 0;
    at.surfaceCount = 16;
    at.slots = 4 * kSlots;
    at.requests = 4 * kRequests;
    at.results = 4 * kResults;
    at.entries = kEntries;
  }

  /// Puts a program into the store, behind the others, and makes it surface `number`.
  void surface(std::uint32_t number, const Program& program) {
    EXPECT_TRUE(core.store(next_, program.words()));
    std::uint32_t* const s = &memory.words[number * surface::kWords];
    s[surface::kProgramStart] = next_;
    s[surface::kProgramCount] = program.size();
    next_ += program.size();
  }
  std::uint32_t* surfaceWords(std::uint32_t number) {
    return &memory.words[number * surface::kWords];
  }
  std::uint32_t* slotWords(std::uint32_t slot) {
    return &memory.words[kSlots + slot * slot::kWords];
  }
  /// Registers of a slot that a slot or its surface gives.
  void fill(std::uint32_t slot, std::uint32_t number, const Registers& r) {
    std::uint32_t* const w = slotWords(slot);
    surfaces_[slot] = number;
    w[slot::kSeed] = 7;
    w[slot::kFlags] = slot::kTraceLive;
    w[slot::kIndex] = word(r.scalar(reg::I));
    unsigned n = slot::kVectors;
    for (const unsigned id : slot::kVectorOrder) {
      for (unsigned lane = 0; lane < 3; ++lane) w[n++] = word(r.vector(id)[lane]);
    }
    for (unsigned axis = 0; axis < 3; ++axis) w[slot::kAxes + 4 * axis] = word(1);
    std::uint32_t* const s = surfaceWords(number);
    for (unsigned lane = 0; lane < 3; ++lane) {
      s[surface::kC0 + lane] = word(r.vector(reg::C0)[lane]);
      s[surface::kC1 + lane] = word(r.vector(reg::C1)[lane]);
      for (unsigned k = 0; k < 4; ++k) {
        s[surface::kR + 3 * k + lane] = word(r.vector(reg::r0 + k)[lane]);
      }
    }
    for (unsigned k = 0; k < 4; ++k) s[surface::kS + k] = word(r.scalar(reg::s0 + k));
    unsigned at_scalar = surface::kScalars;
    for (const unsigned id : {reg::Kd, reg::Ks, reg::S, reg::Kr, reg::Kt, reg::Ka}) {
      s[at_scalar++] = word(r.scalar(id));
    }
  }
  /// A texture slot of a surface: texels from kTexels + `offset` words on.
  void texture(std::uint32_t number, unsigned slot, Format format, std::uint32_t width,
               std::uint32_t height, std::size_t offset = 0) {
    std::uint32_t* const w =
        surfaceWords(number) + surface::kTextures + slot * surface::kTextureWords;
    w[0] = static_cast<std::uint32_t>(4 * (kTexels + offset));
    w[1] = 0;
    w[2] = width | height << 16U;
    w[3] = static_cast<std::uint32_t>(format);
  }

  void queue(std::uint32_t slot, std::uint32_t kind = request::kStart) {
    const std::size_t entry = kRequests + tail_++ % kEntries * request::kWords;
    memory.words[entry] = slot;
    memory.words[entry + request::kKind] = kind;
    memory.words[entry + request::kSurface] = surfaces_[slot];
  }
  /// Runs what is queued; results by slot.
  std::map<std::uint32_t, Result> run() {
    const std::uint32_t before = core.resultTail();
    now = core.run(at, tail_, memory, now);
    std::map<std::uint32_t, Result> results;
    for (std::uint32_t n = before; n != core.resultTail(); ++n) {
      const std::uint32_t* const w = &memory.words[kResults + n % kEntries * result::kWords];
      const auto vector = [w](unsigned from) {
        return Vec3{std::bit_cast<float>(w[from]), std::bit_cast<float>(w[from + 1]),
                    std::bit_cast<float>(w[from + 2])};
      };
      EXPECT_FALSE(results.contains(w[result::kSlot]));
      results[w[result::kSlot]] = {w[result::kKind], vector(result::kVector),
                                   vector(result::kDirection)};
    }
    return results;
  }

  ShadingCore core;
  FakeMemory memory;
  CoreAddresses at;
  Clock now = 0;

 private:
  std::map<std::uint32_t, std::uint32_t> surfaces_;  ///< by slot
  std::uint32_t next_ = 0;
  std::uint32_t tail_ = 0;
};

}  // namespace rtvp::sl::unit::test
