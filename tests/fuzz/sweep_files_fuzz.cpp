// Files of sweeps from any bytes: a specification is read or refused in its own name, a database is
// opened and asked or refused, and never changes what it is asked for into something else.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "platform/exit_status.hpp"
#include "platform/options/run_params.hpp"
#include "platform/sweep/spec.hpp"
#include "platform/sweep/store.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;
using namespace rtvp::sweep;  // NOLINT(google-build-using-namespace): a program about this

namespace {

/// A folder for one file at a time.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "rtvp-fuzz-XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr, "there is room for files");
    path_ = name;
  }
  ~Folder() {
    std::error_code ec;
    std::filesystem::remove_all(path_, ec);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path write(const char* name, const std::string& bytes) const {
    for (const char* const rest : {"", "-journal", "-wal", "-shm"}) {
      std::filesystem::remove(path_ / (std::string(name) + rest));
    }
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

const Folder& folder() {
  static const Folder kFolder;
  return kFolder;
}

const rtvp::platform::OptionTable& table() {
  static const rtvp::platform::OptionTable kTable = [] {
    rtvp::platform::OptionTable own;
    own.add(rtvp::platform::kRunParams);
    return own;
  }();
  return kTable;
}

PointResult success() {
  PointResult result;
  result.wallSeconds = 0.5;
  result.stats["simulated_time_ps"] = {7, "ps"};
  result.warnings = {"w"};
  return result;
}

void useStore(const std::filesystem::path& file) {
  Store store(file);
  for (const char* const identity : {"a", "b"}) {
    if (const auto known = store.find(identity); known && known->ok()) {
      require(known->wallSeconds == known->wallSeconds, "times are numbers");
    }
  }
  (void)store.lastFor("asked");
  Point point(table());
  point.identity = "b";
  point.asked = "asked";
  store.save(point, "build", success());
  const auto found = store.find("b");
  require(found && found->ok() && found->stats.at("simulated_time_ps").value == 7,
          "what was saved is found");
}

std::string database() {
  const std::filesystem::path file = folder().write("seed.sqlite", "");
  std::filesystem::remove(file);
  {
    Store store(file);
    Point point(table());
    point.identity = "a";
    point.asked = "asked";
    store.save(point, "build", success());
  }
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::vector<std::string> rtvp::fuzz::seeds() {
  return {
      R"(j{"name": "n", "note": "x", "scene": ["a.shk", "b.nff"], "set": {"tigershark.dsps": "1,2,...,512", "render.order": ["hilbert"]}, "link": [["tigershark.dsps", "render.order"]], "where": ["dsps <= 4"], "figures": {"ms": {"formula": "simulated_time_ps", "unit": "ms"}, "a": "b"}, "plots": [{"title": "t", "x": "a", "y": ["ms"], "series": "scene", "log_x": true}]})",
      R"(j{"points": [{"tigershark.dsps": 4, "scene": "a.shk"}], "space": {"kind": "refine", "points": 5, "seed": 3, "goals": ["max:ms"]}})",
      "d" + database()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool isDatabase = data[0] == 'd';
  if (!isDatabase && data[0] != 'j') return 0;
  const auto file = folder().write(isDatabase ? "x.sqlite" : "x.json", bytes);
  try {
    if (isDatabase) {
      useStore(file);
    } else {
      (void)loadSpec(file);
    }
  } catch (const rtvp::platform::InputError& e) {
    require(std::string(e.what()).find("x.") != std::string::npos, "a refusal names its file");
  }
  return 0;
}
