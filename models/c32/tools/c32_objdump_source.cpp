// See c32_objdump_source.hpp.
#include "models/c32/tools/c32_objdump_source.hpp"

#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>

#include "models/common/core/file_io.hpp"

using rtvp::c32::SourcePlace;

void SectionSource::choose(const rtvp::c32::Object& object, const rtvp::c32::Image* image,
                           int section) {
  places_.clear();
  std::map<std::uint32_t, bool> covered;  // from there on: by a C function?
  for (const rtvp::c32::PlacedSource& s : rtvp::c32::debugSources(object.debug, section)) {
    covered[s.place] = s.source.line != 0;
    if (s.source.line != 0) places_.emplace(s.place, s.source);
  }
  SourcePlace last;
  const auto add = [&](std::uint32_t offset, const std::string& file, std::uint32_t line) {
    const auto behind = covered.upper_bound(offset);
    if (behind != covered.begin() && std::prev(behind)->second) return;
    const SourcePlace place{file, line, {}};
    if (!(place == last)) places_.emplace(offset, place);
    last = place;
  };
  for (const rtvp::c32::ObjectLine& l : object.lines) {
    if (static_cast<int>(l.section) == section) add(l.offset, object.files[l.file], l.line);
  }
  if (image == nullptr) return;
  const auto& s = object.sections[static_cast<std::size_t>(section)];
  const std::uint32_t base = s.run.value_or(0);
  for (const rtvp::c32::LineEntry& l : image->lines) {
    if (l.address - base < s.size && l.file < image->files.size())
      add(l.address - base, image->files[l.file], l.line);
  }
}

/// The file as it is named, then in the folders given, then its last part there: compilers wrote
/// down paths of other machines, with either slash.
const std::vector<std::string>& SectionSource::linesOf(const std::string& file) {
  const auto known = files_.find(file);
  if (known != files_.end()) return known->second;
  const std::size_t slash = file.find_last_of("/\\");
  const std::string last = slash == std::string::npos ? file : file.substr(slash + 1);
  std::vector<std::filesystem::path> tries{file};
  for (const std::string& folder : folders_) {
    tries.push_back(std::filesystem::path(folder) / file);
    tries.push_back(std::filesystem::path(folder) / last);
  }
  std::vector<std::string>& lines = files_[file];
  for (const auto& path : tries) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    const std::optional<std::string> text = rtvp::common::readFile(path.string());
    if (!text) continue;
    std::istringstream in(*text);
    for (std::string line; std::getline(in, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      lines.push_back(line);
    }
    break;
  }
  return lines;
}

std::string SectionSource::show(const SourcePlace& place) {
  const std::vector<std::string>& lines = linesOf(place.file);
  std::string text = place.file + ":" + std::to_string(place.line);
  if (place.line != 0 && place.line <= lines.size()) text += "  " + lines[place.line - 1];
  return text + "\n";
}

std::string SectionSource::before(std::uint32_t offset) {
  std::string text;
  const auto here = places_.equal_range(offset);
  for (auto it = here.first; it != here.second; ++it) text += show(it->second);
  return text;
}
