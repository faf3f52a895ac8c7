// What everything costs (sdf.md 18.4). No cycle data of the report's GPU exist (section 19), so all
// figures are engineering guesses in the ranges the reference names; each is a parameter. They
// change cycles and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/implicit/opcode.hpp"

namespace rtvp::implicit::unit {

using Clock = std::uint64_t;

/// Operations that opcodes are made of.
enum class Class : std::uint8_t { Simple, Mul, Fma, Div, Root, Transcendental };
inline constexpr unsigned kClasses = 6;

struct ClassCost {
  std::string_view name;
  std::string_view what;
  std::uint32_t cycles;    ///< issue slots of a warp; all its lanes work together
  std::uint32_t interval;  ///< times that in an interval run
  std::uint32_t gradient;  ///< times that with derivatives: a value and three of them
};

/// Defaults, by Class. With derivatives an add is four adds; a product takes four products by a
/// constant, seven of two variables; a quotient, root or function is found once, its derivative
/// takes about as long and then scales three lanes.
inline constexpr std::array<ClassCost, kClasses> kClassCosts{{
    {"simple", "add, min, max, compare, abs, round, copy", 1, 2, 4},
    {"mul", "multiply; an interval has four products", 1, 4, 5},
    {"fma", "multiply and add", 1, 4, 5},
    {"div", "divide", 6, 4, 3},
    {"root", "square root", 6, 2, 3},
    {"transcendental", "exp2, log2, sin, atan and the like", 8, 2, 3},
}};

/// How many of each class an opcode takes in one lane.
using Micro = std::array<std::uint8_t, kClasses>;
Micro microOf(const OpcodeInfo& op);

struct CacheConfig {
  std::uint32_t lines = 64;  ///< 0: no cache, every access is a transfer
  std::uint32_t ways = 4;    ///< divides `lines`; both are powers of two
  std::uint32_t line_bytes = 16;
  std::uint32_t hit_cycles = 0;
};

struct Timing {
  std::array<std::uint32_t, kClasses> cycles = defaultCycles();
  std::array<std::uint32_t, kClasses> interval = defaultFactors(&ClassCost::interval);
  std::array<std::uint32_t, kClasses> gradient = defaultFactors(&ClassCost::gradient);
  std::uint32_t slope_passes = 4;      ///< interval runs that one of the slope stage is worth
  std::uint32_t decode = 1;            ///< of an executed instruction or clause
  std::uint32_t skipped = 1;           ///< slot of a skipped instruction: its mask bit is tested
  std::uint32_t constant_advance = 1;  ///< for each constant of a skipped instruction
  std::uint32_t prune = 1;             ///< of the backward pass, an instruction
  std::uint32_t warp_start = 4;        ///< a warp of cells or rays begins
  std::uint32_t step = 4;          ///< of a trace besides f: compare, advance, point along the ray
  std::uint32_t resolve = 64;      ///< of a material: 16 words of up to 4 materials
  std::uint32_t face_setup = 8;    ///< front end, a face
  std::uint32_t raster_rate = 32;  ///< front end, fragments a clock; 0: no time
  std::uint32_t job_start = 20;    ///< front end, a job
  std::uint32_t port_bytes = 16;   ///< of a transfer a clock; 0: no time but the latency
  std::uint32_t cores = 4;         ///< 1 to 64
  std::uint32_t lanes = 32;        ///< of a warp, 1 to 32
  CacheConfig opcodes{64, 4, 16, 0};    ///< a core's opcode lines
  CacheConfig constants{64, 4, 16, 1};  ///< a core's constants and dependency entries
  CacheConfig leaves{64, 4, 64, 1};     ///< a core's masks and leaf programs

  static constexpr std::array<std::uint32_t, kClasses> defaultCycles() {
    std::array<std::uint32_t, kClasses> out{};
    for (unsigned n = 0; n < kClasses; ++n) out[n] = kClassCosts[n].cycles;
    return out;
  }
  static constexpr std::array<std::uint32_t, kClasses> defaultFactors(
      std::uint32_t ClassCost::*factor) {
    std::array<std::uint32_t, kClasses> out{};
    for (unsigned n = 0; n < kClasses; ++n) out[n] = kClassCosts[n].*factor;
    return out;
  }

  /// Issue slots of an instruction without its decoding.
  [[nodiscard]] Clock pointCost(const Micro& micro) const;
  [[nodiscard]] Clock intervalCost(const Micro& micro) const;
  [[nodiscard]] Clock gradientCost(const Micro& micro) const;
  /// Ranges of the value and of three derivatives.
  [[nodiscard]] Clock slopeCost(const Micro& micro) const {
    return slope_passes * intervalCost(micro);
  }
  /// Throws std::invalid_argument, naming the parameter.
  void check() const;
};

}  // namespace rtvp::implicit::unit
