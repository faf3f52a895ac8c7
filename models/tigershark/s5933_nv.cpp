// Boot-memory images, see s5933_nv.hpp.
#include "models/tigershark/s5933_nv.hpp"

#include <bit>
#include <stdexcept>
#include <string>

namespace rtvp::tigershark::s5933 {
namespace {

void put(std::vector<std::uint8_t>& image, std::size_t at, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    image[at + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint32_t definition(const NvRegion& region) {
  if (region.bytes == 0) return 0;
  const std::uint32_t least = region.io ? 4 : 16;
  const std::uint32_t most = region.io ? 256 : 512U << 20;
  if (!std::has_single_bit(region.bytes) || region.bytes < least || region.bytes > most) {
    throw std::invalid_argument("pass-thru region of " + std::to_string(region.bytes) +
                                " bytes; accepted: powers of two, " + std::to_string(least) +
                                " .. " + std::to_string(most));
  }
  std::uint32_t width = 0;
  switch (region.bus_width) {
    case 8:
      width = 1;
      break;
    case 16:
      width = 2;
      break;
    case 32:
      width = 3;
      break;
    default:
      throw std::invalid_argument("pass-thru bus width " + std::to_string(region.bus_width) +
                                  "; accepted: 8, 16, 32");
  }
  const std::uint32_t mask = ~(region.bytes - 1);
  return (mask & 0x3FFFFFFF) | width << 30 | (region.io ? 1U : 0U);
}

}  // namespace

std::vector<std::uint8_t> makeNvImage(const NvConfig& config) {
  std::vector<std::uint8_t> image(kNvBytes, 0);
  put(image, 0x40, config.vendor, 2);
  put(image, 0x42, config.device, 2);
  image[0x45] = config.counts_on_pci ? 0x80 : 0x00;
  image[0x48] = config.revision;
  put(image, 0x49, config.class_code, 3);
  image[0x4D] = config.latency_timer;
  image[0x4F] = config.self_test ? 0x80 : 0x00;
  put(image, 0x50, 0x10E8FFC0U | (config.registers_in_memory ? 0U : 1U), 4);
  for (std::size_t i = 0; i < config.regions.size(); ++i) {
    put(image, 0x54 + 4 * i, definition(config.regions[i]), 4);
  }
  image[0x7C] = config.interrupt_line;
  image[0x7D] = config.interrupt_pin;
  image[0x7E] = config.min_grant;
  image[0x7F] = config.max_latency;
  return image;
}

std::vector<std::uint8_t> makeBoardNvImage(std::uint32_t sram_bytes) {
  if (sram_bytes > 512U << 20) throw std::invalid_argument("SRAM window above 512 MiB");
  NvConfig config;
  config.regions[0].bytes = std::bit_ceil(sram_bytes < 16 ? 16U : sram_bytes);
  config.regions[1].bytes = 4096;
  return makeNvImage(config);
}

}  // namespace rtvp::tigershark::s5933
