// The machine around one hart (xphmg.md 16.2): RAM, LDS, timer and software interrupt (CLINT),
// console, `tohost`, and a window for devices. Plain C++; a SystemC shell or a tool gives it
// devices and decides how waiting passes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/common/core/zero_pages.hpp"
#include "models/xphmg/hart/elf.hpp"
#include "models/xphmg/hart/hart.hpp"

namespace rtvp::rv64 {

/// Where things lie (xphmg.md 16.2).
inline constexpr std::uint64_t kClintBase = 0x0200'0000;
inline constexpr std::uint64_t kClintSize = 0xC000;
inline constexpr std::uint64_t kLdsBase = 0x1000'0000;
inline constexpr std::uint64_t kLdsSize = 256U << 10U;
inline constexpr std::uint64_t kDeviceBase = 0x2000'0000;
inline constexpr std::uint64_t kConsoleBase = 0x2010'0000;
inline constexpr std::uint64_t kConsoleSize = 16;
inline constexpr std::uint64_t kRamBase = 0x8000'0000;

struct MachineOptions {
  HartOptions hart;
  bool obey_tohost = true;  ///< if the program has the symbol
};

/// RAM and LDS; the owner keeps the bytes.
struct MachineMemory {
  std::span<std::uint8_t> ram;  ///< at kRamBase
  std::span<std::uint8_t> lds;  ///< at kLdsBase
};

/// Zeroed bytes that cost nothing until they are touched.
class OwnedMemory {
 public:
  explicit OwnedMemory(std::uint64_t ram_bytes = std::uint64_t{128} << 20U);
  [[nodiscard]] MachineMemory memory();

 private:
  std::uint64_t ram_bytes_;
  common::ZeroPages ram_;
  std::vector<std::uint8_t> lds_;
};

/// What the program prints to and reads from.
class Console {
 public:
  virtual ~Console() = default;
  virtual void write(std::span<const std::uint8_t> bytes, bool error_stream) = 0;
  /// The next byte of the input, or -1 at its end.
  virtual int read() = 0;
};

/// Whatever answers at kDeviceBase up to kConsoleBase; an address it does not know is a fault.
class DeviceWindow {
 public:
  virtual ~DeviceWindow() = default;
  virtual bool read(std::uint64_t address, std::span<std::uint8_t> data, std::uint64_t& delay) = 0;
  virtual bool write(std::uint64_t address, std::span<const std::uint8_t> data,
                     std::uint64_t& delay) = 0;
};

/// How a run ended.
struct Outcome {
  enum class Kind : std::uint8_t {
    Exit,       ///< the program said so; `code` is its exit code
    Limit,      ///< the given number of instructions has retired
    NoHandler,  ///< a trap while mtvec is 0
    DoubleTrap,
    Breakpoint,
    Waiting,  ///< WFI: only a device, or time that the owner lets pass, can end it
    Blocked,  ///< a vendor instruction waits for a device
    Yield,    ///< somebody asked the hart to stop here, or its cycle limit is reached
  };
  Kind kind = Kind::Exit;
  std::uint64_t code = 0;
};

class Machine final : private Bus, private Hart::WriteWatch {
 public:
  Machine(const MachineOptions& options, MachineMemory memory, Console& console);

  /// Loads an executable and resets the hart to its entry. Throws ElfError if a segment lies
  /// outside RAM and LDS.
  void load(const ElfImage& image);
  void setDevices(DeviceWindow* devices) { devices_ = devices; }

  /// Runs until the outcome is known. Without devices WFI lets time jump to the timer's interrupt.
  [[nodiscard]] Outcome run(std::uint64_t instructions);

  /// For checkpoints: hart and devices, without RAM and LDS.
  void state(common::StateArchive& a);

  [[nodiscard]] Hart& hart() { return hart_; }
  [[nodiscard]] const Hart& hart() const { return hart_; }

 private:
  bool read(std::uint64_t address, std::span<std::uint8_t> data, std::uint64_t& delay) override;
  bool write(std::uint64_t address, std::span<const std::uint8_t> data,
             std::uint64_t& delay) override;
  void written(std::uint64_t address, unsigned size) override;
  bool readClint(std::uint64_t offset, std::span<std::uint8_t> data);
  bool writeClint(std::uint64_t offset, std::span<const std::uint8_t> data);
  [[nodiscard]] std::optional<std::uint64_t> clintRegister(std::uint64_t offset) const;
  bool writeConsole(std::uint64_t offset, std::span<const std::uint8_t> data);
  void hostCommand(std::uint64_t command);
  void hostCall(std::uint64_t block);
  [[nodiscard]] std::uint64_t peek64(std::uint64_t address) const;
  void poke64(std::uint64_t address, std::uint64_t value);
  void exitWith(std::uint64_t code);

  MachineOptions options_;
  MachineMemory memory_;
  Console& console_;
  DeviceWindow* devices_ = nullptr;
  Hart hart_;
  bool msip_ = false;
  std::optional<std::uint64_t> tohost_;
  std::optional<std::uint64_t> fromhost_;
  std::optional<std::uint64_t> exit_code_;
};

}  // namespace rtvp::rv64
