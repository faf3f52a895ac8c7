// Small PNG pictures for scene tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "platform/report/image.hpp"
#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {

using Pixels = std::vector<std::uint8_t>;  // r g b, rows from the top

inline std::filesystem::path writePng(const Folder& folder, const std::string& name, int width,
                                      int height, const Pixels& rgb) {
  report::Image image(width, height);
  image.rgb = rgb;
  const std::vector<std::uint8_t> bytes = report::encodePng(image);
  return folder.write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// `width` x `height` pixels of one grey.
inline std::filesystem::path writeGrey(const Folder& folder, const std::string& name, int width,
                                       int height, std::uint8_t grey) {
  return writePng(folder, name, width, height,
                  Pixels(static_cast<std::size_t>(width * height) * 3, grey));
}

/// The error of loading `text` as a.shk in `folder`, without the folder's name; empty if it loads.
inline std::string errorIn(const Folder& folder, std::string_view text,
                           const LoadOptions& options = {}) {
  try {
    static_cast<void>(load(folder.write("a.shk", text), options));
  } catch (const SceneError& e) {
    std::string message = e.what();
    const std::string prefix = folder.path().string() + "/";
    for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
      message.erase(at, prefix.size());
    }
    return message;
  }
  return "";
}

}  // namespace rtvp::scene::test
