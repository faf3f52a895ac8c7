// Continued lines, see obj_records.hpp.
#include "platform/scene/obj_records.hpp"

namespace rtvp::scene {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

ObjText::ObjText(const TextFile& file) : text_(file) {
  std::string text(file.text());
  if (text.starts_with(kByteOrderMark)) text.replace(0, kByteOrderMark.size(), 3, ' ');
  bool comment = false;
  bool fresh = true;  // nothing but blanks on this line yet
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') {
      comment = false;
      fresh = true;
    } else if (text[at] == '\\' && !comment) {
      const std::size_t next = text.find_first_not_of(" \t\r", at + 1);
      if (next == std::string::npos || text[next] != '\n') continue;
      text[at] = ' ';
      continued_.push_back(next);
      at = next;
    } else if (fresh && !isBlank(text[at])) {
      fresh = false;
      comment = text[at] == '#';
    }
  }
  text_ = TextFile(file.name(), std::move(text));
}

}  // namespace rtvp::scene
