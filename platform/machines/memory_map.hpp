// Where everything of a host computer lies: address ranges, interrupt lines and masters as data.
// The computer is built from it, `platform map` prints it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rtvp::platform {

/// Regions of a computer with several machines (docs/map.md has the reasons): registers
/// and private pages below 4000_0000h, PCI windows from there to 7FFF_FFFFh, main memory from
/// 8000_0000h on, configuration and I/O above E000_0000h, large memories of units beyond 32 bits.
enum class Region : std::uint8_t {
  Registers,
  Private,  ///< pages that a processor's programs are linked for: fixed addresses
  PciWindow,
  Main,
  PciConfig,
  PciIo,
  Far,  ///< registers and memories beyond 4 GiB
};

/// One word, as `platform map` writes it.
[[nodiscard]] std::string_view nameOf(Region region);

/// A range that a device asks for.
struct RangeNeed {
  std::string name;        ///< of the range, as the interconnect counts it
  std::uint64_t size = 0;  ///< bytes
  Region region = Region::Registers;
  std::uint64_t usual = 0;  ///< where it lies when its machine has the computer to itself
  /// What a user sets to change it; empty: fixed by the machine. Several are separated by blanks.
  std::string parameter = {};
  std::uint64_t latencyPs = 0;  ///< what the target adds to an access of its own
};

struct MapRange {
  std::string name, device;
  std::uint64_t base = 0, size = 0;
  Region region = Region::Registers;
  std::string parameter;
  std::uint64_t latencyPs = 0;
  /// The last byte.
  [[nodiscard]] std::uint64_t end() const { return base + (size - 1); }
};
struct MapLine {
  std::size_t number = 0;
  std::string device, signal, parameter;
};
struct MapMaster {
  std::string name, device, parameter;
  unsigned dataBits = 32, addressBits = 32;
};
/// What masters and targets hang off.
struct MapBus {
  std::string name, parameter;
  unsigned dataBits = 32, addressBits = 32;
  std::uint64_t periodPs = 0;   ///< of its clock; 0: it has none
  std::uint64_t latencyPs = 0;  ///< added to each transaction
};
/// A place on the PCI bus. Boards' windows are put into the PCI range by their driver.
struct MapSlot {
  std::size_t number = 0;
  std::string device, parameter;
  std::uint64_t configBase = 0;  ///< of its configuration registers
};

class MemoryMap {
 public:
  /// At most this many interrupt lines; one a device that interrupts.
  static constexpr std::size_t kMostLines = 128;

  /// `shared`: more than one machine; ranges then go where their region has room.
  explicit MemoryMap(bool shared) : shared_(shared) {}

  /// Finds a place for a range of `device`. A machine alone gets the usual one. `wanted`: what a
  /// computer file asks for. Throws InputError if there is no room or something lies there.
  std::uint64_t place(const std::string& device, const RangeNeed& need);
  /// `device` is described at `where` (file and line): messages about it begin with that.
  void describe(const std::string& device, const std::string& where) { where_[device] = where; }
  /// From now on ranges of `device` begin at `base`, one after the other.
  void pin(const std::string& device, std::uint64_t base);

  /// The next line that is free, or line `wanted`. Throws InputError if there is none, or it is
  /// taken.
  std::size_t addLine(const std::string& device, std::string signal, std::string parameter = {},
                      std::optional<std::size_t> wanted = std::nullopt);
  void addMaster(MapMaster master) { masters_.push_back(std::move(master)); }
  void addBus(MapBus bus) { buses_.push_back(std::move(bus)); }
  void addSlot(MapSlot slot) { slots_.push_back(std::move(slot)); }

  [[nodiscard]] bool shared() const { return shared_; }
  [[nodiscard]] const std::vector<MapRange>& ranges() const { return ranges_; }
  [[nodiscard]] const std::vector<MapLine>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<MapMaster>& masters() const { return masters_; }
  [[nodiscard]] const std::vector<MapBus>& buses() const { return buses_; }
  [[nodiscard]] const std::vector<MapSlot>& slots() const { return slots_; }

 private:
  struct Pin {
    std::string device;
    std::uint64_t next;
  };
  /// The device as messages begin with it: after its file and line, if it has any.
  [[nodiscard]] std::string who(const std::string& device) const;
  /// The same within a message.
  [[nodiscard]] std::string whom(const std::string& device) const;
  [[nodiscard]] const MapRange* overlapping(std::uint64_t base, std::uint64_t size) const;
  [[nodiscard]] std::uint64_t findRoom(const std::string& device, const RangeNeed& need) const;
  void insert(const std::string& device, const RangeNeed& need, std::uint64_t base);

  bool shared_;
  std::vector<MapRange> ranges_;  ///< by base
  std::vector<MapLine> lines_;
  std::vector<MapMaster> masters_;
  std::vector<MapBus> buses_;
  std::vector<MapSlot> slots_;
  std::vector<Pin> pins_;
  std::map<std::string, std::string> where_;  ///< by device
};

}  // namespace rtvp::platform
