// What a user may set of the PCI bus.
#pragma once

#include <array>

#include "models/common/param_time.hpp"
#include "models/common/pci_bus.hpp"

namespace rtvp::common {

inline constexpr std::array kPciParams{
    clockParam<&PciTiming::period>("pci.clock_hz", {1e6, 1e8}, "bus clock"),
    param<&PciTiming::arbitration_idle>("pci.arbitration_idle", "clocks", {0, 64},
                                        "REQ# to the address phase on an idle bus"),
    param<&PciTiming::arbitration_busy>("pci.arbitration_busy", "clocks", {0, 64},
                                        "the same when GNT# was hidden behind other traffic"),
    param<&PciTiming::devsel>("pci.devsel", "clocks", {1, 3}, "DEVSEL#: 1 fast, 2 medium, 3 slow"),
    param<&PciTiming::read_turnaround>("pci.read_turnaround", "clocks", {0, 64},
                                       "between address and data of a read"),
    param<&PciTiming::idle>("pci.idle", "clocks", {0, 64}, "turnaround between transactions"),
    param<&PciTiming::host_burst_words>("pci.host_burst_words", "words", {0, 1024},
                                        "longest burst of the host; 0 = no limit"),
    param<&PciTiming::memory_first_wait>("pci.memory_first_wait", "clocks", {0, 64},
                                         "wait states of main memory's first data phase"),
    param<&PciTiming::memory_next_wait>("pci.memory_next_wait", "clocks", {0, 64},
                                        "wait states of each later one"),
    param<&PciTiming::memory_disconnect_words>("pci.memory_disconnect_words", "words", {0, 1024},
                                               "main memory cuts a burst after so many; 0 = never"),
};

}  // namespace rtvp::common
