// Parameters of what the host's own work costs (platform/machines/processor.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "models/common/param.hpp"
#include "platform/raytree/host_work.hpp"

namespace rtvp::platform {

enum class ProcessorProfileName : std::uint8_t { None, Pentium133, Modern };

struct ProcessorOptions {
  ProcessorProfileName profile = ProcessorProfileName::None;
  double clockHz = 0;        ///< 0: the profile's
  unsigned uploadWidth = 8;  ///< bytes a clock of the interconnect; 0: any number
  /// Nanoseconds of one piece of each kind of work; below 0: the profile's.
  std::array<double, host::kWorkKinds> ns = [] {
    std::array<double, host::kWorkKinds> all{};
    all.fill(-1);
    return all;
  }();
};

inline constexpr std::array kProcessorProfileNames{
    common::Named<ProcessorProfileName>{"none", ProcessorProfileName::None},
    common::Named<ProcessorProfileName>{"pentium133", ProcessorProfileName::Pentium133},
    common::Named<ProcessorProfileName>{"modern", ProcessorProfileName::Modern},
};

inline constexpr std::array kProcessorParams{
    common::choice<kProcessorProfileNames, &ProcessorOptions::profile>(
        "processor.profile",
        "what the host's own work (rays, shading, databases, copies) costs in simulated time; none "
        "= nothing (docs/processor.md)"),
    common::param<&ProcessorOptions::clockHz>(
        "processor.clock_hz", "Hz", {0, 1e11},
        "clock of the host's processor; 0 = as the profile says"),
    common::param<&ProcessorOptions::uploadWidth>(
        "processor.upload_width", "bytes", {0, 4096},
        "bytes that the processor writes in a clock of the interconnect (bus.clock_hz) while it "
        "puts a scene into "
        "memory that a machine reads (XPHMG_RT, implicit unit, shading unit); 0 = any number, in "
        "no time; TigerSHARK "
        "is loaded over PCI and THEIA by its port, which have clocks of their own"),
};

namespace detail {

/// Texts put together by the compiler: "processor.KEY_ns", "...; -1 = as the profile says".
struct WorkText {
  std::array<char, 128> characters{};
  std::size_t length = 0;
  constexpr void append(std::string_view text) {
    for (const char c : text) characters[length++] = c;
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters.data(), length}; }
};
struct WorkTexts {
  WorkText key, help;
};
inline constexpr std::array<WorkTexts, host::kWorkKinds> kWorkTexts = [] {
  std::array<WorkTexts, host::kWorkKinds> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].key.append("processor.");
    all[i].key.append(host::kWorkInfo[i].key);
    all[i].key.append("_ns");
    all[i].help.append(host::kWorkInfo[i].help);
    all[i].help.append("; -1 = as the profile says");
  }
  return all;
}();

template <std::size_t kKind>
constexpr common::Param workParam() {
  return common::param<&ProcessorOptions::ns, common::Element<kKind>{}>(
      kWorkTexts[kKind].key.view(), "ns", {-1, 1e9}, kWorkTexts[kKind].help.view());
}

}  // namespace detail

/// One a kind of the processor's own work.
inline constexpr std::array<common::Param, host::kWorkKinds> kWorkParams =
    []<std::size_t... kKind>(std::index_sequence<kKind...>) {
  return std::array{detail::workParam<kKind>()...};
}
(std::make_index_sequence<host::kWorkKinds>());

}  // namespace rtvp::platform
