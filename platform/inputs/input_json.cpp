// See input_json.hpp.
#include "platform/inputs/input_json.hpp"

#include <stdexcept>

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
  for (const InputFile& f : files) all.push_back(json::string(f.path.string()));
  return all;
}

std::vector<InputFile> inputsFrom(const json::array& contents, const json::array& paths) {
  if (contents.size() != paths.size()) throw std::runtime_error("a path is missing");
  std::vector<InputFile> files;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const json::object& f = contents[i].as_object();
    files.push_back({std::string(f.at("role").as_string()), std::string(paths[i].as_string()),
                     std::string(f.at("sha256").as_string()),
                     f.at("bytes").to_number<std::uint64_t>()});
  }
  return files;
}

}  // namespace rtvp::platform
