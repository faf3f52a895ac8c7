// Implicit-surface tapes from any bytes: files that start with SDFT are binary tapes, others the
// text form. What is refused says where and why; what is accepted survives both forms, and its
// evaluators agree: points lie in the intervals, pruned tapes give the whole tape's value.
#include <algorithm>
#include <bit>
#include <cmath>

#include "models/implicit/assembler.hpp"
#include "models/implicit/codec.hpp"
#include "models/implicit/evaluate.hpp"
#include "models/implicit/registers/program.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;
using namespace rtvp::implicit;  // NOLINT(google-build-using-namespace): a program about this

namespace {

void evaluateAll(const Tape& tape) {
  static constexpr std::array<Bounds, 3> kBoxes{
      {{{-1, -1, -1}, {1, 1, 1}}, {{0.25F, 0.5F, 1}, {0.5F, 0.75F, 2}}, {{5, 5, 5}, {5, 5, 5}}}};
  const registers::Program program = registers::compile(tape);
  for (const Bounds& box : kBoxes) {
    const BoxResult r = prune(tape, Mask(tape.size()), box);
    require(r.value.lo <= r.value.hi, "an interval has its ends in order");
    require(registers::evaluate(program, box) == r.value, "the register form has the same range");
    std::array<float, 3> middle{};
    for (unsigned n = 0; n < 3; ++n) middle[n] = (box.min[n] + box.max[n]) / 2;
    for (const auto& p : {box.min, middle, box.max}) {
      const float whole = evaluate(tape, p), pruned = evaluate(tape, r.mask, p);
      require(std::isnan(whole)
                  ? std::isnan(pruned)
                  : std::bit_cast<std::uint32_t>(whole) == std::bit_cast<std::uint32_t>(pruned),
              "a pruned tape gives the whole tape's value");
      const float compiled = registers::evaluate(program, p);
      require(std::isnan(whole)
                  ? std::isnan(compiled)
                  : std::bit_cast<std::uint32_t>(whole) == std::bit_cast<std::uint32_t>(compiled),
              "the register form gives the tape's value");
      require(std::isnan(whole) ? r.value.undefined : r.value.contains(whole),
              "a point lies in the interval");
    }
  }
}

void check(const Tape& tape) {
  const AssemblyResult again = assemble("b.sdf", disassemble(tape), tape.limits());
  require(again.tape.has_value(), "disassembly assembles");
  const EncodedTapes encoded = encode({&tape, 1});
  require(encode({&*again.tape, 1}) == encoded, "both texts mean the same tapes");
  const std::vector<Tape> decoded = decode(readFile(writeFile(encoded)));
  require(decoded.size() == 1 && disassemble(decoded[0]) == disassemble(tape),
          "binary tapes hold the tape");
  evaluateAll(tape);
}

void checkText(const std::string& source) {
  const AssemblyResult result = assemble("a.sdf", source);
  require(result.tape.has_value() == result.diagnostics.empty(), "a tape or an error");
  const auto lines = static_cast<std::size_t>(std::count(source.begin(), source.end(), '\n')) + 1;
  for (const Diagnostic& d : result.diagnostics) {
    require(d.line >= 1 && d.line <= lines && d.column >= 1 && d.column <= source.size() + 1,
            "errors lie in the text");
    require(!d.message.empty(), "errors say something");
  }
  if (result.tape) check(*result.tape);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  const std::string source(reinterpret_cast<const char*>(data), size);
  if (!source.starts_with("SDFT")) {
    checkText(source);
    return 0;
  }
  try {
    for (const Tape& tape : decode(readFile({data, size}))) check(tape);
  } catch (const CodecError& e) {
    require(e.what()[0] != '\0', "a refusal says why");
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  const std::string object =
      "OPMulVec3Float var f(0.9)\nOPDupVec3 var\nOPAddVec3Vec3 var v3(-0.7,-1.2,-0.7)\n"
      "OPSDFSphere f(0.5) var\nOPSDFTorus v2(0.7,0.4) var\nOPMinFloat var var\n"
      "OPDivFloatFloat var f(0.9)\nOPStop var\n";
  std::string all = ".bounds -1 -1 -1 1 1 1\n.material 0 1 0.5\n; each opcode that fits\n";
  for (const OpcodeInfo& op : opcodes()) {
    if (op.function == Function::Stop || op.function == Function::Invalid || op.in.size() == 0 ||
        op.out.size() != 1 || op.out[0] != Type::F || op.function == Function::Extract)
      continue;
    Instruction in;
    in.op = &op;
    for (unsigned n = 0; n < op.in.size(); ++n) in.constant[n].emplace().fill(0.75F);
    all += disassemble(in) + "\nOPDropFloat var\n";
  }
  all += "OPStop f(1)\n";
  const std::string moves =
      "OPDupVec3 var\nOPDup2Vec3 var\nOPMinVec3 var v3(0.3,0.2,0.1)\nOPSwap2Vec3 var var\n"
      "OPClampVec3Float var f(-0.5) f(0.5)\nOPMaxVec3 var var\nOPSDFSphere f(0.4) var\n"
      "OPPushP\nOPSDFBox v3(0.9,0.2,1) var\nOPSmoothMinFloat f(0.1) var var\nOPStop var\n";
  std::vector<std::string> result{object, all, moves};
  for (const std::string& text : {object, moves}) {
    const AssemblyResult tape = assemble("seed", text);
    const std::vector<std::uint8_t> file = writeFile(encode({&*tape.tape, 1}));
    result.emplace_back(file.begin(), file.end());
  }
  return result;
}

}  // namespace rtvp::fuzz
