#include "platform/drivers/device.hpp"

#include <cstring>
#include <stdexcept>

#include "models/common/report_ids.hpp"

namespace rtvp::host {
namespace {

/// What the last word lacks is 0.
std::vector<std::uint32_t> wordsOf(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint32_t> words((bytes.size() + 3) / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

}  // namespace

std::vector<std::uint32_t> halves(std::span<const std::uint64_t> values) {
  std::vector<std::uint32_t> words;
  words.reserve(2 * values.size());
  for (const std::uint64_t value : values) {
    const auto [low, high] = halves(value);
    words.insert(words.end(), {low, high});
  }
  return words;
}

Device::Device(HostBus& bus, const std::string& instance, const std::string& name)
    : bus_(bus), instance_(instance.empty() ? "" : instance + ": "), name_(name) {}

void Device::end(const char* id, const std::string& text) const {
  const std::string whole = instance_ + text;
  SC_REPORT_ERROR(id, whole.c_str());
  throw std::logic_error(whole);  // only if the report's action was changed not to throw
}

void Device::fail(const std::string& part, const std::string& what) const {
  end(report_ids::kDriver, part + " at " + bus_.timeText(bus_.now()) + ": " + what);
}

void Device::stalled(const std::string& why, const sc_core::sc_time& since) {
  // Looking at the device takes its time.
  const std::string text = "the host waits for " + why + " since " + bus_.timeText(since) +
                           ", now " + bus_.timeText(bus_.now()) + "; ";
  end(report_ids::kDeadlock, text + condition());
}

void Device::await(std::span<const std::size_t> lines, const sc_core::sc_time& limit,
                   const std::string& why) {
  const sc_core::sc_time since = bus_.now();
  if (!bus_.await(lines, since + limit, why)) stalled(why, since);
}

void Device::await(std::span<const std::size_t> lines, const sc_core::sc_time& limit,
                   const std::string& why, const std::function<bool()>& done,
                   const std::function<void()>& serve) {
  const sc_core::sc_time since = bus_.now();
  while (!done()) {
    if (!bus_.await(lines, since + limit, why)) stalled(why, since);
    serve();
    // An interrupt that nobody can clear must not keep the host busy for ever.
    if (!done() && bus_.now() >= since + limit) stalled(why, since);
  }
}

void Device::writeBytes(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  if (!bytes.empty()) bus_.writeBlock(address, wordsOf(bytes));
}

void Device::uploadBytes(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  if (!bytes.empty()) bus_.upload(address, wordsOf(bytes));
}

void Device::readBytes(std::uint64_t address, std::span<std::uint8_t> bytes) {
  if (bytes.empty()) return;
  std::vector<std::uint32_t> words((bytes.size() + 3) / 4);
  bus_.readBlock(address, words);
  std::memcpy(bytes.data(), words.data(), bytes.size());
}

}  // namespace rtvp::host
