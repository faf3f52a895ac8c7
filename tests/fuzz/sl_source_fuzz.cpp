// The SL assembler with any text: located errors or a program; a program survives its file, its
// disassembly, both engines and the translation to C32 code.
#include <algorithm>
#include <cmath>

#include "models/sl/assembler.hpp"
#include "models/sl/c32/translate.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/sl_engines.hpp"

using rtvp::fuzz::require;
using namespace rtvp::sl;  // NOLINT(google-build-using-namespace): a program about this namespace

namespace {

AssemblyResult assembled(const std::string& source, bool lenient) {
  AssemblerOptions options;
  options.lenient = lenient;
  AssemblyResult result = assemble("a.sl", source, options);
  require(result.program.has_value() == result.diagnostics.empty(), "a program or an error");
  const auto lines = static_cast<std::size_t>(std::count(source.begin(), source.end(), '\n')) + 1;
  for (const Diagnostic& d : result.diagnostics) {
    require(d.line >= 1 && d.line <= lines && d.column >= 1 && d.column <= source.size() + 1,
            "errors lie in the text");
    require(!d.message.empty(), "errors say something");
  }
  return result;
}

void check(const Program& program) {
  const std::vector<std::uint8_t> file = writeSlc(program);
  require(readSlc(file).words() == program.words(), "a file holds the program");
  std::string text = "sl 1.0\n";
  for (const Instruction& in : program.code()) text += disassemble(in) + '\n';
  const AssemblyResult again = assemble("b.sl", text);
  require(again.program && again.program->words() == program.words(),
          "disassembly assembles to the same words");
  rtvp::fuzz::compareEngines(program);
  try {
    require(!c32::translate(program).inputs.empty(), "a point brings at least one word");
  } catch (const c32::Untranslatable& e) {
    require(e.what()[0] != '\0', "a refusal says why");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  const std::string source(reinterpret_cast<const char*>(data), size);
  const AssemblyResult strict = assembled(source, false);
  const AssemblyResult lenient = assembled(source, true);
  if (strict.program) {
    require(lenient.program && lenient.program->words() == strict.program->words(),
            "what strict mode takes, lenient mode takes");
  }
  if (lenient.program) check(*lenient.program);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  std::string all = "sl 1.0\n# every form\n";
  for (const FormInfo& f : kInstructions) {
    Instruction in;
    in.form = f.form;
    in.destination = f.has(Operand::VectorDestination)   ? reg::r1
                     : f.has(Operand::ScalarDestination) ? reg::s1
                                                         : 0;
    const auto source = [&f](unsigned n) -> std::uint8_t {
      if (n >= f.sources()) return 0;
      return f.source(n) == Operand::VectorSource ? reg::xy
             : f.source(n) == Operand::Slot       ? reg::t3
                                                  : reg::Kd;
    };
    in.a = source(0);
    in.b = source(1);
    all += disassemble(in) + '\n';
  }
  return {all, "\n\nsl 1.0\nli s0, -.5e-3\nblt s0, Kd, -2\njmp -1\n",
          "  # lenient\r\n sl \t1.0 \r\n\tmovc  g   s0 ,  uv\r\n lookup v0, t7, uv\n",
          "sl 1.0\nrnd s0\nturb s1, s0\npow s2, s1, S\nexp v1, s2\nnorm v0, N\nret\n",
          "sl 1.0\nmul x,y,z\nadd v0, C0, s0\nli s0, 1e99\njmp 70000\nmov N, L\nw\n"};
}

}  // namespace rtvp::fuzz
