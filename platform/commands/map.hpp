// `platform map`: where everything of the computer lies that the settings describe.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "platform/exit_status.hpp"
#include "platform/machines/line_up.hpp"
#include "platform/machines/memory_map.hpp"
#include "platform/options/command_line.hpp"

namespace rtvp::platform {

/// Address ranges, interrupt lines, masters, buses and PCI slots, each with the parameters that
/// change it. With a scene: of the computer that renders it; without one: with every unit beside
/// the chosen machines that some scene could need.
ExitStatus mapCommand(const CommandLine& command, const Registry& registry);

/// The same for a line-up of one's own, whose first `chosen` members the user asked for; its
/// computer is the one that this process elaborates. `scene` may be null.
void printMap(std::ostream& out, const LineUp& lineUp, std::size_t chosen,
              const scene::Scene* scene, bool json);

}  // namespace rtvp::platform
