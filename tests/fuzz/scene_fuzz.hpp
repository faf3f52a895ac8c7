// Scene files from any bytes: what is refused names the file, what loads is sound.
#pragma once

#include <cstdint>
#include <string>

namespace rtvp::fuzz {

/// Loads `data` as a file with this extension, beside others that a seed may name: b.mtl, b.png,
/// b.jpg, b.bin, b.ply, b.pbrt. Ends the process when the importer's promise does not hold.
void loadScene(const std::string& extension, const std::uint8_t* data, std::size_t size);

/// A picture of 4 x 2 pixels.
std::string jpegBytes();

}  // namespace rtvp::fuzz
