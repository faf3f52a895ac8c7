// See boot_image.hpp.
#include "models/c32/debug/boot_image.hpp"

#include <array>

#include "models/c32/memory_map.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::array kSources{
    BootSource{"boot1", 1, 0x001000, false}, BootSource{"boot2", 2, 0x810000, false},
    BootSource{"boot3", 4, 0x900000, false}, BootSource{"serial", 8, 0, true}};
constexpr std::array kSourcesC31{
    BootSource{"boot1", 1, 0x001000, false}, BootSource{"boot2", 2, 0x400000, false},
    BootSource{"boot3", 4, 0xFFF000, false}, BootSource{"serial", 8, 0, true}};

/// Control word of a block: value in bits 31-8, low address byte of the register in bits 7-0; 0 for
/// internal RAM. IOSTRB space is written as it is after reset: 7 wait states fit any memory.
std::uint32_t controlWord(const Section& s, std::uint32_t control, Chip chip) {
  const Place place = placeOf(chip, s.loadAddress, false);
  if (place.region == Region::InternalRam) return 0;
  if (place.region != Region::External) {
    throw BootError("section " + s.name +
                    ": found an address of the boot ROM or a reserved one, expected memory");
  }
  if (place.strobe == Strobe::IoStrb) return 0xF8u << 8 | 0x60;
  return control << 8 | (place.strobe == Strobe::Strb0 ? 0x64u : 0x68u);
}

void append(std::vector<std::uint32_t>& out, const Section& s, std::uint32_t first,
            std::uint32_t count, std::uint32_t control, Chip chip) {
  if (count == 0) return;
  const std::uint32_t word = controlWord(s, control, chip);
  out.insert(out.end(), {count, s.loadAddress + first});
  if (chip == Chip::C32) out.push_back(word);
  const auto from = s.words.begin() + static_cast<std::ptrdiff_t>(first);
  out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

const BootSource* bootSource(std::string_view name, Chip chip) {
  if (chip == Chip::C30) return nullptr;
  for (const BootSource& source : chip == Chip::C32 ? kSources : kSourcesC31) {
    if (source.name == name) return &source;
  }
  return nullptr;
}

std::vector<std::uint32_t> bootBlocks(const Image& image, std::uint32_t control, Chip chip) {
  std::vector<std::uint32_t> out;
  const Section* first = nullptr;
  std::uint32_t entry = 0;
  for (const Section& s : image.sections) {
    const std::uint32_t offset = image.entry - s.runAddress;
    if (offset >= s.words.size()) continue;
    if (s.loadAddress != s.runAddress) {
      throw BootError("section " + s.name +
                      ": found the entry in a section that runs elsewhere than"
                      " it is loaded, expected it where it is loaded");
    }
    first = &s;
    entry = offset;
    break;
  }
  if (first == nullptr) throw BootError("found no section that contains the entry");
  const auto size = static_cast<std::uint32_t>(first->words.size());
  append(out, *first, entry, size - entry, control, chip);
  append(out, *first, 0, entry, control, chip);
  for (const Section& s : image.sections) {
    if (&s != first) append(out, s, 0, static_cast<std::uint32_t>(s.words.size()), control, chip);
  }
  out.push_back(0);
  return out;
}

std::vector<std::uint32_t> bootTable(const Image& image, unsigned width, std::uint32_t control,
                                     Chip chip) {
  std::vector<std::uint32_t> out{width, 0x000000F8, control, control};
  if (chip == Chip::C31) out = {width, control & 0xFFFF};
  const std::vector<std::uint32_t> blocks = bootBlocks(image, control, chip);
  out.insert(out.end(), blocks.begin(), blocks.end());
  return out;
}

std::vector<std::uint32_t> bootLocations(const std::vector<std::uint32_t>& words, unsigned width) {
  if (width >= 32) return words;
  std::vector<std::uint32_t> out;
  for (const std::uint32_t word : words) {
    for (unsigned bit = 0; bit < 32; bit += width)
      out.push_back(word >> bit & ((1u << width) - 1u));
  }
  return out;
}

}  // namespace rtvp::c32
