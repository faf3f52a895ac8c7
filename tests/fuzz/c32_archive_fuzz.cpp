// The reader of archives with any bytes: members or ArchiveError; what is read can be written and
// read again, and its members go through the reader of objects and the linker.
#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/link/archive.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rtvp::c32;
  if (size > 65536) return 0;
  std::vector<ArchiveMember> members;
  try {
    members = readArchive({data, size});
  } catch (const ArchiveError& error) {
    require(std::string(error.what()).find("found") != std::string::npos, "errors say what");
    return 0;
  }
  try {
    require(readArchive(writeArchive(members)) == members, "written and read again");
  } catch (const ArchiveError&) {
    // A name that archives can hold but that no writer makes.
  }
  LinkLibrary library{"fuzz.lib", {}};
  for (const ArchiveMember& m : members) {
    try {
      library.members.push_back({m.name, readObject(m.bytes)});
    } catch (const CoffError&) {
    }
  }
  LinkOptions options;
  options.entry = "f";
  options.libraries.push_back(std::move(library));
  link({}, options);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  using namespace rtvp::c32;
  AssemblerOptions quiet;
  quiet.warnings.set("none");
  quiet.relocatable = true;
  const AssemblyResult f = assemble("f.asm", "\t.global f\n\t.ref g\nf: CALL g\n\tRETS\n", quiet);
  const AssemblyResult g = assemble("g.asm", "\t.global g\ng: RETS\n", quiet);
  const auto bytes = writeArchive({{"f.obj", writeObject(*f.object)},
                                   {"a_rather_long_member.obj", writeObject(*g.object)},
                                   {"odd.asm", {'x'}}});
  return {std::string(bytes.begin(), bytes.end()), "!<arch>\n"};
}

}  // namespace rtvp::fuzz
