// See file_host.hpp.
#include "models/debug/file_host.hpp"

#include <fstream>
#include <sstream>

#include "models/common/core/shared_files.hpp"

namespace rtvp::debug {
namespace {

constexpr std::string_view kFirmware = "firmware/tigershark";

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
    std::ifstream file(common::inputFile(path, kFirmware));
    if (file) it->second.emplace();
    for (std::string text; file && std::getline(file, text);) it->second->push_back(text);
  }
  return it->second ? &*it->second : nullptr;
}

}  // namespace rtvp::debug
