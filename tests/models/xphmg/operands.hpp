// Operands in memory for tests of the inline operations: rays, tiles, ranges at fixed addresses,
// given as real numbers and rounded to the format.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "models/xphmg/inline_op.hpp"
#include "tests/models/xphmg/tile_builder.hpp"

namespace rtvp::xphmg::test {

using Reals = std::vector<double>;

class Bench {
 public:
  static constexpr std::uint64_t kBase = 0x10000;
  static constexpr std::uint64_t kRay = kBase, kTile = kBase + 0x100, kRange = kBase + 0x300,
                                 kTable = kBase + 0x400, kTriangles = kBase + 0x800;

  explicit Bench(Format format) : memory(kBase, std::vector<std::uint8_t>(0x2000)) {
    state.precision.format = format;
    state.rtnode = kTile;
    state.rttri = kRange;
    ray({0.25, 0.25, 0, 0, 0, 1, 0, 100});
  }

  [[nodiscard]] unsigned width() const { return state.precision.elementBytes(); }
  [[nodiscard]] std::uint32_t word(double x) const {
    Stickies ignored;
    Precision p = state.precision;
    p.ftz = p.sat = false;
    p.rounding = Rounding::Rne;
    return encode(p, p.format, x, ignored);
  }
  std::uint8_t* at(std::uint64_t address) { return memory.bytes().data() + (address - kBase); }
  void put(std::uint64_t address, const Reals& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      storeElement(at(address) + i * width(), width(), word(values[i]));
  }
  void putWord(std::uint64_t address, unsigned element, std::uint32_t w) {
    storeElement(at(address) + std::size_t{element} * width(), width(), w);
  }
  void ray(const Reals& values) { put(kRay, values); }

  /// Children of tile 0 (and of its hi half): boxes of six reals; an empty list is an empty slot.
  void tile(const std::vector<Reals>& boxes, ChildKind kind = ChildKind::Leaf) {
    const TileLayout layout = tileLayout(width(), state.literal88);
    for (std::size_t half = 0; half * 4 < boxes.size(); ++half) {
      Tile t;
      for (std::size_t c = 0; c < 4 && half * 4 + c < boxes.size(); ++c) {
        const Reals& box = boxes[half * 4 + c];
        if (box.empty()) continue;
        t.child[c].kind = kind;
        t.child[c].index = static_cast<std::uint32_t>(half * 4 + c);
        for (unsigned k = 0; k < 6; ++k) t.child[c].box[k] = word(box[k]);
      }
      encodeTile(t, width(), layout, at(kTile) + half * layout.stride);
    }
  }
  void triangles(const std::vector<Reals>& list, std::uint32_t first = 0) {
    const TriRange range{first, static_cast<std::uint32_t>(list.size()),
                         kTriangles - triangleAddress(0, first, 0, width())};
    encodeTriRange(range, at(kRange));
    for (std::size_t i = 0; i < list.size(); ++i)
      put(kTriangles + i * triangleBytes(width()), list[i]);
  }
  InlineResult bbox(std::uint32_t imm12 = 0, unsigned lane = 0) {
    return executeBbox(state, imm12, kRay, lane, memory);
  }
  InlineResult tri(std::uint32_t imm12 = 0, unsigned lane = 0) {
    return executeTri(state, imm12, kRay, lane, memory);
  }
  [[nodiscard]] double value(std::uint64_t rd) const {
    Stickies ignored;
    Precision p = state.precision;
    p.ftz = false;
    return decode(p, static_cast<std::uint32_t>(rd), ignored);
  }

  InlineState state;
  BlockMemory memory;
};

inline constexpr Format kAllFormats[] = {Format::Fp32,    Format::Fp16,   Format::Bf16,
                                         Format::Int8,    Format::Int16,  Format::Int32,
                                         Format::Fp8E4m3, Format::Fp8E5m2};

}  // namespace rtvp::xphmg::test
