// Buffers and accessors of a glTF 2.0 file: what its JSON says lies where.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/scene/builder.hpp"
#include "platform/scene/json_place.hpp"

namespace rtvp::scene {

/// A .gltf or .glb file. Its buffers are read when they are first used: files beside it (recorded
/// as inputs, role "buffer"), base64 in the JSON, or the binary chunk.
class GltfData {
 public:
  /// Throws SceneError for a file that is no glTF 2.
  GltfData(Builder& builder, const std::filesystem::path& file);

  [[nodiscard]] JsonPlace root() const { return {text_.name(), &json_}; }
  [[nodiscard]] const std::string& name() const { return text_.name(); }

  /// Numbers of an accessor whose elements have `width` of them, integers as normalised fractions
  /// if it says so. `place`: who names the accessor.
  [[nodiscard]] std::vector<float> floats(const JsonPlace& place, std::size_t width);
  /// Whole numbers of a scalar accessor.
  [[nodiscard]] std::vector<std::uint32_t> indices(const JsonPlace& place);
  /// Bytes of a buffer view.
  [[nodiscard]] std::span<const std::uint8_t> view(const JsonPlace& place);
  /// What an URI names: base64 of "data:", or a file beside this one.
  [[nodiscard]] std::vector<std::uint8_t> resource(const JsonPlace& place, std::string_view role);

  /// Elements of an accessor, at most, with and without bytes for them; numbers of all accessors
  /// that are read, again for each use; of all files' bytes together.
  static constexpr std::size_t kMaxCount = 16'000'000;
  static constexpr std::size_t kMaxZeros = 1'000'000;
  static constexpr std::size_t kMaxNumbers = 400'000'000;
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20U;

 private:
  struct Layout;
  void readGlb();
  std::span<const std::uint8_t> buffer(const JsonPlace& place);
  Layout layout(const JsonPlace& accessor, std::size_t width);
  template <typename T, typename Put>
  void spread(const Layout& layout, Put&& put);
  template <typename Put>
  void forEachValue(const Layout& layout, Put&& put);
  template <typename Put>
  void sparse(const JsonPlace& accessor, const Layout& base, Put&& put);

  Builder& builder_;
  std::filesystem::path path_;
  TextFile text_;
  boost::json::value json_;
  std::string_view chunk_;
  bool hasChunk_ = false;
  std::size_t bytes_ = 0;
  std::size_t numbers_ = 0;
  std::map<std::size_t, std::vector<std::uint8_t>> buffers_;
};

}  // namespace rtvp::scene
