// See ranks.hpp.
#include "platform/commands/ranks.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>

#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

constexpr int kMostRanks = 1 << 16;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::optional<int> numberIn(const char* name, int least, int most) {
  const std::string text = variable(name);
  if (text.empty()) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    throw InputError(std::string(name) + ": found '" + text + "', expected a number " +
                     std::to_string(least) + ".." + std::to_string(most));
  }
  return value;
}

std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += word || c == '-' ? c : '_';
  }
  return out;
}

[[noreturn]] void failed(const std::filesystem::path& file, const std::string& why) {
  throw RunError(ExitStatus::Internal, "host computers by ranks: " + file.string() + ": " + why);
}

struct FileCloser {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

std::filesystem::path fileOf(const std::filesystem::path& folder, std::size_t number) {
  return folder / ("part" + std::to_string(number));
}

void leave(const std::filesystem::path& folder, std::size_t number, const PartResult& part) {
  const std::filesystem::path file = fileOf(folder, number);
  const std::filesystem::path begun = file.string() + ".begun";
  const std::unique_ptr<std::FILE, FileCloser> out(std::fopen(begun.c_str(), "wb"));
  if (!out) failed(begun, "cannot be written");
  storePart(out.get(), part);
  if (std::fflush(out.get()) != 0) failed(begun, "cannot be written");
  std::error_code ec;
  std::filesystem::rename(begun, file, ec);
  if (ec) failed(file, ec.message());
}

PartResult fetch(const std::filesystem::path& folder, std::size_t number) {
  const std::filesystem::path file = fileOf(folder, number);
  std::error_code ec;
  // For as long as it takes: a rank that fails takes the launcher's whole job with it.
  while (!std::filesystem::exists(file, ec)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const std::unique_ptr<std::FILE, FileCloser> in(std::fopen(file.c_str(), "rb"));
  if (!in) failed(file, "cannot be read");
  try {
    return restorePart(in.get());
  } catch (const std::exception& e) {
    failed(file, e.what());
  }
}

/// Made by whoever comes first; gone when the first rank has what is in it.
class Folder {
 public:
  Folder(std::filesystem::path path, bool mine) : path_(std::move(path)), mine_(mine) {
    std::error_code ec;
    std::filesystem::create_directories(path_, ec);
    if (ec) failed(path_, ec.message());
  }
  ~Folder() {
    std::error_code ec;
    if (mine_) std::filesystem::remove_all(path_, ec);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool mine_;
};

}  // namespace

std::optional<Rank> rankOfProcess(int hosts) {
  const auto count = numberIn("OMPI_COMM_WORLD_SIZE", 1, kMostRanks);
  if (!count || *count == 1 || hosts == 1) return std::nullopt;
  const auto number = numberIn("OMPI_COMM_WORLD_RANK", 0, *count - 1);
  const std::string job = variable("PMIX_NAMESPACE");
  if (!number || job.empty()) {
    throw InputError(
        "found OMPI_COMM_WORLD_SIZE alone, expected OMPI_COMM_WORLD_RANK and PMIX_NAMESPACE beside "
        "it, as mpirun of Open MPI sets them");
  }
  if (*count != hosts) {
    throw InputError("--hosts: found " + std::to_string(hosts) + " host computers and " +
                     std::to_string(*count) + " ranks of mpirun, expected as many: mpirun -n " +
                     std::to_string(hosts));
  }
  return Rank{*number, *count, plain(job)};
}

std::filesystem::path folderOfRanks(const std::string& image, const Rank& rank) {
  return image + ".ranks-" + rank.job;
}

std::vector<PartResult> renderRank(const host::Crop& whole, const Rank& rank,
                                   const PartRenderer& render,
                                   const std::filesystem::path& folder) {
  const std::vector<host::Crop> bands = divide(whole, rank.count);
  const auto own = static_cast<std::size_t>(rank.number);
  std::vector<PartResult> parts;
  if (own >= bands.size()) return parts;  // fewer rows than ranks
  const Folder place(folder, own == 0);
  parts.push_back(render(bands[own], own));
  if (parts.front().failure) return parts;
  if (own != 0) {
    leave(place.path(), own, parts.front());
    return parts;
  }
  for (std::size_t i = 1; i < bands.size(); ++i) parts.push_back(fetch(place.path(), i));
  return parts;
}

}  // namespace rtvp::platform
