// The readers of object files with any bytes: a program or CoffError; what is read can be written
// and read again.
#include "models/c32/analysis/call_graph.hpp"
#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/debug/boot_image.hpp"
#include "models/c32/link/object_coff.hpp"
#include "models/c32/link/reassemble.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

namespace {

/// A program the boot ROM can load keeps its words; else the reason is told.
void boot(const rtvp::c32::Image& image) {
  std::size_t words = 0;
  for (const rtvp::c32::Section& s : image.sections) words += s.words.size();
  try {
    for (const unsigned width : {8u, 16u, 32u}) {
      const std::vector<std::uint32_t> table = rtvp::c32::bootTable(image, width);
      require(table.size() >= words + 4, "the table holds the words");
      require(rtvp::c32::bootLocations(table, width).size() == table.size() * (32 / width), "size");
    }
  } catch (const rtvp::c32::BootError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rtvp::c32;
  const std::span<const std::uint8_t> bytes(data, size);
  try {
    const Image image = loadCoff(bytes);
    std::size_t words = 0;
    for (const Section& s : image.sections) words += s.words.size();
    if (words < 4096) reassemblable(image);
    if (words < 4096) boot(image);
    if (words < 4096) {
      const analysis::CallGraph graph = analysis::makeCallGraph(image, {});
      analysis::callGraphText(graph, image);
      analysis::callGraphDot(graph);
    }
    debugText(image.debug);
    if (image.sections.size() < 1000)
      require(loadCoff(writeCoff(image)).entry == image.entry, "kept");
  } catch (const CoffError&) {
  }
  try {
    const Object object = readObject(bytes);
    debugText(object.debug);
    debugSources(object.debug, 0);
    if (object.sections.size() < 1000) readObject(writeObject(object));
  } catch (const CoffError&) {
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  using namespace rtvp::c32;
  AssemblerOptions quiet;
  quiet.warnings.set("none");
  const AssemblyResult program = assemble(
      "p.asm",
      "\t.text\ns: LDI 5,R0\n\tBR a_rather_long_label\na_rather_long_label: NOP\n\t.data\n\t.word "
      "1,s\n\t.bss b,9\nN .set 4\n\t.global s\n",
      quiet);
  const AssemblyResult object =
      assemble("o.asm",
               "\t.ref outside\n\t.text\ns: LDP outside\n\tBNZ outside\n\t.sect "
               "\"a_long_name\",87FE00h\n\t.label at\nh: BU h\n\t.word at,outside+2\n\t.bss b,16\n",
               quiet);
  const AssemblyResult compiled = assemble(
      "c.asm",
      "\t.file \"c.c\"\n\t.stag _s,64\n\t.member _x,0,4,8,32\n\t.member _y,32,52,8,32,,2\n\t.eos\n"
      "\t.global _f\n\t.sym _f,_f,36,2,0\n\t.func 5\n_f:\t.sym _p,8,24,17,32,_s\n\t.line 1\n"
      "\tPUSH AR3\n\tLDI 3,AR0\nl: CALL _f\n\tDBU AR0,l\n\tLDI 4,RC\n\tRPTB e\ne: NOP\n"
      "\tPOP AR3\n\tRETS\n\t.endfunc 9,0,1\n",
      quiet);
  const auto text = [](const std::vector<std::uint8_t>& bytes) {
    return std::string(bytes.begin(), bytes.end());
  };
  return {text(writeCoff(*program.image)), text(writeObject(*object.object)),
          text(writeCoff(*compiled.image))};
}

}  // namespace rtvp::fuzz
