// Source lines for c32-objdump -S.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/c32/link/object.hpp"

/// Which source lines begin at the words of one section, with their text.
class SectionSource {
 public:
  SectionSource(const std::vector<std::string>& folders) : folders_(folders) {}

  /// C lines of the debug entries in functions that have some, elsewhere the assembler's own.
  void choose(const rtvp::c32::Object& object, const rtvp::c32::Image* image, int section);
  /// Text to print in front of the word at this offset; empty between lines.
  std::string before(std::uint32_t offset);

 private:
  std::string show(const rtvp::c32::SourcePlace& place);
  const std::vector<std::string>& linesOf(const std::string& file);

  const std::vector<std::string>& folders_;
  std::map<std::string, std::vector<std::string>> files_;
  std::multimap<std::uint32_t, rtvp::c32::SourcePlace> places_;  ///< by offset
};
