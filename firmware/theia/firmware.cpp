#include "firmware/theia/firmware.hpp"

namespace rtvp::theia {

// Defined by the generated sources, one per .tasm file.
struct RomRow {
  std::uint16_t row;
  std::uint64_t word;
};
struct RomImage {
  std::span<const RomRow> rows;
  std::array<std::uint16_t, kEntries> table;
};
extern const RomImage kDefaultImage, kBilinearImage, kImprovedImage, kHitsImage;

Rom microcodeRom(bool fixed_bilinear) {
  Rom rom;
  const auto load = [&rom](const RomImage& image) {
    for (const RomRow& row : image.rows) rom.set(row.row, {row.word});
  };
  load(kDefaultImage);
  if (fixed_bilinear) load(kBilinearImage);
  return rom;
}

std::span<const Microcode> microcodeSets() {
  static const std::array<Microcode, 1> sets{{
      {"default", "the original's routines, exact to its words and clocks", kDefaultImage.table},
  }};
  return sets;
}

const Microcode* findMicrocode(std::string_view name) {
  for (const Microcode& set : microcodeSets()) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

}  // namespace rtvp::theia
