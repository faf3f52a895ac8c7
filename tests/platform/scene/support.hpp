// Scene files that live as long as a test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "platform/scene/load.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::scene::test {

/// A folder of files, removed with the object.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "rtvp-scene-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path write(const std::string& name, std::string_view text) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Loads `text` as a file called `name`.
inline Scene loadText(const std::string& name, std::string_view text,
                      const LoadOptions& options = {}) {
  const Folder folder;
  return load(folder.write(name, text), options);
}

/// The error that loading `text` gives, without the folder's name; empty if it loads.
inline std::string errorOf(const std::string& name, std::string_view text,
                           const LoadOptions& options = {}) {
  const Folder folder;
  try {
    static_cast<void>(load(folder.write(name, text), options));
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

inline std::filesystem::path shipped(const std::string& name) {
  return std::filesystem::path(RTVP_SOURCE_DIR) / "scenes" / name;
}

inline void expectNear(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

inline double area(const Triangle& t) {
  return length(cross(t.v[1] - t.v[0], t.v[2] - t.v[0])) / 2;
}

inline constexpr std::string_view kTriangle = "t 0 0 0 1 0 0 0 1 0\n";
inline const LoadOptions kStrict{.strict = true};

}  // namespace rtvp::scene::test
