// See memory_map.hpp.
#include "platform/machines/memory_map.hpp"

#include <algorithm>
#include <bit>

#include "models/common/core/text.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

struct Bounds {
  std::uint64_t first, last;
};

Bounds boundsOf(Region region) {
  switch (region) {
    case Region::Registers:
      return {0x2100'0000, 0x3FFF'FFFF};
    case Region::Private:
      return {0x1000'0000, 0x20FF'FFFF};
    case Region::PciWindow:
      return {0x4000'0000, 0x7FFF'FFFF};
    case Region::Main:
      return {0x8000'0000, 0xDFFF'FFFF};
    case Region::PciConfig:
      return {0xE000'0000, 0xE7FF'FFFF};
    case Region::PciIo:
      return {0xE800'0000, 0xEFFF'FFFF};
    case Region::Far:
      return {std::uint64_t{1} << 32U, (std::uint64_t{1} << 40U) - 1};
  }
  return {0, 0};
}

/// Ranges lie at multiples of their size, rounded up to a power of two, or of a large page.
std::uint64_t alignmentOf(std::uint64_t size) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 28U;
  return std::min(std::bit_ceil(size), kMost);
}

}  // namespace

std::string_view nameOf(Region region) {
  switch (region) {
    case Region::Registers:
      return "registers";
    case Region::Private:
      return "private";
    case Region::PciWindow:
      return "pci_window";
    case Region::Main:
      return "main";
    case Region::PciConfig:
      return "pci_config";
    case Region::PciIo:
      return "pci_io";
    case Region::Far:
      return "far";
  }
  return {};
}

std::string MemoryMap::who(const std::string& device) const {
  const auto at = where_.find(device);
  return at == where_.end() ? device : at->second + ": " + device;
}

std::string MemoryMap::whom(const std::string& device) const {
  const auto at = where_.find(device);
  return at == where_.end() ? device : device + " (" + at->second + ")";
}

const MapRange* MemoryMap::overlapping(std::uint64_t base, std::uint64_t size) const {
  for (const MapRange& r : ranges_) {
    if (base <= r.base + (r.size - 1) && r.base <= base + (size - 1)) return &r;
  }
  return nullptr;
}

void MemoryMap::insert(const std::string& device, const RangeNeed& need, std::uint64_t base) {
  const auto after = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const MapRange& r) { return r.base > base; });
  ranges_.insert(after,
                 {need.name, device, base, need.size, need.region, need.parameter, need.latencyPs});
}

std::uint64_t MemoryMap::findRoom(const std::string& device, const RangeNeed& need) const {
  const Bounds bounds = boundsOf(need.region);
  const std::uint64_t step = alignmentOf(need.size);
  std::uint64_t base = (bounds.first + step - 1) / step * step;
  while (base <= bounds.last && need.size - 1 <= bounds.last - base) {
    const MapRange* const there = overlapping(base, need.size);
    if (there == nullptr) return base;
    base = (there->base + there->size + step - 1) / step * step;
  }
  throw InputError(who(device) + ": no room for the " + std::to_string(need.size) + " bytes of " +
                   need.name + " between " + common::hexH(bounds.first) + " and " +
                   common::hexH(bounds.last));
}

std::uint64_t MemoryMap::place(const std::string& device, const RangeNeed& need) {
  const auto pin =
      std::find_if(pins_.begin(), pins_.end(), [&](const Pin& p) { return p.device == device; });
  const bool free = overlapping(need.usual, need.size) == nullptr;
  std::uint64_t base = need.usual;
  if (pin != pins_.end() && need.region == Region::Registers) {
    base = pin->next;
    pin->next += (need.size + 0xFFF) / 0x1000 * 0x1000;
  } else if (shared_ && need.region != Region::Private && !(need.region == Region::Far && free)) {
    base = findRoom(device, need);
  }
  if (base + (need.size - 1) < base) {
    throw InputError(who(device) + ": " + need.name + " at " + common::hexH(base) +
                     " passes the last address");
  }
  if (const MapRange* const there = overlapping(base, need.size)) {
    throw InputError(who(device) + ": " + need.name + " at " + common::hexH(base) + " to " +
                     common::hexH(base + need.size - 1) + " overlaps " + there->name + " of " +
                     whom(there->device) + " at " + common::hexH(there->base) + " to " +
                     common::hexH(there->base + there->size - 1));
  }
  insert(device, need, base);
  return base;
}

void MemoryMap::pin(const std::string& device, std::uint64_t base) {
  pins_.push_back({device, base});
}

std::size_t MemoryMap::addLine(const std::string& device, std::string signal, std::string parameter,
                               std::optional<std::size_t> wanted) {
  const auto owner = [&](std::size_t number) {
    return std::find_if(lines_.begin(), lines_.end(),
                        [&](const MapLine& line) { return line.number == number; });
  };
  std::size_t number = wanted.value_or(0);
  while (!wanted && owner(number) != lines_.end()) ++number;
  if (number >= kMostLines) {
    throw InputError(who(device) + ": found interrupt line " + std::to_string(number) +
                     ", the processor has " + std::to_string(kMostLines));
  }
  if (const auto taken = owner(number); taken != lines_.end()) {
    throw InputError(who(device) + ": found interrupt line " + std::to_string(number) +
                     ", which is that of " + whom(taken->device));
  }
  lines_.push_back({number, device, std::move(signal), std::move(parameter)});
  return number;
}

}  // namespace rtvp::platform
