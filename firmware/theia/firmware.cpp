#include "firmware/theia/firmware.hpp"

#include "firmware/theia/rom_image.hpp"

namespace rtvp::theia {

// Defined by the generated sources, one per .tasm file.
extern const RomImage kDefaultImage, kBilinearImage, kHitsImage, kImprovedImage, kTexturedImage,
    kRaysImage;

Rom microcodeRom(bool fixed_bilinear) {
  Rom rom;
  const auto load = [&rom](const RomImage& image) {
    for (const RomRow& row : image.rows) rom.set(row.row, {row.word});
  };
  for (const RomImage* image :
       {&kDefaultImage, &kHitsImage, &kImprovedImage, &kTexturedImage, &kRaysImage})
    load(*image);
  if (fixed_bilinear) load(kBilinearImage);
  return rom;
}

namespace {

/// `textured` has its own constants and the rest of `flat`.
std::array<std::uint16_t, kEntries> texturedTable() {
  auto table = kImprovedImage.table;
  constexpr auto kCppu = static_cast<std::size_t>(Entry::Cppu);
  table[kCppu] = kTexturedImage.table[kCppu];
  return table;
}

}  // namespace

std::span<const Microcode> microcodeSets() {
  static const std::array<Microcode, 5> sets{{
      {"original", "the original's routines, exact to its words and clocks", kDefaultImage.table},
      {"hits", "the original's routines and a plane of hits", kHitsImage.table},
      {"flat", "early reject, t > 0, diffuse colour and lights, background, hits",
       kImprovedImage.table},
      {"textured", "as flat, with textures", texturedTable()},
      {"rays", "rays from texture memory: nearest hits only", kRaysImage.table},
  }};
  return sets;
}

std::optional<std::uint16_t> microcodeRow(std::string_view label) {
  for (const RomImage* image :
       {&kDefaultImage, &kHitsImage, &kImprovedImage, &kTexturedImage, &kRaysImage}) {
    for (const RomLabel& candidate : image->labels) {
      if (candidate.name == label) return candidate.row;
    }
  }
  return std::nullopt;
}

std::vector<CodeSource> microcodeCode(bool fixed_bilinear) {
  std::vector<const RomImage*> images = {&kDefaultImage, &kHitsImage, &kImprovedImage,
                                         &kTexturedImage, &kRaysImage};
  // Of rows that two sources have, those of the first count.
  if (fixed_bilinear) images.insert(images.begin(), &kBilinearImage);
  std::vector<CodeSource> all;
  for (const RomImage* const image : images) {
    CodeSource& source = all.emplace_back();
    source.file = image->file;
    for (const RomLabel& label : image->labels) source.labels.emplace_back(label.name, label.row);
    for (const RomRow& row : image->rows) source.lines.emplace_back(row.row, row.line);
  }
  return all;
}

const Microcode* findMicrocode(std::string_view name) {
  for (const Microcode& set : microcodeSets()) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

}  // namespace rtvp::theia
