// What every device driver does in the same way: registers by name, areas of memory, words out of
// bytes and addresses, sleeping for a line, and reports that name the device.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "platform/drivers/host_process.hpp"

namespace rtvp::host {

/// A line a step of a driver, for --verbose; empty: silent.
using DriverLog = std::function<void(const std::string&)>;

/// Areas of memory one after the other, each at a multiple of `alignment` from the first. With base
/// 0 and used() it says how much memory a layout takes.
class Arena {
 public:
  Arena(std::uint64_t base, std::uint64_t alignment) : base_(base), alignment_(alignment) {}

  /// Address of the next area, which has `bytes`.
  std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t address = next();
    used_ += (bytes + alignment_ - 1) / alignment_ * alignment_;
    return address;
  }
  /// Where the next area begins.
  [[nodiscard]] std::uint64_t next() const { return base_ + used_; }
  [[nodiscard]] std::uint64_t used() const { return used_; }

 private:
  std::uint64_t base_;
  std::uint64_t alignment_;
  std::uint64_t used_ = 0;
};

/// Low half first, as everything of 64 bits lies in registers and memory.
[[nodiscard]] constexpr std::array<std::uint32_t, 2> halves(std::uint64_t value) {
  return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32U)};
}
[[nodiscard]] std::vector<std::uint32_t> halves(std::span<const std::uint64_t> values);

/// A device's registers on the bus. `Register` says where one lies (offset()) and is resolved by
/// the compiler from its name, see common::RegisterName.
template <typename Register>
class RegisterBlock {
 public:
  RegisterBlock(HostBus& bus, std::uint64_t base) : bus_(&bus), base_(base) {}

  [[nodiscard]] std::uint64_t base() const { return base_; }
  [[nodiscard]] std::uint64_t addressOf(Register reg) const { return base_ + reg.offset(); }
  [[nodiscard]] std::uint32_t read(Register reg) const { return bus_->read32(addressOf(reg)); }
  void write(Register reg, std::uint32_t value) const { bus_->write32(addressOf(reg), value); }
  /// A register of 64 bits, or two neighbours, in one access.
  [[nodiscard]] std::uint64_t readWide(Register reg) const {
    std::array<std::uint32_t, 2> words{};
    bus_->readBlock(addressOf(reg), words);
    return words[0] | std::uint64_t{words[1]} << 32U;
  }
  void writeWide(Register reg, std::uint64_t value) const {
    bus_->writeBlock(addressOf(reg), halves(value));
  }
  /// Two neighbours by the name of the low one, in two accesses.
  void writePair(Register low, std::uint64_t value) const {
    const auto [first, second] = halves(value);
    bus_->write32(addressOf(low), first);
    bus_->write32(addressOf(low) + 4, second);
  }

 private:
  HostBus* bus_;
  std::uint64_t base_;
};

/// The base of a driver.
class Device {
 public:
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

 protected:
  /// Keeps a reference to `bus`. `name`: the device's in reports; `instance`: which of several
  /// machines of the computer it belongs to, empty if there is one.
  Device(HostBus& bus, const std::string& instance, const std::string& name);
  ~Device() = default;

  /// Reports kDriver, which ends the run: the device, the time and `what` is wrong with it. `part`:
  /// of a driver for several, which.
  [[noreturn]] void fail(const std::string& what) const { fail(name_, what); }
  [[noreturn]] void fail(const std::string& part, const std::string& what) const;
  /// Ends the run by any other report (models/common/report_ids.hpp).
  [[noreturn]] void end(const char* id, const std::string& text) const;

  /// Sleeps until one of `lines` is asserted. A deadlock report, with what condition() says, if
  /// none is within `limit`; `why`: what is waited for.
  void await(std::span<const std::size_t> lines, const sc_core::sc_time& limit,
             const std::string& why);
  /// Sleeps until `done` holds, calling `serve` after each interrupt. The same report if it does
  /// not hold within `limit`.
  void await(std::span<const std::size_t> lines, const sc_core::sc_time& limit,
             const std::string& why, const std::function<bool()>& done,
             const std::function<void()>& serve);
  /// What the device looks like, for a deadlock report.
  [[nodiscard]] virtual std::string condition() { return name_; }

  /// Bytes from and to memory, as words; what the last one lacks is 0.
  void writeBytes(std::uint64_t address, std::span<const std::uint8_t> bytes);
  /// The same for a scene's data, see HostBus::upload().
  void uploadBytes(std::uint64_t address, std::span<const std::uint8_t> bytes);
  void readBytes(std::uint64_t address, std::span<std::uint8_t> bytes);

  HostBus& bus_;

 private:
  [[noreturn]] void stalled(const std::string& why, const sc_core::sc_time& since);

  std::string instance_;  ///< empty, or with what separates it from the rest
  std::string name_;
};

}  // namespace rtvp::host
