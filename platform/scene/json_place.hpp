// A value of a JSON scene file with the way to it, for located errors.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/scene/text.hpp"

namespace rtvp::scene {

/// A value, or one that is not there. Errors read "FILE: meshes[0].primitives[1].indices: found
/// ...".
class JsonPlace {
 public:
  JsonPlace(const std::string& file, const boost::json::value* value, std::string path = {})
      : file_(&file), value_(value), path_(std::move(path)) {}

  [[nodiscard]] bool there() const { return value_ != nullptr; }
  [[nodiscard]] const boost::json::value* value() const { return value_; }
  /// A member; not there if this is not.
  [[nodiscard]] JsonPlace at(std::string_view key) const;
  /// How many elements an array has; 0 if it is not there.
  [[nodiscard]] std::size_t size() const;
  /// An element, which must exist.
  [[nodiscard]] JsonPlace at(std::size_t index) const;

  /// A finite number of magnitude at most kMaxNumber.
  [[nodiscard]] double number() const;
  [[nodiscard]] double number(double fallback) const { return there() ? number() : fallback; }
  /// A whole number below `limit`.
  [[nodiscard]] std::size_t index(std::size_t limit, std::string_view what) const;
  [[nodiscard]] std::size_t index(std::size_t limit, std::string_view what,
                                  std::size_t fallback) const {
    return there() ? index(limit, what) : fallback;
  }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool flag(bool fallback) const;
  /// `count` numbers.
  [[nodiscard]] std::vector<double> numbers(std::size_t count) const;

  [[noreturn]] void fail(std::string_view found, std::string_view expected) const;
  /// What an error about it as a whole points at, through builders.
  [[nodiscard]] TextFile file() const { return {name(), {}}; }

 private:
  [[nodiscard]] std::string name() const { return path_.empty() ? *file_ : *file_ + ": " + path_; }
  [[nodiscard]] std::string found() const;

  const std::string* file_;
  const boost::json::value* value_;
  std::string path_;
};

/// Reads `text`, a part of the file `name` that begins at byte `offset`, as JSON nested at most 64
/// deep. Throws SceneError with line and column (byte, if the file is binary).
[[nodiscard]] boost::json::value readSceneJson(const std::string& name, std::string_view text,
                                               std::size_t offset, bool binary);

}  // namespace rtvp::scene
