// The order in which a picture's pixels become rays. Neighbouring rays go to neighbouring
// processors of a lockstep array, so neighbours in this order should be neighbours in the picture
// (TS-025).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rtvp::host {

enum class PixelOrder : std::uint8_t {
  Hilbert,   ///< generalised Hilbert curve: consecutive pixels touch, for every width and height
  Scanline,  ///< rows from the top, each from the left
  Tiles,     ///< squares of kTileSide pixels in rows from the top, each square row by row
};

inline constexpr int kTileSide = 4;  ///< board.md 1.6, TS-068

/// "hilbert", "scanline" or "tiles" (option render.order).
[[nodiscard]] std::optional<PixelOrder> pixelOrderFromName(std::string_view name);

/// Every pixel of a `width` x `height` picture once, as y * width + x. Throws std::invalid_argument
/// unless both are positive and their product fits 32 bits.
[[nodiscard]] std::vector<std::uint32_t> pixelSequence(PixelOrder order, int width, int height);

}  // namespace rtvp::host
