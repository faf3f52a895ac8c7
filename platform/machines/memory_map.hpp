// Where everything of a host computer lies: address ranges, interrupt lines and masters as data.
// The computer is built from it, `platform map` prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rtvp::platform {

/// Regions of a computer with several machines: registers
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

/// A range that a device asks for.
struct RangeNeed {
  std::string name;        ///< of the range, as the interconnect counts it
  std::uint64_t size = 0;  ///< bytes
  Region region = Region::Registers;
  std::uint64_t usual = 0;     ///< where it lies when its machine has the computer to itself
  std::string parameter = {};  ///< what a user sets to change it; empty: fixed by the machine
};

struct MapRange {
  std::string name, device;
  std::uint64_t base = 0, size = 0;
  Region region = Region::Registers;
  std::string parameter;
};
struct MapLine {
  std::size_t number = 0;
  std::string device, signal;
};
struct MapMaster {
  std::string name, device;
  unsigned dataBits = 32, addressBits = 32;
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
  /// From now on ranges of `device` begin at `base`, one after the other.
  void pin(const std::string& device, std::uint64_t base);

  /// The next line that is free, or line `wanted`. Throws InputError if there is none, or it is
  /// taken.
  std::size_t addLine(const std::string& device, std::string signal,
                      std::optional<std::size_t> wanted = std::nullopt);
  void addMaster(const std::string& device, std::string name, unsigned addressBits,
                 unsigned dataBits = 32);

  [[nodiscard]] bool shared() const { return shared_; }
  [[nodiscard]] const std::vector<MapRange>& ranges() const { return ranges_; }
  [[nodiscard]] const std::vector<MapLine>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<MapMaster>& masters() const { return masters_; }

 private:
  struct Pin {
    std::string device;
    std::uint64_t next;
  };
  [[nodiscard]] const MapRange* overlapping(std::uint64_t base, std::uint64_t size) const;
  [[nodiscard]] std::uint64_t findRoom(const std::string& device, const RangeNeed& need) const;
  void insert(const std::string& device, const RangeNeed& need, std::uint64_t base);

  bool shared_;
  std::vector<MapRange> ranges_;  ///< by base
  std::vector<MapLine> lines_;
  std::vector<MapMaster> masters_;
  std::vector<Pin> pins_;
};

}  // namespace rtvp::platform
