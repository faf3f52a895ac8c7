// See input_json.hpp.
#include "platform/inputs/input_json.hpp"

#include <stdexcept>

#include "models/common/core/utf8.hpp"

namespace rtvp::platform {

namespace json = boost::json;

json::array contentsOf(std::span<const InputFile> files) {
  json::array all;
  for (const InputFile& f : files) {
    all.push_back(json::object{{"role", f.role}, {"sha256", f.sha256}, {"bytes", f.bytes}});
  }
  return all;
}

json::array pathsOf(std::span<const InputFile> files) {
  json::array all;
  for (const InputFile& f : files)
    all.push_back(json::string(common::escapedUtf8(f.path.string())));
  return all;
}

std::vector<InputFile> inputsFrom(const json::array& contents, const json::array& paths) {
  if (contents.size() != paths.size()) throw std::runtime_error("a path is missing");
  std::vector<InputFile> files;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const json::object& f = contents[i].as_object();
    const auto path = common::unescapedUtf8(paths[i].as_string());
    if (!path) throw std::runtime_error("a path has a wrong escape");
    files.push_back({std::string(f.at("role").as_string()), *path,
                     std::string(f.at("sha256").as_string()),
                     f.at("bytes").to_number<std::uint64_t>()});
  }
  return files;
}

}  // namespace rtvp::platform
