// A THEIA core with any words as program, any registers and any profile: it stops within its limit,
// and the fast executor leaves the plain one's state. Input: options, registers, instruction rows.
#include <cstring>

#include "firmware/theia/firmware.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

namespace {

using namespace rtvp::theia;  // NOLINT(google-build-using-namespace): a program about this
                              // namespace

constexpr std::size_t kOptions = 8;
constexpr std::size_t kRegisterBytes = 12 * 32;  // the rest of the registers follow from these
constexpr std::size_t kHeader = kOptions + kRegisterBytes;
constexpr unsigned kRoutines = 3;

const Rom& rom() {
  static const Rom all = microcodeRom();
  return all;
}

CoreConfig configOf(const std::uint8_t* data, bool fast) {
  CoreConfig config;
  config.alu.exactMath = (data[0] & 1) != 0;
  config.alu.strictIsa = (data[0] & 2) != 0;
  config.alu.exactDivideClocks = 4 + data[1] % 67u;
  config.honourPixelShaderSlot = (data[0] & 4) != 0;
  config.instructionWords = 12 + data[2] % 117u;
  config.outputWords = 64;
  config.instructionLimit = 1200;
  config.fast = fast;
  return config;
}

void load(Core& core, const std::uint8_t* data, std::size_t size) {
  for (unsigned r = 0; r < kRegisterRows; ++r) {
    Vec v;
    std::memcpy(&v, data + kOptions + 12 * (r % 32), 12);
    v.x ^= r / 32;
    core.pokeRegister(r, v);
  }
  for (std::size_t at = kHeader; at + 8 <= size; at += 8) {
    Instruction in;
    std::memcpy(&in.word, data + at, 8);
    core.hostWriteInstruction(static_cast<unsigned>((at - kHeader) / 8), in);
  }
}

Stop runToStop(Core& core) {
  Stop stop;
  while ((stop = core.run()) == Stop::TextureRead) {
    const Vec& a = core.textureAddress();
    core.finishTextureRead({a.x + 1, a.y ^ 3U, a.z}, 9 + static_cast<unsigned>(a.x % 5));
  }
  return stop;
}

void requireEqual(const Core& a, const Core& b) {
  require(a.fault().kind == b.fault().kind && a.fault().pc == b.fault().pc, "the same fault");
  require(a.clocks() == b.clocks() && a.flag() == b.flag() && a.pc() == b.pc(), "the same end");
  for (unsigned r = 0; r < kRegisterRows; ++r) {
    require(a.readRegister(r) == b.readRegister(r), "the same registers");
    require(a.shadowRegister(r) == b.shadowRegister(r), "the same shadow registers");
  }
  require(std::memcmp(a.output().data(), b.output().data(), a.output().size_bytes()) == 0,
          "the same output");
  require(a.statistics().opcodes == b.statistics().opcodes &&
              a.statistics().dividerClocks == b.statistics().dividerClocks &&
              a.statistics().textureClocks == b.statistics().textureClocks &&
              a.statistics().outputWrites == b.statistics().outputWrites,
          "the same statistics");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeader || size > kHeader + 8 * 128) return 0;
  Core fast(configOf(data, true), rom(), 0);
  Core plain(configOf(data, false), rom(), 0);
  load(fast, data, size);
  load(plain, data, size);
  for (unsigned k = 0; k < kRoutines; ++k) {
    if ((data[3] >> k & 1) != 0) fast.flip(), plain.flip();
    const auto entry = static_cast<Entry>(data[4 + k] % kEntries);
    fast.startEntry(entry);
    plain.startEntry(entry);
    const Stop stop = runToStop(fast);
    require(stop == runToStop(plain), "the same stop");
    require(stop == Stop::Returned || stop == Stop::Faulted, "a routine ends");
    requireEqual(fast, plain);
    if (stop == Stop::Faulted) break;
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const Microcode& set : microcodeSets()) {
    std::string s;
    for (const unsigned byte :
         {static_cast<unsigned>(result.size()) & 3U, 30U, 116U, 5U, 0U, 1U, 11U, 0U}) {
      s += static_cast<char>(byte);
    }
    for (unsigned i = 0; i < kRegisterBytes / 4; ++i) {
      const std::uint32_t word = i % 3 == 0 ? kOne * (i / 3 + 1) : 0x1234U * i;
      s.append(reinterpret_cast<const char*>(&word), 4);
    }
    const auto row = [&s](std::uint64_t word) {
      s.append(reinterpret_cast<const char*>(&word), 8);
    };
    for (const std::uint16_t entry : set.table) row(entry);
    for (const OpInfo& info : kInstructions) {
      if (!info.hangs() && !info.jumps() && info.op != Op::RETURN) {
        row(std::uint64_t{info.code()} << 48U | 0x0047'0048'0049U);
      }
    }
    row(Instruction::typeTwoOf(Op::RETURN, 0, 1).word);
    result.push_back(s);
  }
  return result;
}

}  // namespace rtvp::fuzz
