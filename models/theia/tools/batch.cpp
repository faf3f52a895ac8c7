// theia-run --batch: one JSON object a line in, one a line out (design.md section 7).
#include <boost/json.hpp>
#include <charconv>
#include <istream>
#include <ostream>
#include <stdexcept>

#include "models/common/core/text.hpp"
#include "models/common/tool/json_lines.hpp"
#include "models/theia/assembler.hpp"
#include "models/theia/tools/runner.hpp"

namespace rtvp::theia {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxLine = std::size_t{4} << 20;
constexpr std::uint32_t kTextureWords = 1U << 16;

using tool::BadRequest;

Word wordOf(const json::value& value) {
  if (!value.is_string()) throw BadRequest("expected a word as a string of 8 hex digits");
  const std::string_view text = value.as_string();
  Word word = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), word, 16);
  if (text.empty() || text.size() > 8 || error != std::errc() || end != text.data() + text.size())
    throw BadRequest(common::quotedAsIs(text) + " is not a word of 8 hex digits");
  return word;
}

Vec vecOf(const json::object& request, const char* key) {
  const json::value* const value = request.if_contains(key);
  if (value == nullptr) return {};
  if (!value->is_array() || value->as_array().size() != 3)
    throw BadRequest(std::string(key) + ": expected an array of three words");
  const json::array& a = value->as_array();
  return {wordOf(a[0]), wordOf(a[1]), wordOf(a[2])};
}

json::array toJson(const Vec& v) {
  return {common::hexDigits(v.x, 8), common::hexDigits(v.y, 8), common::hexDigits(v.z, 8)};
}

json::object error(const std::string& text) {
  return {{"error", text}};
}

/// Texture memory is empty: a read takes its undisturbed time and gives 0.
void readTexture(Core& core) {
  const Vec& a = core.textureAddress();
  if (a.x >= kTextureWords || a.y >= kTextureWords || a.z >= kTextureWords) {
    core.raise(Fault::Kind::TextureAddress, "TMREAD past the texture memory");
  } else {
    core.finishTextureRead({}, kTextureReadPeriod);
  }
}

json::object runInstruction(const json::object& request, const CoreConfig& config, const Rom& rom) {
  const std::string name(request.at("op").as_string());
  const OpInfo* const info = findMnemonic(name);
  if (info == nullptr) return error("unknown instruction " + common::quotedAsIs(name));
  const json::value* const immediate = request.if_contains("imm");
  if (info->typeTwo() && !info->jumps() && immediate == nullptr)
    return error(name + " is of type 2: it needs \"imm\"");
  if (!info->typeTwo() && immediate != nullptr) return error(name + " takes no \"imm\"");
  Core core(config, rom, 0);
  const unsigned d = info->jumps() ? kUserCode | 20U : reg("R1");
  core.pokeRegister(reg("R1"), vecOf(request, "d"));
  core.pokeRegister(reg("R2"), vecOf(request, "s1"));
  core.pokeRegister(reg("R3"), vecOf(request, "s2"));
  core.hostWriteInstruction(kUserFirstRow,
                            info->typeTwo() && !info->jumps()
                                ? Instruction::typeTwoOf(info->op, d, wordOf(*immediate))
                                : Instruction::typeOne(info->op, d, reg("R2"), reg("R3")));
  core.startAt(kUserCode | kUserFirstRow);
  Stop stop = core.step();
  if (stop == Stop::TextureRead) {
    readTexture(core);
    stop = core.fault() ? Stop::Faulted : Stop::None;
  }
  if (stop == Stop::Faulted) return error(core.fault().describe());
  const Clock cycles = core.clocks() - 4;
  if (info->jumps()) return {{"taken", core.pc() == (kUserCode | 20U)}, {"cycles", cycles}};
  if (stop == Stop::Returned) return {{"flag", core.flag() ? 1 : 0}, {"cycles", info->period}};
  return {{"d", toJson(core.readRegister(reg("R1")))}, {"cycles", cycles}};
}

void setRegisters(Core& core, const json::object& request) {
  const json::value* const regs = request.if_contains("regs");
  if (regs == nullptr) return;
  if (!regs->is_object()) throw BadRequest("regs: expected an object");
  for (const auto& item : regs->as_object()) {
    const auto address = findRegister(item.key());
    if (!address) throw BadRequest("unknown register '" + std::string(item.key()) + "'");
    core.pokeRegister(*address, vecOf(regs->as_object(), std::string(item.key()).c_str()));
  }
}

json::object runProgram(const json::object& request, const CoreConfig& config, const Rom& rom) {
  if (!request.at("program").is_string()) return error("program: expected assembly text");
  AssemblerOptions options;
  options.instructionWords = config.instructionWords;
  const AssemblyResult result = assemble("program", request.at("program").as_string(), options);
  if (!result.program) return error(result.report());
  if (result.program->rom || result.program->rows.empty())
    return error("expected a user program with at least one instruction");
  Core core(config, rom, 0);
  const auto image = result.program->image();
  for (unsigned row = 0; row < image.size(); ++row) core.hostWriteInstruction(row, image[row]);
  setRegisters(core, request);
  core.startAt(static_cast<std::uint16_t>(kUserCode | result.program->rows.begin()->first));
  while (core.run() == Stop::TextureRead && !core.fault()) readTexture(core);
  if (core.fault()) return error(core.fault().describe());
  json::object regs;
  if (const json::value* const dump = request.if_contains("dump")) {
    if (!dump->is_array()) return error("dump: expected an array of register names");
    for (const json::value& item : dump->as_array()) {
      const std::string name(item.is_string() ? item.as_string() : json::string());
      const auto address = findRegister(name);
      if (!address) return error("unknown register " + common::quotedAsIs(name));
      regs[name] = toJson(core.readRegister(*address));
    }
  }
  return {{"regs", regs}, {"flag", core.flag() ? 1 : 0}, {"cycles", core.clocks()}};
}

json::object answer(const std::string& line, const CoreConfig& config, const Rom& rom) {
  try {
    json::parse_options options;
    options.max_depth = 8;
    const json::value value = json::parse(line, {}, options);
    if (!value.is_object()) return error("expected an object");
    const json::object& request = value.as_object();
    if (request.contains("program")) return runProgram(request, config, rom);
    if (request.contains("op") && request.at("op").is_string())
      return runInstruction(request, config, rom);
    return error("expected \"op\" or \"program\"");
  } catch (const boost::system::system_error& e) {
    return error(e.code().message());
  } catch (const std::exception& e) {
    return error(e.what());
  }
}

}  // namespace

void runBatch(std::istream& in, std::ostream& out, const CoreConfig& config, const Rom& rom) {
  tool::answerLines(in, out, kMaxLine, "the line is too long", [&](const std::string& line) {
    return json::serialize(answer(line, config, rom));
  });
}

}  // namespace rtvp::theia
