// c32-ar: makes and shows archives of object files (libraries for c32-ld) and of macros.
#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "models/c32/link/archive.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"

namespace {

namespace po = boost::program_options;
namespace tool = rtvp::tool;
namespace status = tool::status;
using rtvp::c32::ArchiveMember;
using Members = std::vector<ArchiveMember>;

Members load(const std::string& path) {
  const std::string bytes = tool::readInput(path, "an archive", status::kFailed);
  return tool::refusing<rtvp::c32::ArchiveError>(
      status::kFailed, [&] { return rtvp::c32::readArchive(tool::bytesOf(bytes)); });
}

Members::iterator find(Members& members, const std::string& name) {
  return std::find_if(members.begin(), members.end(),
                      [&](const ArchiveMember& m) { return m.name == name; });
}

[[noreturn]] void noMember(const std::string& archive, const std::string& name) {
  throw tool::Failure::at(archive, "found no member '" + name + "'", status::kFailed);
}

void replace(Members& members, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const std::string bytes = tool::readInput(file, "an object file", status::kFailed);
    const auto view = tool::bytesOf(bytes);
    ArchiveMember member{std::filesystem::path(file).filename().string(),
                         {view.begin(), view.end()}};
    const auto known = find(members, member.name);
    if (known != members.end()) {
      *known = std::move(member);
    } else {
      members.push_back(std::move(member));
    }
  }
}

void save(const std::string& path, const Members& members) {
  const auto bytes = tool::refusing<rtvp::c32::ArchiveError>(
      status::kFailed, [&] { return rtvp::c32::writeArchive(members); });
  tool::writeOutput(path, tool::textOf(bytes));
}

/// A member's name is not trusted: only its last part counts, in the current folder.
void extract(const ArchiveMember& m) {
  const std::string name = std::filesystem::path(m.name).filename().string();
  if (name.empty() || name == "." || name == "..")
    throw tool::Failure("found member name '" + m.name + "', expected a file name");
  tool::writeOutput(name, tool::textOf(m.bytes));
}

int run(const po::variables_map& given) {
  const std::vector<std::string> paths = tool::listOf(given, "input");
  int commands = 0;
  for (const char* const name : {"replace", "delete", "list", "extract"})
    commands += given[name].as<bool>() ? 1 : 0;
  if (commands != 1 || paths.empty())
    throw tool::Failure("expected one of -r, -d, -t, -x and an archive (--help lists the options)");
  const std::string& archive = paths.front();
  const std::vector<std::string> names(paths.begin() + 1, paths.end());
  Members members;
  const bool replacing = given["replace"].as<bool>();
  std::error_code error;
  if (!replacing || std::filesystem::exists(archive, error)) members = load(archive);
  if (replacing) {
    replace(members, names);
    save(archive, members);
  } else if (given["delete"].as<bool>()) {
    for (const std::string& name : names) {
      const auto it = find(members, name);
      if (it == members.end()) noMember(archive, name);
      members.erase(it);
    }
    save(archive, members);
  } else {
    for (const std::string& name : names) {
      if (find(members, name) == members.end()) noMember(archive, name);
    }
    for (const ArchiveMember& m : members) {
      if (!names.empty() && std::find(names.begin(), names.end(), m.name) == names.end()) continue;
      if (given["extract"].as<bool>()) {
        extract(m);
      } else {
        std::printf("%8zu %s\n", m.bytes.size(), m.name.c_str());
      }
    }
  }
  return status::kDone;
}

void declare(po::options_description& options) {
  auto add = options.add_options();
  add("replace,r", po::bool_switch(), "put the files into the archive, which is made if need be");
  add("delete,d", po::bool_switch(), "take members out");
  add("list,t", po::bool_switch(), "size in bytes and name of all or of these members");
  add("extract,x", po::bool_switch(), "write all or these members into the current folder");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "c32-ar",
                    .summary = "archiver of C3x object files",
                    .usage = "c32-ar -r|-d|-t|-x ARCHIVE.lib [FILE...]\n",
                    .declare = declare,
                    .run = run,
                    .input = "input",
                    .inputs = tool::Program::kAnyNumber},
                   argc, argv);
}
