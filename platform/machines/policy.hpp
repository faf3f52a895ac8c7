// `--assign`: which machine gets which rays, where there are several.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::platform {

/// Classes of rays that can be given to machines.
enum class RayClass : std::uint8_t { Eye, Shadow, Secondary };
inline constexpr std::size_t kRayClasses = 3;
[[nodiscard]] std::string_view nameOf(RayClass rays);

/// What the user asked for; machines by their number among the hit finders of the run.
struct Policy {
  enum class Kind : std::uint8_t {
    Classes,  ///< each class of rays to a machine
    Share,    ///< rays dealt out so that all machines end together
    Race,     ///< every ray to several machines; the first listed one's answer counts
  };
  Kind kind = Kind::Classes;
  std::array<std::size_t, kRayClasses> classes{};  ///< the machine of each class
  std::vector<std::size_t> racers;
};

/// Reads "share", "race:A,B" or "eye=A,shadow=B,secondary=C" (classes that are not named go to the
/// first machine; empty: all do). `machines`: names of the run's hit finders. Throws InputError
/// with what was found and what is accepted.
[[nodiscard]] Policy parsePolicy(std::string_view text, const std::vector<std::string>& machines);

}  // namespace rtvp::platform
