// See merge.hpp.
#include "platform/sweep/merge.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <istream>
#include <system_error>

#include "models/common/core/unreadable.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::sweep {
namespace {

using platform::InputError;

constexpr std::size_t kMostProblems = 20;

// What has to be the same whoever ran it.
bool sameFigures(const Stats& a, const Stats& b) {
  const auto comparable = [](const Stats& all) {
    Stats kept;
    for (const auto& [path, stat] : all) {
      if (!path.starts_with("host.")) kept[path] = stat;
    }
    return kept;
  };
  const Stats left = comparable(a), right = comparable(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto& l, const auto& r) {
                      return l.first == r.first && l.second.value == r.second.value;
                    });
}

class Collector {
 public:
  void read(std::istream& in, const std::string& name) {
    std::string line;
    bool ended = false;
    for (std::size_t number = 1; readLine(in, line, ended); ++number) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      const std::string where = name + ":" + std::to_string(number) + ": ";
      try {
        if (line.size() > kLongestLine) throw InputError("the line is too long");
        add(readResultLine(parseLine(line)), where);
      } catch (const InputError& e) {
        problem(where + (ended ? "" : "the last line is not complete: ") + e.what());
      }
    }
  }
  CollectedResults take() { return std::move(all_); }

 private:
  void add(ResultLine&& line, const std::string& where) {
    const auto [at, fresh] = all_.found.try_emplace(line.identity, std::move(line.result));
    if (fresh) return;
    PointResult& known = at->second;
    if (!known.ok()) {
      known = std::move(line.result);
    } else if (line.result.ok() && !sameFigures(known.stats, line.result.stats)) {
      problem(where + "another result of the same point, with other figures; the first is kept");
    }
  }
  void problem(std::string text) {
    if (all_.problems.size() < kMostProblems) {
      all_.problems.push_back(std::move(text));
    } else {
      ++all_.more;
    }
  }
  CollectedResults all_;
};

std::vector<std::filesystem::path> filesOf(const std::string& name) {
  std::error_code ec;
  if (!std::filesystem::is_directory(name, ec)) return {name};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(name, ec)) {
    const std::filesystem::path kind = entry.path().extension();
    if (kind == ".json" || kind == ".jsonl") files.push_back(entry.path());
  }
  if (ec) throw InputError(name + ": " + ec.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool readLine(std::istream& in, std::string& line, bool& ended) {
  line.clear();
  ended = false;
  std::streambuf* const bytes = in.rdbuf();
  bool any = false;
  for (int c = bytes->sbumpc(); c != std::char_traits<char>::eof(); c = bytes->sbumpc()) {
    any = true;
    if (c == '\n') {
      ended = true;
      return true;
    }
    if (line.size() <= kLongestLine) line += static_cast<char>(c);
  }
  return any;
}

CollectedResults readResults(const std::vector<std::string>& names) {
  Collector collector;
  for (const std::string& name : names) {
    if (name == "-") {
      collector.read(std::cin, "standard input");
      continue;
    }
    for (const std::filesystem::path& file : filesOf(name)) {
      std::ifstream in(file, std::ios::binary);
      std::error_code ec;
      if (!in || std::filesystem::is_directory(file, ec)) {
        throw InputError("--merge: " + file.string() + ": " +
                         common::unreadable(file, "results of `platform --worker`"));
      }
      collector.read(in, file.string());
    }
  }
  return collector.take();
}

}  // namespace rtvp::sweep
