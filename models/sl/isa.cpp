// See isa.hpp.
#include "models/sl/isa.hpp"

#include "models/sl/number.hpp"

namespace rtvp::sl {
namespace {

constexpr std::string_view kLanes = "xyz";
constexpr unsigned kOpcodeShift = 58, kFormShift = 55, kLaneShift = 53, kDestinationShift = 47;
constexpr unsigned kSourceShift[2] = {41, 35};
constexpr unsigned kZeroShift = 32;

constexpr unsigned field(std::uint64_t word, unsigned shift, unsigned bits) {
  return static_cast<unsigned>(word >> shift) & ((1U << bits) - 1U);
}

std::string number(unsigned value) {
  return std::to_string(value);
}

/// What is wrong with `id` as an operand of kind `kind`; empty if nothing.
std::string registerError(Operand kind, unsigned id, const char* where) {
  const bool vector = kind == Operand::VectorDestination || kind == Operand::VectorSource;
  if (kind == Operand::Slot)
    return isTextureSlot(id) ? "" : std::string(where) + " " + number(id) + " is no texture slot";
  if (vector ? !isVector(id) : !isScalar(id))
    return std::string(where) + " " + number(id) + " is no " + (vector ? "vector" : "scalar") +
           " register";
  const bool written = kind == Operand::VectorDestination || kind == Operand::ScalarDestination;
  if (written && !findRegister(id)->writable)
    return std::string(where) + " " + std::string(findRegister(id)->name) + " is read-only";
  return {};
}

std::string checkFields(const FormInfo& info, const Instruction& in) {
  if (info.has(Operand::Lane) && in.lane > 2) return "lane 3 does not exist";
  std::string error;
  if (info.writes())
    error = registerError(info.has(Operand::VectorDestination) ? Operand::VectorDestination
                                                               : Operand::ScalarDestination,
                          in.destination, "destination");
  if (error.empty() && info.sources() > 0) error = registerError(info.source(0), in.a, "source 0");
  if (error.empty() && info.sources() > 1) error = registerError(info.source(1), in.b, "source 1");
  if (error.empty() && info.branches() && (in.offset() < -32768 || in.offset() > 32767))
    error = "offset " + std::to_string(in.offset()) + " does not fit 16 bits";
  return error;
}

}  // namespace

std::uint64_t encode(const Instruction& in) {
  const FormInfo& info = in.info();
  return static_cast<std::uint64_t>(info.op) << kOpcodeShift |
         static_cast<std::uint64_t>(info.number) << kFormShift |
         static_cast<std::uint64_t>(in.lane) << kLaneShift |
         static_cast<std::uint64_t>(in.destination) << kDestinationShift |
         static_cast<std::uint64_t>(in.a) << kSourceShift[0] |
         static_cast<std::uint64_t>(in.b) << kSourceShift[1] | in.immediate;
}

Decoded decode(std::uint64_t word) {
  const unsigned opcode = field(word, kOpcodeShift, 6);
  const unsigned form = field(word, kFormShift, 3);
  if (opcode >= kOps) return {{}, "opcode " + number(opcode) + " does not exist"};
  const FormInfo* const info = findForm(opcode, form);
  if (info == nullptr) {
    return {{},
            "opcode " + number(opcode) + " (" + std::string(findForm(opcode, 0)->mnemonic) +
                ") has no form " + number(form)};
  }
  Instruction in;
  in.form = info->form;
  in.lane = static_cast<std::uint8_t>(field(word, kLaneShift, 2));
  in.destination = static_cast<std::uint8_t>(field(word, kDestinationShift, 6));
  in.a = static_cast<std::uint8_t>(field(word, kSourceShift[0], 6));
  in.b = static_cast<std::uint8_t>(field(word, kSourceShift[1], 6));
  in.immediate = static_cast<std::uint32_t>(word);
  std::string error = checkFields(*info, in);
  if (!error.empty()) return {{}, error};
  const bool unused = (!info->has(Operand::Lane) && in.lane != 0) ||
                      (!info->writes() && in.destination != 0) ||
                      (info->sources() < 1 && in.a != 0) || (info->sources() < 2 && in.b != 0) ||
                      (!info->has(Operand::Literal) && !info->branches() && in.immediate != 0) ||
                      field(word, kZeroShift, 3) != 0;
  if (unused) return {{}, describe(*info) + " has a field set that it does not use"};
  return {in, {}};
}

std::string disassemble(const Instruction& in) {
  const FormInfo& info = in.info();
  std::string out(info.mnemonic);
  unsigned source = 0;
  bool comma = false;
  for (const char c : info.operands) {
    out += comma ? ", " : " ";
    comma = c != 'c';
    switch (static_cast<Operand>(c)) {
      case Operand::Lane:
        out += kLanes[in.lane];
        break;
      case Operand::VectorDestination:
      case Operand::ScalarDestination:
        out += findRegister(in.destination)->name;
        break;
      case Operand::VectorSource:
      case Operand::ScalarSource:
      case Operand::Slot:
        out += findRegister(source++ == 0 ? in.a : in.b)->name;
        break;
      case Operand::Literal:
        out += shortest(in.literal());
        break;
      case Operand::Offset:
        out += std::to_string(in.offset());
        break;
    }
  }
  return out;
}

std::string describe(const FormInfo& form) {
  std::string out(form.mnemonic);
  bool comma = false;
  for (const char c : form.operands) {
    out += comma ? ", " : " ";
    out += c;
    comma = c != 'c';
  }
  return out;
}

std::string manual() {
  std::string out =
      "# SL 1.0 instructions and registers\n\nGenerated from the tables of the assembler and the "
      "machine. V, S: vector or scalar destination; v, s: source; c: lane letter x y z or r g b; "
      "f: "
      "decimal literal; j: offset; T: texture slot t0-t7. D is the destination, A and B the "
      "sources "
      "in order. Cycles are the shading unit's defaults.\n\n## Instructions\n\n| opcode | form | "
      "written | cycles | effect |\n|---|---|---|---|---|\n";
  for (const FormInfo& f : kInstructions) {
    out += "| " + number(static_cast<unsigned>(f.op)) + " | " + number(f.number) + " | `" +
           describe(f) + "` | " + number(f.cycles) + " | " + std::string(f.effect) + " |\n";
  }
  out +=
      "\nEvery operation rounds once to binary32; nothing is fused, subnormals are kept. A run "
      "stops "
      "after 65536 instructions.\n\n## Registers\n\n| id | name | kind | writable | start | "
      "meaning "
      "|\n|---|---|---|---|---|---|\n";
  for (const RegisterInfo& r : kRegisters) {
    out += "| " + number(r.id) + " | " + std::string(r.name) + " | " +
           (isVector(r.id) ? "vector" : "scalar") + " | " + (r.writable ? "yes" : "no") + " | " +
           shortest(r.initial) + " | " + std::string(r.meaning) + " |\n";
  }
  out +=
      "\n## Encoding\n\n| bits | field |\n|---|---|\n| 63:58 | opcode |\n| 57:55 | form |\n| 54:53 "
      "| "
      "lane |\n| 52:47 | destination |\n| 46:41 | source 0: A, or a slot |\n| 40:35 | source 1: B "
      "|\n| 34:32 | 0 |\n| 31:0 | literal (binary32) or offset (two's complement, fits 16 bits) "
      "|\n\nUnused fields are 0. An offset counts from the instruction after the branch.\n";
  return out;
}

}  // namespace rtvp::sl
