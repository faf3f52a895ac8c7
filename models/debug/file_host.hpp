// The files that every host reads: sources, commands. A source that is not where its program says
// may be one of those installed with this program.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/debug/dialogue.hpp"

namespace rtvp::debug {

class FileHost : public Host {
 public:
  const std::vector<std::string>* source(const std::string& path) override;
  std::optional<std::string> commands(const std::string& path) override;

 private:
  std::map<std::string, std::optional<std::vector<std::string>>> sources_;
};

}  // namespace rtvp::debug
