// See file_host.hpp.
#include "models/debug/file_host.hpp"

#include <array>
#include <fstream>
#include <sstream>

#include "models/common/core/shared_files.hpp"

namespace rtvp::debug {
namespace {

constexpr std::array<std::string_view, 2> kFirmware = {"firmware/tigershark", "firmware/theia"};

}  // namespace

std::optional<std::string> FileHost::commands(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return std::nullopt;
  return text.str();
}

const std::vector<std::string>* FileHost::source(const std::string& path) {
  const auto [it, added] = sources_.try_emplace(path);
  if (added) {
    std::ifstream file;
    for (const std::string_view folder : kFirmware) {
      if (!file.is_open()) file.open(common::inputFile(path, folder));
    }
    if (file.is_open()) it->second.emplace();
    for (std::string text; file.is_open() && std::getline(file, text);) it->second->push_back(text);
  }
  return it->second ? &*it->second : nullptr;
}

}  // namespace rtvp::debug
