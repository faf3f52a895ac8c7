// The words of PBRT scene files, through their includes, and the parameter lists of directives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// A word, a text in quotes, or a bracket.
struct PbrtToken {
  enum class Kind : std::uint8_t { Word, Text, Open, Close, End };
  Kind kind = Kind::End;
  std::string_view text;  ///< without the quotes
  Where where;
};

/// "TYPE NAME" VALUES of a directive.
struct PbrtParam {
  std::string type;
  std::string name;
  std::vector<double> numbers;
  std::vector<std::string> texts;  ///< also the words true and false
  Where where;
};

class PbrtParams {
 public:
  std::vector<PbrtParam> all;

  [[nodiscard]] const PbrtParam* find(std::string_view name) const;
  /// The first number of a parameter.
  [[nodiscard]] double number(std::string_view name, double fallback) const;
  [[nodiscard]] std::string text(std::string_view name, std::string_view fallback) const;
  /// Three numbers.
  [[nodiscard]] Vec3 vector(std::string_view name, const Vec3& fallback) const;
};

/// Reads a file and what it includes; texts stay as long as this object.
class PbrtText {
 public:
  PbrtText(Builder& builder, const std::filesystem::path& file);

  /// The next token without taking it.
  [[nodiscard]] const PbrtToken& peek();
  PbrtToken take();
  /// Takes a text in quotes.
  PbrtToken quoted(std::string_view expected);
  double number(std::string_view expected);
  /// `count` numbers, in brackets or not.
  std::vector<double> numbers(std::size_t count, std::string_view expected);
  PbrtParams params();
  /// Goes on in the file that `name` names, then behind it.
  void include(const PbrtToken& name);
  /// The file that a text names, beside the file that holds it or beside the first one; fails.
  [[nodiscard]] std::filesystem::path file(const std::string& name, const Where& where) const;
  /// Counts bytes of files towards kMaxBytes.
  void charge(std::size_t bytes, const Where& where);
  /// Keeps a text that Wheres point into.
  const TextFile& keep(TextFile text);

  static constexpr std::size_t kMaxOpen = 32;
  static constexpr std::size_t kMaxFiles = 4096;
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20U;

 private:
  struct Source {
    const TextFile* file;
    std::size_t at = 0;
    Place place{1, 1};
  };
  void scan();
  bool skipBlanks(Source& source);
  void advance(Source& source, std::size_t count);
  void values(PbrtParam& param);
  void value(PbrtParam& param);

  Builder& builder_;
  std::filesystem::path first_;
  std::vector<std::unique_ptr<TextFile>> files_;
  std::vector<Source> open_;
  std::size_t bytes_ = 0;
  std::optional<PbrtToken> next_;
};

}  // namespace rtvp::scene
