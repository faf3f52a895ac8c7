// Frames of tests/data/theia and what was measured on them.
#pragma once

#include <zlib.h>

#include <map>
#include <tuple>

#include "models/theia/frame.hpp"
#include "tests/models/theia/test_support.hpp"

namespace rtvp::theia::test {

inline std::string unzip(const std::string& path) {
  std::string out;
  const gzFile file = gzopen(path.c_str(), "rb");
  EXPECT_NE(file, nullptr) << path;
  if (file == nullptr) return out;
  char buffer[4096];
  for (int n = 0; (n = gzread(file, buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(n));
  gzclose(file);
  return out;
}

inline Frame loadFrame(const std::string& name) {
  const std::string folder = kData + name + "/";
  return parseFrame(slurp(folder + "config.tsv"), slurp(folder + "triangles.tsv"),
                    slurp(folder + "texture.tsv"), slurp(folder + "instructions.tsv"));
}

/// A GPU with the frame's texture in place.
inline Gpu makeGpu(const Frame& frame, Rom rom, GpuConfig config = {}) {
  config.cores = frame.cores;
  Gpu gpu(config, std::move(rom));
  for (std::uint32_t i = 0; i < frame.texture.size(); ++i) gpu.writeTexture(i, frame.texture[i]);
  return gpu;
}

/// Output words as omem.tsv lists them, up to each core's last pixel.
inline std::string storedText(const Gpu& gpu, const Frame& frame) {
  std::string out;
  for (unsigned c = 0; c < gpu.cores(); ++c) {
    const auto words = gpu.output(c).first(3 * frame.pixelsPerCore());
    for (std::size_t w = 0; w < words.size(); ++w) {
      char line[48];
      std::snprintf(line, sizeof line, "%u\t%zu\t%08X\n", c, w, words[w]);
      out += line;
    }
  }
  return out;
}

}  // namespace rtvp::theia::test
