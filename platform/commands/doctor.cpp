// See doctor.hpp.
#include "platform/commands/doctor.hpp"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/version.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <systemc>
#include <thread>
#include <vector>

#include "models/common/core/shared_files.hpp"
#include "models/common/core/version.hpp"
#include "models/common/host_isa.hpp"
#include "platform/inputs/revision.hpp"

namespace rtvp::platform {
namespace {

struct Finding {
  std::string what;
  bool there = true;
  std::string detail;
};

std::string mebibytes(std::uint64_t bytes) {
  return std::to_string(bytes >> 20U) + " MiB";
}

/// "model name : X" of the kernel's list of processors.
std::string processorName() {
  std::ifstream list("/proc/cpuinfo");
  for (std::string line; std::getline(list, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Where the shell would find `program`; empty: nowhere.
std::string pathOf(const std::string& program) {
  const char* const path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "";
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    std::string file = folders.substr(at, end - at) + "/" + program;
    std::error_code ec;
    if (::access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, ec)) {
      return file;
    }
    at = end + 1;
  }
  return {};
}

void examineProgram(std::vector<Finding>& all) {
  all.push_back({"platform", true, common::version() + std::string(", ") + sourceRevision()});
  const std::filesystem::path shared = common::sharedFolder();
  all.push_back({"installed data", !shared.empty(),
                 shared.empty() ? "none beside this program: scenes and computers by their path"
                                : shared.lexically_normal().string()});
  all.push_back({"SystemC", true, sc_core::sc_version()});
  all.push_back(
      {"Boost", true,
       std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000)});
}

void examineHost(std::vector<Finding>& all) {
  all.push_back({"processor", true, processorName()});
  const unsigned cores = std::thread::hardware_concurrency();
  all.push_back(
      {"cores", true,
       std::to_string(cores) + ": run.threads, --hosts and sweeps with -j use up to that many"});
  for (const common::Isa isa : common::kIsas) {
    const bool usable = common::isaUsable(isa);
    all.push_back({"kernels " + std::string(common::isaName(isa)), usable,
                   isa == common::bestIsa() ? "used"
                   : usable                 ? "usable"
                                            : "not on this processor, or not in this build"});
  }
  struct sysinfo memory {};
  if (::sysinfo(&memory) == 0) {
    const std::uint64_t unit = memory.mem_unit;
    all.push_back({"memory", true,
                   mebibytes(memory.totalram * unit) + ", " + mebibytes(memory.freeram * unit) +
                       " unused; `platform scene-info SCENE` says what a scene needs"});
  }
  std::error_code ec;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(ec);
  const auto space = std::filesystem::space(ec ? "/tmp" : folder, ec);
  const bool writable = !ec && ::access(folder.c_str(), W_OK) == 0;
  all.push_back({"temporary files", writable,
                 folder.string() + (writable ? ", " + mebibytes(space.available) + " free"
                                             : ", which cannot be written: set TMPDIR")});
}

/// Programs of others that a part of the work asks for.
void examineTools(std::vector<Finding>& all) {
  struct Tool {
    const char* name;
    const char* use;
  };
  static constexpr Tool kTools[] = {
      {"riscv64-unknown-elf-gcc", "programs of your own for the XPHMG hart"},
      {"g++", "models in a platform of your own (find_package(rtvp))"},
      {"cmake", "the same"},
      {"gtkwave", "looking at VCD traces"},
      {"python3", "scripts around runs and sweeps"},
  };
  for (const Tool& tool : kTools) {
    const std::string path = pathOf(tool.name);
    all.push_back({tool.name, !path.empty(), (path.empty() ? "for " : path + ", for ") + tool.use});
  }
}

}  // namespace

ExitStatus doctorCommand(const CommandLine& command) {
  std::vector<Finding> all;
  examineProgram(all);
  examineHost(all);
  examineTools(all);
  if (command.json) {
    boost::json::array rows;
    for (const Finding& f : all) {
      rows.push_back({{"what", f.what}, {"there", f.there}, {"detail", f.detail}});
    }
    std::cout << boost::json::serialize(rows) << "\n";
    return ExitStatus::Done;
  }
  for (const Finding& f : all) {
    std::cout << std::left << std::setw(26) << f.what << (f.there ? "yes  " : "no   ") << f.detail
              << "\n";
  }
  return ExitStatus::Done;
}

}  // namespace rtvp::platform
