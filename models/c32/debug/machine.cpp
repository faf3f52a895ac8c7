// See machine.hpp.
#include "models/c32/debug/machine.hpp"

#include <algorithm>
#include <cstdio>

#include "models/c32/float40.hpp"
#include "models/c32/memory_map.hpp"

namespace rtvp::c32 {

SparseMemory::Page& SparseMemory::page(std::uint32_t address) {
  auto& slot = pages_[(address & kAddressMask) >> kPageBits];
  if (!slot) slot = std::make_unique<Page>();
  return *slot;
}

std::uint32_t SparseMemory::read(std::uint32_t address) const {
  const auto& slot = pages_[(address & kAddressMask) >> kPageBits];
  return slot ? slot->words[address % kPageWords] : 0;
}

void SparseMemory::write(std::uint32_t address, std::uint32_t word) {
  Page& p = page(address);
  p.words[address % kPageWords] = word;
  p.known.set(address % kPageWords);
}

bool SparseMemory::known(std::uint32_t address) const {
  const auto& slot = pages_[(address & kAddressMask) >> kPageBits];
  return slot && slot->known.test(address % kPageWords);
}

void SparseMemory::markKnown(std::uint32_t address) {
  page(address).known.set(address % kPageWords);
}

Machine::Machine(const CpuConfig& config, const MachineOptions& options)
    : options_(options), cpu_(config, *this) {}

void Machine::load(const Image& image) {
  for (const Section& s : image.sections) {
    for (std::size_t i = 0; i < s.words.size(); ++i)
      poke(s.loadAddress + static_cast<std::uint32_t>(i), s.words[i]);
  }
  if (options_.wait && !cpu_.config().flatMemory) {
    // SWW = 01 (internal counter), WTCNT, 32-bit data in 32-bit memory (c32.md 8.4).
    const std::uint32_t control = 0x000F0008u | (*options_.wait & 7u) << 5;
    for (const std::uint32_t address : {0x808060u, 0x808064u, 0x808068u})
      cpu_.poke(address, control);
  }
  cpu_.setPc(image.entry);
}

std::uint32_t Machine::peek(std::uint32_t address) const {
  address &= kAddressMask;
  if (const auto inside = cpu_.peek(address)) return *inside;
  if (address >= device::kFirst && address <= device::kLast) return 0;
  return memory_.known(address) ? memory_.read(address) : options_.fill;
}

void Machine::poke(std::uint32_t address, std::uint32_t word) {
  address &= kAddressMask;
  if (cpu_.poke(address, word)) {
    memory_.markKnown(address);
  } else {
    memory_.write(address, word);
  }
}

bool Machine::isPlainMemory(std::uint32_t address) const {
  if (address >= device::kFirst && address <= device::kLast) return false;
  if (cpu_.config().flatMemory) return true;
  const Region region = placeOf(address & kAddressMask, cpu_.config().microprocessorMode).region;
  return region == Region::InternalRam || region == Region::External;
}

void Machine::print(const std::string& text) const {
  if (!output) return;
  for (const char c : text) output(c);
}

BusReply Machine::deviceAccess(const BusRequest& request, BusReply reply) {
  if (request.op == BusOp::Write) {
    char text[32];
    const auto word = static_cast<std::int32_t>(request.data);
    switch (request.address) {
      case device::kConsoleOut:
        print(std::string(1, static_cast<char>(request.data & 0xFF)));
        break;
      case device::kExit:
        // The store never completes: the program ends in front of it.
        exit_ = request.data;
        reply.status = BusReply::Status::Error;
        break;
      case device::kPrintSigned:
        print(std::to_string(word));
        break;
      case device::kPrintHex:
        std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(request.data));
        print(text);
        break;
      case device::kPrintFloat:
        std::snprintf(text, sizeof text, "%.9g", doubleFromSingle(request.data));
        print(text);
        break;
      default:
        reply.status = BusReply::Status::Error;
    }
    return reply;
  }
  if (request.address == device::kConsoleIn) {
    reply.data = static_cast<std::uint32_t>(input ? input() : -1);
  } else if (request.address == device::kCycles) {
    reply.data = static_cast<std::uint32_t>(request.cycle);
  } else {
    reply.status = BusReply::Status::Error;
  }
  return reply;
}

BusReply Machine::busAccess(const BusRequest& request) {
  BusReply reply;
  reply.start = request.cycle;
  const std::uint32_t address = request.address;
  if (address >= device::kFirst && address <= device::kLast) return deviceAccess(request, reply);
  const bool exists = options_.ram.empty() ||
                      std::any_of(options_.ram.begin(), options_.ram.end(),
                                  [&](const AddressRange& r) { return r.contains(address); });
  if (!exists) {
    reply.status = BusReply::Status::Error;
  } else if (request.op == BusOp::Write) {
    memory_.write(address, request.data);
  } else {
    reply.data = memory_.known(address) ? memory_.read(address) : options_.fill;
  }
  return reply;
}

void Machine::pinsDriven(Drive xf0, Drive xf1, Cycle /*cycle*/) {
  xf0_ = xf0;
  xf1_ = xf1;
}

PinReply Machine::pinsSampled(Cycle /*cycle*/) {
  const bool xf0 = xf0_ != Drive::Low;
  const bool xf1 = xf1_ == Drive::Released ? !options_.xf1Acknowledges || xf0 : xf1_ == Drive::High;
  return {true, xf0, xf1};
}

void Machine::serialTransmitted(std::uint32_t /*word*/, int /*bits*/, Cycle /*arrival*/) {}

}  // namespace rtvp::c32
