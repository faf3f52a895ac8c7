// What a height field does to many pixels at once: the columns of voxels behind a tile of the
// picture, and normals. Functions of the table in kernels.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtvp::implicit::registers::batch {

/// Columns are searched in tiles of so many a side.
inline constexpr unsigned kTile = 8;
inline constexpr std::size_t kTileColumns = std::size_t{kTile} * kTile;
/// A pixel's place: x, and the row, from the bottom, above this bit.
inline constexpr unsigned kRowShift = 16;
/// So many numbers may be written behind what counts.
inline constexpr std::size_t kSlack = 16;

/// A tile of the picture, from its lower left pixel.
struct Tile {
  const std::uint32_t* shown;  ///< heights so far
  std::ptrdiff_t row;          ///< of these, from a row to the one above
  const float *x, *y;          ///< centres of columns and rows
  std::uint32_t place;
  unsigned rows, lower;    ///< how many; of these the lower ones
  std::uint8_t may_lower;  ///< bits of columns that may show something, in lower rows
  std::uint8_t may_upper;
};

/// The columns of a tile that are open: nothing in front of the next voxel shows.
struct Columns {
  std::size_t count = 0;
  std::uint32_t highest = 0;  ///< of the heights when they were opened
  std::uint32_t place[kTileColumns + kSlack];
  std::uint32_t height[kTileColumns + kSlack];  ///< shown so far
  float x[kTileColumns + kSlack], y[kTileColumns + kSlack];
};

/// Voxels that show, in rows with room for one more tile and the slack.
struct Hits {
  std::uint32_t *place, *height;
  float* f;  ///< there
  std::size_t count;
};

/// Hits that are shaded together.
inline constexpr std::size_t kMostShaded = 128;

/// Points beside hits, for differences, and what comes of them.
struct Beside {
  float size;                     ///< of the picture, in pixels
  std::uint32_t twice_middle[3];  ///< of the cell: its first voxel and the one behind its last
  std::uint32_t flat;             ///< 1: a picture of the plane z = 0
  float at[3][kMostShaded], beside[3][kMostShaded], sign[3][kMostShaded];
  float f[kMostShaded], fx[kMostShaded], fy[kMostShaded], fz[kMostShaded];
  float normal[3][kMostShaded];
};

}  // namespace rtvp::implicit::registers::batch
