#include "models/xphmg/hart/machine.hpp"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <sstream>

#include "models/common/core/text.hpp"

namespace rtvp::rv64 {
namespace {

constexpr std::uint64_t kMsip = 0;
constexpr std::uint64_t kMtimecmp = 0x4000;
constexpr std::uint64_t kMtime = 0xBFF8;
constexpr std::uint64_t kConsoleData = 0;
constexpr std::uint64_t kConsoleExit = 8;

// System calls of the `tohost` convention (xphmg.md D-57).
constexpr std::uint64_t kCallWrite = 64;
constexpr std::uint64_t kCallExit = 93;
constexpr std::uint64_t kNotImplemented = ~std::uint64_t{0} - 37;  // -38, ENOSYS
constexpr std::uint64_t kFault = ~std::uint64_t{0} - 13;           // -14, EFAULT

std::uint64_t littleEndian(std::span<const std::uint8_t> data) {
  std::uint64_t value = 0;
  for (std::size_t i = data.size(); i-- > 0;) value = (value << 8U) | data[i];
  return value;
}

void toLittleEndian(std::uint64_t value, std::span<std::uint8_t> data) {
  for (std::uint8_t& byte : data) {
    byte = static_cast<std::uint8_t>(value);
    value >>= 8U;
  }
}

}  // namespace

OwnedMemory::OwnedMemory(std::uint64_t ram_bytes)
    : ram_bytes_(ram_bytes), ram_(ram_bytes), lds_(kLdsSize) {}

MachineMemory OwnedMemory::memory() {
  return {{ram_.get(), ram_bytes_}, lds_};
}

Machine::Machine(const MachineOptions& options, MachineMemory memory, Console& console)
    : options_(options), memory_(memory), console_(console), hart_(*this, options.hart) {
  hart_.addRam(kRamBase, memory_.ram);
  hart_.addRam(kLdsBase, memory_.lds);
}

void Machine::load(const ElfImage& image) {
  for (const ElfSegment& segment : image.segments) {
    const bool loaded =
        hart_.fill(segment.address, segment.size) && hart_.poke(segment.address, segment.bytes);
    if (!loaded) {
      throw ElfError("segment at " + common::hex0x(segment.address) + ", " +
                     std::to_string(segment.size) + " bytes, lies outside RAM (" +
                     common::hex0x(kRamBase) + ", " + std::to_string(memory_.ram.size()) +
                     " bytes) and LDS (" + common::hex0x(kLdsBase) + ", " +
                     std::to_string(memory_.lds.size()) + " bytes)");
    }
  }
  hart_.reset(image.entry);
  const ElfSymbol* tohost = options_.obey_tohost ? image.find("tohost") : nullptr;
  if (tohost == nullptr) return;
  std::array<std::uint8_t, 8> probe{};
  if (tohost->value % 8 != 0 || !hart_.peek(tohost->value, probe)) {
    throw ElfError("tohost at " + common::hex0x(tohost->value) +
                   " is not 8 aligned bytes of RAM or LDS");
  }
  tohost_ = tohost->value;
  hart_.watchWrites(tohost->value, 8, this);
  if (const ElfSymbol* fromhost = image.find("fromhost")) fromhost_ = fromhost->value;
}

Outcome Machine::run(std::uint64_t instructions) {
  const std::uint64_t end = hart_.instructionsRetired() + instructions;
  while (true) {
    const Stop stop = hart_.run(end - hart_.instructionsRetired());
    if (exit_code_) return {Outcome::Kind::Exit, *exit_code_};
    switch (stop) {
      case Stop::Budget:
        return {Outcome::Kind::Limit, 0};
      case Stop::NoHandler:
        return {Outcome::Kind::NoHandler, 0};
      case Stop::DoubleTrap:
        return {Outcome::Kind::DoubleTrap, 0};
      case Stop::Breakpoint:
        return {Outcome::Kind::Breakpoint, 0};
      case Stop::Blocked:
        return {Outcome::Kind::Blocked, 0};
      case Stop::CycleLimit:
      case Stop::Requested:
        return {Outcome::Kind::Yield, 0};
      case Stop::WaitInterrupt:
        break;
    }
    const std::optional<std::uint64_t> timer = hart_.cyclesToTimer();
    if (devices_ != nullptr || !timer) return {Outcome::Kind::Waiting, 0};
    hart_.addStall(*timer, Spent::Idle);
    if (!hart_.interruptPending()) return {Outcome::Kind::Waiting, 0};
  }
}

// --- the bus

bool Machine::read(std::uint64_t address, std::span<std::uint8_t> data, std::uint64_t& delay) {
  if (address - kClintBase < kClintSize) return readClint(address - kClintBase, data);
  if (address - kConsoleBase < kConsoleSize) {
    const std::uint64_t offset = address - kConsoleBase;
    if (offset != kConsoleData && offset != kConsoleExit) return false;
    const int byte = offset == kConsoleData ? console_.read() : 0;
    toLittleEndian(static_cast<std::uint64_t>(std::int64_t{byte}), data);
    return true;
  }
  const bool device = address >= kDeviceBase && address < kConsoleBase;
  return device && devices_ != nullptr && devices_->read(address, data, delay);
}

bool Machine::write(std::uint64_t address, std::span<const std::uint8_t> data,
                    std::uint64_t& delay) {
  if (address - kClintBase < kClintSize) return writeClint(address - kClintBase, data);
  if (address - kConsoleBase < kConsoleSize) return writeConsole(address - kConsoleBase, data);
  const bool device = address >= kDeviceBase && address < kConsoleBase;
  return device && devices_ != nullptr && devices_->write(address, data, delay);
}

/// The 8-byte register that holds byte `offset`; msip is 4 bytes, its upper half reads 0.
std::optional<std::uint64_t> Machine::clintRegister(std::uint64_t offset) const {
  switch (offset & ~std::uint64_t{7}) {
    case kMsip:
      return std::uint64_t{msip_};
    case kMtimecmp:
      return hart_.mtimecmp();
    case kMtime:
      return hart_.mtime();
    default:
      return std::nullopt;
  }
}

/// Aligned accesses of 4 or 8 bytes.
bool Machine::readClint(std::uint64_t offset, std::span<std::uint8_t> data) {
  const std::optional<std::uint64_t> value = clintRegister(offset);
  if (!value || data.size() < 4 || offset % data.size() != 0) return false;
  toLittleEndian(*value >> (8 * (offset % 8)), data);
  return true;
}

bool Machine::writeClint(std::uint64_t offset, std::span<const std::uint8_t> data) {
  const std::optional<std::uint64_t> old = clintRegister(offset);
  if (!old || data.size() < 4 || offset % data.size() != 0) return false;
  std::array<std::uint8_t, 8> bytes{};
  toLittleEndian(*old, bytes);
  std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset % 8));
  const std::uint64_t value = littleEndian(bytes);
  switch (offset & ~std::uint64_t{7}) {
    case kMsip:
      msip_ = (value & 1U) != 0;
      hart_.setInterrupt(Interrupt::Software, msip_);
      break;
    case kMtimecmp:
      hart_.setMtimecmp(value);
      break;
    default:
      hart_.setMtime(value);
      break;
  }
  return true;
}

bool Machine::writeConsole(std::uint64_t offset, std::span<const std::uint8_t> data) {
  if (offset == kConsoleData) {
    console_.write(data.first(1), false);
    return true;
  }
  if (offset != kConsoleExit) return false;
  exitWith(littleEndian(data));
  return true;
}

void Machine::exitWith(std::uint64_t code) {
  exit_code_ = code;
  hart_.requestStop();
}

// --- tohost (xphmg.md D-57)

std::uint64_t Machine::peek64(std::uint64_t address) const {
  std::array<std::uint8_t, 8> bytes{};
  return hart_.peek(address, bytes) ? littleEndian(bytes) : 0;
}

void Machine::poke64(std::uint64_t address, std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes{};
  toLittleEndian(value, bytes);
  hart_.poke(address, bytes);
}

void Machine::written(std::uint64_t address, unsigned size) {
  if (address != *tohost_ || size < 4) return;
  std::array<std::uint8_t, 8> bytes{};
  if (!hart_.peek(address, std::span(bytes).first(size))) return;
  const std::uint64_t value = littleEndian(bytes);
  if ((value & 1U) != 0) {
    exitWith(value >> 1U);
  } else if (size == 8 && value != 0) {
    hostCommand(value);
  }
}

void Machine::hostCommand(std::uint64_t command) {
  if ((command >> 56U) == 1 && ((command >> 48U) & 0xFFU) == 1) {
    const std::array<std::uint8_t, 1> byte{static_cast<std::uint8_t>(command)};
    console_.write(byte, false);
    poke64(*tohost_, 0);
  } else if (command < (std::uint64_t{1} << 48U)) {
    hostCall(command);
  }
}

/// A system call: eight words {number, a0 ...} at `block`; the result replaces the number.
void Machine::hostCall(std::uint64_t block) {
  const std::uint64_t number = peek64(block);
  std::uint64_t result = kNotImplemented;
  if (number == kCallExit) {
    exitWith(peek64(block + 8));
    result = 0;
  } else if (number == kCallWrite) {
    const std::uint64_t stream = peek64(block + 8);
    const std::uint64_t length = peek64(block + 24);
    result = kFault;
    if ((stream == 1 || stream == 2) && length <= memory_.ram.size()) {
      std::vector<std::uint8_t> text(static_cast<std::size_t>(length));
      if (hart_.peek(peek64(block + 16), text)) {
        console_.write(text, stream == 2);
        result = length;
      }
    }
  }
  poke64(block, result);
  poke64(*tohost_, 0);
  if (fromhost_) poke64(*fromhost_, 1);
}

}  // namespace rtvp::rv64
