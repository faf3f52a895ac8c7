#include "tests/firmware/runtime/runtime_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "models/c32/isa.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::c32::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kIdle = 0x06000000;
constexpr std::uint32_t kLimit = 40'000'000;  // instructions of one call
/// The IDLE at the return address is counted by the processor, not by us.
constexpr Cycle kIdleCycles = 1;

/// What a C function keeps (c32.md 10.7) as integers; R6 and R7 as singles.
constexpr std::array<unsigned, 8> kKept = {reg::R4,  reg::R5,  reg::AR3, reg::AR4,
                                           reg::AR5, reg::AR6, reg::AR7, reg::DP};

std::vector<std::uint8_t> bytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

Image linkLibrary(Model model, Memory memory, std::vector<std::string> names) {
  const fs::path folder = fs::path(RTVP_BINARY_DIR "/firmware/runtime") /
                          (model == Model::Register ? "register" : "stack");
  if (names.empty()) {
    for (const auto& entry : fs::directory_iterator(RTVP_SOURCE_DIR "/firmware/runtime"))
      if (entry.path().extension() == ".asm") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
  }
  std::vector<LinkInput> inputs;
  for (const std::string& name : names) {
    const std::string file = name + ".obj";
    inputs.push_back({file, readObject(bytesOf(folder / file))});
  }
  LinkOptions options;
  if (memory == Memory::Internal) {
    options.script = parseScript(
        "MEMORY { RAM: origin = 0h length = 10000h  RAM0: origin = 87FE00h length = 100h }\n"
        "SECTIONS { .text: > RAM0  .data: > RAM  .bss: > RAM }");
  }
  LinkResult result = link(inputs, options);
  if (!result.image) throw std::runtime_error(result.report());
  return *std::move(result.image);
}

CpuConfig configOf(Memory memory) {
  CpuConfig config;
  config.flatMemory = memory == Memory::Flat;
  if (memory == Memory::Internal) config.timing = Timing::Pipeline;
  return config;
}

}  // namespace

RuntimeMachine::RuntimeMachine(Model model, Memory memory, std::vector<std::string> objects)
    : model_(model),
      memoryKind_(memory),
      memory_(kWords),
      image_(linkLibrary(model, memory, std::move(objects))),
      cpu_(configOf(memory), *this),
      stack_(memory == Memory::Flat ? kReturn - 0x1000 : kFastData + 0xC0) {
  for (const std::uint32_t control : {0x808060u, 0x808064u, 0x808068u})
    cpu_.poke(control, 0x000F0008);  // zero wait states
  for (const Section& section : image_.sections) {
    for (std::uint32_t i = 0; i < section.words.size(); ++i)
      setWord(section.runAddress + i, section.words[i]);
  }
  setWord(kReturn, kIdle);
}

std::uint32_t RuntimeMachine::word(std::uint32_t address) const {
  if (const auto inside = cpu_.peek(address)) return *inside;
  return memory_.at(address);
}

void RuntimeMachine::setWord(std::uint32_t address, std::uint32_t value) {
  if (!cpu_.poke(address, value)) memory_.at(address) = value;
}

void RuntimeMachine::setText(std::uint32_t address, const std::string& text) {
  for (const char c : text) setWord(address++, static_cast<unsigned char>(c));
  setWord(address, 0);
}

std::string RuntimeMachine::text(std::uint32_t address) const {
  std::string result;
  while (word(address) != 0 && result.size() < 10'000) result += static_cast<char>(word(address++));
  return result;
}

std::uint32_t RuntimeMachine::symbol(const std::string& name) const {
  const auto value = image_.find(name);
  if (!value) throw std::runtime_error("no symbol " + name);
  return *value;
}

BusReply RuntimeMachine::busAccess(const BusRequest& request) {
  BusReply reply;
  reply.start = request.cycle;
  if (request.address >= kWords) {
    reply.status = BusReply::Status::Error;
  } else if (request.op == BusOp::Write) {
    memory_[request.address] = request.data;
  } else {
    reply.data = memory_[request.address];
  }
  return reply;
}

Cycle RuntimeMachine::run(std::uint32_t entry) {
  setWord(stack_ + 1, kReturn);
  cpu_.setRegister(reg::SP, stack_ + 1);
  cpu_.setPc(entry);
  const Cycle start = cpu_.cycle();
  const StopReason reason = cpu_.run(kNever, kLimit);
  EXPECT_EQ(reason, StopReason::Idle) << "at " << std::hex << cpu_.pc() << " " << cpu_.fault().text
                                      << " " << image_.sourceLine(cpu_.pc());
  EXPECT_EQ(cpu_.registerValue(reg::SP), stack_);
  return cpu_.cycle() - start - kIdleCycles;
}

Cycle RuntimeMachine::jump(const std::string& name) {
  return run(symbol(name));
}

void RuntimeMachine::place(std::initializer_list<Argument> arguments) {
  if (model_ == Model::Stack) {
    std::uint32_t address = stack_;
    for (const Argument& a : arguments) {
      if (const double* value = std::get_if<double>(&a)) setNumber(address--, *value);
      if (const auto* value = std::get_if<std::uint32_t>(&a)) setWord(address--, *value);
    }
    return;
  }
  std::vector<unsigned> floats = {reg::R2, reg::R3};
  std::vector<unsigned> integers = {reg::AR2, reg::R2, reg::R3, reg::RC, reg::RS, reg::RE};
  for (const Argument& a : arguments) {  // floats choose first
    const double* value = std::get_if<double>(&a);
    if (value == nullptr) continue;
    cpu_.setExtended(floats.at(0), extendedFromDouble(*value));
    integers.erase(std::find(integers.begin(), integers.end(), floats[0]));
    floats.erase(floats.begin());
  }
  for (const Argument& a : arguments) {
    const auto* value = std::get_if<std::uint32_t>(&a);
    if (value == nullptr) continue;
    cpu_.setRegister(integers.at(0), *value);
    integers.erase(integers.begin());
  }
}

Cycle RuntimeMachine::call(const std::string& name, std::initializer_list<Argument> arguments) {
  // Scratch registers hold anything, the others must keep what they hold: R4 and R5 as integers, R6
  // and R7 as singles, AR3-AR7 and DP.
  for (unsigned n = 0; n < 8; ++n)
    cpu_.setExtended(n,
                     {static_cast<std::int8_t>(random_()), static_cast<std::uint32_t>(random_())});
  for (unsigned n = reg::AR0; n <= reg::BK; ++n)
    cpu_.setRegister(n, static_cast<std::uint32_t>(random_()) & 0xFFFFFF);
  cpu_.setRegister(reg::DP, random_() & 0xFF);
  place(arguments);
  std::array<std::uint32_t, reg::kCount> before{};
  for (unsigned n = 0; n < reg::kCount; ++n) before[n] = cpu_.registerValue(n);
  const Float40 six = cpu_.extended(6);
  const Float40 seven = cpu_.extended(7);

  const Cycle cycles = run(symbol(name));

  for (const unsigned n : kKept)
    EXPECT_EQ(cpu_.registerValue(n), before[n]) << name << " changed register " << n;
  for (const auto& [n, old] : {std::pair{6u, six}, std::pair{7u, seven}}) {
    EXPECT_EQ(cpu_.extended(n).exponent, old.exponent) << name << " changed R" << n;
    EXPECT_EQ(cpu_.extended(n).mantissa >> 8, old.mantissa >> 8) << name << " changed R" << n;
  }
  return cycles;
}

double Singles::uniform(double low, double high) {
  return doubleFromSingle(
      singleFromDouble(std::uniform_real_distribution<double>(low, high)(engine_)));
}

double Singles::anyMagnitude(int low, int high) {
  const int exponent = std::uniform_int_distribution<int>(low, high)(engine_);
  const std::uint32_t word = static_cast<std::uint32_t>(exponent) << 24 |
                             (static_cast<std::uint32_t>(engine_()) & 0xFFFFFF);
  return doubleFromSingle(word);
}

double ulps(double got, double expected) {
  if (got == expected) return 0;
  int exponent = -127;
  if (expected != 0) exponent = std::max(std::ilogb(expected), -127);
  return std::abs(got - expected) / std::ldexp(1.0, exponent - 23);
}

}  // namespace rtvp::c32::testing
