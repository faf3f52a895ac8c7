// Where the cycles of programmable units went, by address and cause, and the forms in which people
// look at it: table, callgrind file, flame graph; and which lines were executed at all (lcov).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/debug/program.hpp"

namespace rtvp::debug {

/// Units of one kind that run one program.
struct Profile {
  struct Place {
    std::uint64_t address = 0;
    std::uint64_t executions = 0;
    std::vector<std::uint64_t> cycles;  ///< by cause, as Profile::causes
  };
  struct Unit {
    std::string name;
    std::vector<Place> places;  ///< by address
  };
  std::string machine;
  std::vector<std::string> causes;  ///< the first is "executing"
  Program program;
  std::vector<Unit> units;
  /// Where the program has instructions, as far as is known: a line with none of them is data.
  std::vector<std::uint64_t> instructions;
};

/// Several profiles as bytes, for another process of the same program, and back. Throws
/// std::runtime_error.
[[nodiscard]] std::string packed(std::span<const Profile> profiles);
[[nodiscard]] std::vector<Profile> unpacked(std::string_view bytes);
/// Parts of one run: units of the same machine and program come together, those of part n with
/// their pcN in front of their names if there are several parts.
[[nodiscard]] std::vector<Profile> joined(const std::vector<std::vector<Profile>>& parts);

enum class ProfileForm : std::uint8_t { Table, Callgrind, FlameGraph };
/// By the end of a file's name: .callgrind, .svg, .txt; "-" is a table. Empty: none of them.
[[nodiscard]] std::optional<ProfileForm> profileForm(std::string_view file);

/// `each`: unit by unit, else all units of a machine together. `title` says whose run it was.
[[nodiscard]] std::string profileText(std::span<const Profile> profiles, bool each,
                                      std::string_view title, ProfileForm form);
[[nodiscard]] std::string profileTable(std::span<const Profile> profiles, bool each,
                                       std::string_view title);
/// callgrind_annotate and KCachegrind read it. Objects are machines, or units; functions are
/// symbols. There are no calls in it.
[[nodiscard]] std::string profileCallgrind(std::span<const Profile> profiles, bool each,
                                           std::string_view title);
/// From below: machine or unit, source file, symbol, cause.
[[nodiscard]] std::string profileFlameGraph(std::span<const Profile> profiles, bool each,
                                            std::string_view title);
/// lcov's .info, all units together: a line was executed as often as its most executed instruction.
[[nodiscard]] std::string coverageInfo(std::span<const Profile> profiles);

// ---- pieces of the forms
/// Sums of one machine or unit.
struct ProfileSum {
  std::uint64_t executions = 0;
  std::vector<std::uint64_t> cycles;  ///< by cause

  void add(const Profile::Place& place);
  [[nodiscard]] std::uint64_t total() const;
};
/// The symbol that an address belongs to, without the distance from it.
[[nodiscard]] std::string symbolOf(const Program& program, std::uint64_t address);
/// All units together, by address.
[[nodiscard]] Profile::Unit together(const Profile& profile);

}  // namespace rtvp::debug
