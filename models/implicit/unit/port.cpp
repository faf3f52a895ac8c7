// See port.hpp.
#include "models/implicit/unit/port.hpp"

#include <algorithm>
#include <cstdio>

namespace rtvp::implicit::unit {

void Port::refuse(const char* what, std::uint64_t address, std::size_t bytes) {
  char text[80];
  std::snprintf(text, sizeof text, "the bus refused to %s %zu bytes at %llXh", what, bytes,
                static_cast<unsigned long long>(address));
  throw JobFault(Fault::Bus, text, kNone, kNone, address);
}

Clock Port::occupy(Traffic traffic, std::uint64_t address, std::size_t bytes, Clock at) {
  TrafficTotals& total = totals_[static_cast<std::size_t>(traffic)];
  ++total.transfers;
  total.bytes += bytes;
  const Clock ready = std::max(at, free_);
  memory_.reached(ready);
  const Clock start = memory_.granted(address, bytes, ready);
  free_ = start + beats(bytes);
  return start;
}

Port::Grant Port::read(Traffic traffic, std::uint64_t address, std::span<std::uint8_t> bytes,
                       Clock at) {
  const Clock start = occupy(traffic, address, bytes.size(), at);
  Clock latency = 0;
  if (!memory_.read(address, bytes, start, latency)) refuse("read", address, bytes.size());
  return {start, start + beats(bytes.size()), start + latency + beats(bytes.size())};
}

Port::Grant Port::write(Traffic traffic, std::uint64_t address, std::span<const std::uint8_t> bytes,
                        Clock at) {
  const Clock start = occupy(traffic, address, bytes.size(), at);
  Clock latency = 0;
  if (!memory_.write(address, bytes, start, latency)) refuse("write", address, bytes.size());
  return {start, start + beats(bytes.size()), start + beats(bytes.size())};
}

void Region::check(std::uint64_t address, std::span<const std::uint8_t> found) const {
  const std::uint64_t from = std::max(address, first);
  const std::uint64_t to = std::min(address + found.size(), first + copy.size());
  if (from >= to) return;
  const auto mine = copy.begin() + static_cast<std::ptrdiff_t>(from - first);
  const auto theirs = found.begin() + static_cast<std::ptrdiff_t>(from - address);
  if (std::equal(mine, mine + static_cast<std::ptrdiff_t>(to - from), theirs)) return;
  throw JobFault(Fault::Changed, "memory is not what the HULL job read or wrote", object, kNone,
                 address);
}

}  // namespace rtvp::implicit::unit
