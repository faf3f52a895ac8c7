// The linker with any script, any source as one object and any bytes as another. Input: script,
// 01h, source, 01h, object file.
#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rtvp::c32;
  if (size > 65536) return 0;
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::size_t first = input.find('\x01');
  const std::size_t second = first == std::string::npos ? first : input.find('\x01', first + 1);
  LinkOptions options;
  try {
    options.script = parseScript(input.substr(0, first));
  } catch (const ScriptError& error) {
    require(error.line() != 0 && error.column() != 0, "script errors are located");
  }
  std::vector<LinkInput> inputs;
  if (first != std::string::npos) {
    AssemblerOptions quiet;
    quiet.warnings.set("none");
    quiet.relocatable = true;
    quiet.readFile = [](const std::string&) { return std::nullopt; };
    AssemblyResult a = assemble("a.asm", input.substr(first + 1, second - first - 1), quiet);
    if (a.object) inputs.push_back({"a.obj", std::move(*a.object)});
  }
  if (second != std::string::npos) {
    try {
      inputs.push_back({"b.obj", readObject({data + second + 1, size - second - 1})});
    } catch (const CoffError&) {
    }
  }
  const LinkResult result = link(inputs, options);
  bool errors = false;
  for (const LinkMessage& m : result.messages) {
    errors = errors || m.error;
    require(!m.where.empty() && !m.text.empty(), "every message names a place");
  }
  require(errors == !result.image, "a program exactly if there is no error");
  if (result.image) {
    for (const Section& s : result.image->sections)
      require(s.loadAddress + s.size <= 1u << 24, "sections lie in the address space");
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  using namespace rtvp::c32;
  AssemblerOptions quiet;
  quiet.warnings.set("none");
  quiet.relocatable = true;
  const AssemblyResult b = assemble(
      "b.asm", "\t.global f, x\n\t.text\nf: RETS\n\t.data\n\t.align 4\nx: .word f\n", quiet);
  const std::vector<std::uint8_t> bytes = writeObject(*b.object);
  const std::string script =
      "MEMORY { S: origin = 0 length = 1000h R: origin = 87FE00h length = 100h }\n"
      "SECTIONS { .text: > S hot: load = S, run = R, LOAD_START(l), SIZE(n) .data: { *(.data) } > "
      "S "
      "align = 8 stack: > R size = 16 }\nENTRY(main) k = 5;\n";
  const std::string source =
      "\t.ref f,x,l,n,k\n\t.global main\nmain: LDP x\n\tLDI @x+1,R0\n\tLDI k,R1\n\tCALL f\n\tBNZ "
      "f\n\t.word l,n,x\n\t.sect \"hot\"\nh: BU h\n";
  const std::string object(bytes.begin(), bytes.end());
  const std::string groups =
      "MEMORY { S: origin = 0 length = 1000h R: origin = 87FE00h length = 100h }\n"
      "SECTIONS { UNION: run = R { GROUP { hot: load = S } .data: load = S }\n GROUP: { .text: { "
      "*(.text) . += 4; here = .; . = align(8) } s } load = S, align = 16 }\n top = here + (x << "
      "2) - "
      "~1; n = 3*4; l = 1; k = 5;\n";
  return {script + "\x01" + source + "\x01" + object, groups + "\x01" + source + "\x01" + object,
          "\x01" + source + "\x01" + object};
}

}  // namespace rtvp::fuzz
