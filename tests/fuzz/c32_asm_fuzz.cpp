// The C32 assembler with any text: it ends, within its bounds, with located messages or a program.
#include "models/c32/asm/assembler.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

namespace {

/// Whether a loop's count may be 100 or more. Such runs end, too, at 200,000 lines, but take ten
/// seconds under sanitizers: the same rules are found a thousand times faster without them
/// (C32AsmHostile.RecursionAndExpansionEnd holds the bound).
bool longLoop(const std::string& source) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  int digits = 0;
  for (const char c : source) {
    digits = digit(c) ? digits + 1 : 0;
    if (digits == 3) return source.find(".loop") != std::string::npos;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rtvp::c32;
  if (size == 0 || size > 65536) return 0;
  AssemblerOptions options;
  options.relocatable = (data[0] & 1) != 0;
  options.enhanced = (data[0] & 2) != 0;
  options.listing = (data[0] & 4) != 0;
  options.warnings.set((data[0] & 8) != 0 ? "all" : "none");
  options.readFile = [](const std::string& path) -> std::optional<std::string> {
    if (path != "part.inc") return std::nullopt;
    return "one .set 1\n\t.include \"part.inc\"\n";
  };
  const std::string source(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (longLoop(source)) return 0;
  const AssemblyResult result = assemble("f.asm", source, options);
  bool errors = false;
  for (const Diagnostic& d : result.diagnostics) {
    errors = errors || d.severity == Diagnostic::Severity::Error;
    require(d.line != 0 && d.column != 0 && !d.message.empty(), "every message is located");
  }
  require(errors == (!result.image && !result.object), "a program exactly if there is no error");
  require(result.diagnostics.size() <= 251, "messages are bounded");
  if (result.image) {
    for (const Section& s : result.image->sections)
      require(s.loadAddress + s.size <= 1u << 24, "sections lie in the address space");
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {
      std::string("\x0c") +
          "m .macro a,b\nx?\tLDI a,b\n\t.endm\n\t.sect \"hot\",87FE00h\n\tm 5,R0\n\t.loop 2\n"
          "\tMPYF3 *AR0++,*AR1++,R0\n || ADDF3 R0,R2,R2\n\t.endloop\n\t.if 1\n\t.byte "
          "\"abc\",'d'\n\t.endif\nv .usect \"vars\",4\n\t.float 1.5e-3\n",
      std::string("\x09") +
          "\t.ref f, g\n\t.global main\nmain: LDP @f\n\tLDI @f+1,R0\n\tCALL f\n\tBNZ g\n\tRPTB "
          "e\n\tNOP\ne: NOP\n\t.word f,main+3,e-main\n\t.bss b,4,8\n\t.end main\n",
      std::string("\x0e") +
          "a .set b+1\nb .set 3*(2+1)\n\t.asg \"R1\",x\n\tLDI a,x\n\tLDI *+AR0(b)%,:x:\n"
          "\t.include \"part.inc\"\n\tSTI R0,*AR1++(IR0)B\n$1: DBU AR0,$1\n\t.newblock\n"
          "\t.string \"text\\n\"\n\t.align 8\n\t.assert a = 10\n\t.org 100h\n\tTRAP 3\n",
  };
}

}  // namespace rtvp::fuzz
