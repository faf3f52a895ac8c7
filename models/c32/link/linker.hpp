// The linker as a library: relocatable objects and a script in, Image, map and messages out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/c32/link/object.hpp"
#include "models/c32/link/script.hpp"

namespace rtvp::c32 {

struct LinkInput {
  std::string name;  ///< file name, for messages and script patterns
  Object object;
};

/// An archive: its members take part if a symbol of theirs is wanted.
struct LinkLibrary {
  std::string name;
  std::vector<LinkInput> members;
};

struct LinkOptions {
  LinkScript script;
  std::vector<LinkLibrary> libraries;
  bool crossReference = false;  ///< the map tells where each symbol is defined and used
  std::string entry;            ///< -e; wins over the script
  std::size_t maxErrors = 50;
};

struct LinkMessage {
  bool error = true;
  std::string text;  ///< `file:line: ...` or `file: ...`, without the severity
  std::string where;
};

struct LinkResult {
  std::vector<std::string> members;  ///< of libraries that were taken, `library(member)`
  std::optional<Image> image;        ///< present when there was no error
  std::vector<LinkMessage> messages;
  std::string map;  ///< memory, sections with their parts, symbols; also after placement errors

  /// Lines `where: error: text`.
  std::string report() const;
};

LinkResult link(const std::vector<LinkInput>& inputs, const LinkOptions& options);

}  // namespace rtvp::c32
