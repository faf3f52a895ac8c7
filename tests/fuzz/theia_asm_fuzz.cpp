// THEIA's assembler with any text: it ends with located messages or a program whose words the
// disassembler turns back into the same words. Input: options, then the source.
#include "models/theia/assembler.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

namespace {

using namespace rtvp::theia;  // NOLINT(google-build-using-namespace): a program about this
                              // namespace

/// A jump's target and a register by number read back as they were.
void checkRoundTrip(const Program& program) {
  for (const auto& [row, in] : program.rows) {
    const std::string text = disassemble(in);
    const AssemblyResult again = assemble("back.tasm", text + "\n");
    if (text.starts_with("//")) continue;  // a word that hangs has no statement
    require(again.program && again.program->rows.size() == 1, "the disassembler's text assembles");
    require(again.program->rows.begin()->second.word == in.word, "to the same word");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 65536) return 0;
  AssemblerOptions options;
  if ((data[0] & 1) != 0) options.instructionWords = 20;
  if ((data[0] & 2) != 0) options.symbols = {{"ELSEWHERE", 81}};
  const std::string source(reinterpret_cast<const char*>(data) + 1, size - 1);
  const AssemblyResult result = assemble("f.tasm", source, options);
  std::size_t errors = 0;
  for (const Diagnostic& d : result.diagnostics) {
    errors += d.severity == Diagnostic::Severity::Error ? 1 : 0;
    require(d.line != 0 && d.column != 0 && !d.message.empty(), "every message is located");
  }
  require((errors == 0) == result.program.has_value(), "a program exactly if there is no error");
  require(errors <= options.maxErrors, "messages are bounded");
  if (!result.program) return 0;
  if (!result.program->rom) {
    require(result.program->image().size() <= options.instructionWords, "the image fits");
  }
  require(result.listing.size() < 70000 + 40 * (size + 1), "the listing is bounded by the source");
  checkRoundTrip(*result.program);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {
      std::string("\x00", 1) +
          "ENTRYPOINT_ADRR_USERCONSTANTS:\n    SETX C1 32'h00020000  // one\n"
          "    SWIZZLE3D C1 SWIZZLE_XXX\n    ZERO C6 VOID VOID\n    RETURN RT_TRUE\n"
          "ENTRYPOINT_ADRR_MAIN:\n    JNEX L_GO C7 C6\n    CALL ENTRYPOINT_ADRR_RGU VOID VOID\n"
          "    NOP RT_FALSE\n    NOP RT_FALSE\nL_GO:\n    DEC C7 C7 VOID\n    RETURN RT_FALSE\n",
      std::string("\x02") +
          ".rom\n.org 40\nA:\n  TMREAD CREG_TEX_COLOR1 #125\n  OMWRITE OREG_PIXEL_COLOR #120 R6\n"
          "  JMP ELSEWHERE VOID VOID\n  JGEZ A R1 R2\n  CALL @013A VOID VOID\n  RET R99 TRUE\n"
          "  LEA R1 VOID VOID\n  XCHANGEZ R1 R2 R3\n  MULP R1 R2 VOID\n  IMUL R1 R2 R3\n",
      std::string("\x01") +
          "B:\nB:\n  ADD R1\n  FOO\n  SETX R1 5\n  SWIZZLE3D R1 SWIZZLE_QQQ\n"
          "  JMP NOWHERE VOID VOID\n  RETURN R1\n.org 99\n  MUL R1 R2 R3 R4\n",
      std::string("\x00", 1) +
          "  RET R99 32'd77\n  SETZ R3 32'hFFFFFFFF\n  SWIZZLE3D R1 32'h3\n"
          "  INTP R1 R2 VOID\n  DEBUG_PRINT\n  NOP RT_TRUE\n",
  };
}

}  // namespace rtvp::fuzz
