// Records of OBJ and MTL files, checked before tinyobjloader sees them. Inside obj.cpp and mtl.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/scene/builder.hpp"
#include "platform/scene/text.hpp"

namespace rtvp::scene {

/// The text of an OBJ or MTL file, a record at a time: one line, or several where a backslash ends
/// all but the last.
class ObjText {
 public:
  explicit ObjText(const TextFile& file);

  /// The file with blanks for a byte order mark and for backslashes that continue a line.
  [[nodiscard]] const TextFile& text() const { return text_; }
  [[nodiscard]] const std::string& name() const { return text_.name(); }

  /// Calls `record(text of its lines, number of the first one)` for each, empty ones too.
  template <typename F>
  void forEach(F&& record) const {
    const std::string_view text = text_.text();
    std::size_t begin = 0;
    std::uint32_t number = 1;
    std::uint32_t line = 1;
    auto continued = continued_.begin();
    for (std::size_t at = 0; at <= text.size(); ++at) {
      if (at < text.size() && text[at] != '\n') continue;
      ++line;
      if (continued != continued_.end() && *continued == at) {
        ++continued;
        continue;
      }
      record(text.substr(begin, at - begin), number);
      begin = at + 1;
      number = line;
    }
  }

 private:
  TextFile text_;
  std::vector<std::size_t> continued_;  // newlines that end no record
};

/// Names may hold blanks, which tinyobjloader reads differently in its two formats: it sees numbers
// instead.
class ObjNames {
 public:
  std::string id(std::string_view name) {
    const auto [entry, added] = ids_.try_emplace(std::string(name), ids_.size());
    static_cast<void>(added);
    return "m" + std::to_string(entry->second);
  }

 private:
  std::map<std::string, std::size_t> ids_;
};

/// Checks a file line by line and writes what tinyobjloader shall see.
class ObjRecords {
 public:
  ObjRecords(Builder& builder, const ObjText& file, ObjNames& names)
      : builder_(builder), file_(file), names_(names) {}

  [[nodiscard]] std::string take() { return std::move(out_); }

 protected:
  template <typename F>
  void forEachRecord(F&& record) {
    file_.forEach([&](std::string_view lines, std::uint32_t number) {
      Words words(file_.text(), lines, {number, 1}, true);
      if (words.atEnd()) return;
      const Where where = words.where();
      record(words.word("a record"), words, where);
    });
  }

  // Takes `count` numbers and copies their text.
  void numbers(std::string_view key, int count, std::string_view expected, Words& words) {
    out_ += key;
    for (int k = 0; k < count; ++k) {
      const std::string_view text = words.peek();
      words.number(expected);
      out_ += ' ';
      out_ += text;
    }
    out_ += '\n';
  }

  void warnOnce(bool& done, const Where& where, const std::string& text) {
    if (!done) builder_.warn(where, text);
    done = true;
  }

  Builder& builder_;
  const ObjText& file_;
  ObjNames& names_;
  std::string out_;
};

}  // namespace rtvp::scene
