// The processor with any words from any state: it stops or goes on, its account of cycles closes,
// and observing it changes nothing. Input: timing, registers, then the words at the PC.
#include <cstring>

#include "models/c32/debug/report.hpp"
#include "models/c32/debug/session.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

namespace {

using namespace rtvp::c32;  // NOLINT(google-build-using-namespace): a program about this namespace

constexpr std::size_t kHeader = 1 + 4 * reg::kCount;

/// Registers, memory and cycles after at most 300 instructions.
std::string outcome(const std::uint8_t* data, std::size_t size, bool observed) {
  CpuConfig config;
  config.timing = static_cast<Timing>(data[0] % 3);
  config.flatMemory = (data[0] & 0x40) != 0;
  MachineOptions memory;
  memory.wait = data[0] >> 3 & 1;
  memory.dsps = (data[0] & 0x10) != 0 ? 3 : 1;
  memory.serialLoopback = (data[0] & 0x20) != 0;
  if (!memory.serialLoopback) memory.serialWords = {{0x12345678, 0x9A}, {0xBCDEF012}};
  Machine machine(config, memory);
  Image image;
  const bool internal = (data[0] & 0x80) != 0;
  const std::uint32_t start = internal ? 0x87FE00 : 0x100;
  image.entry = start;
  Section code;
  code.name = "code";
  code.loadAddress = code.runAddress = start;
  for (std::size_t at = kHeader; at + 4 <= size && code.words.size() < 256; at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, data + at, 4);
    code.words.push_back(word);
  }
  code.size = static_cast<std::uint32_t>(code.words.size());
  image.sections.push_back(std::move(code));
  machine.load(image);
  for (unsigned n = 0; n < reg::kCount; ++n) {
    std::uint32_t value = 0;
    std::memcpy(&value, data + 1 + 4 * n, 4);
    machine.cpu().setRegister(n, value);
  }
  SessionOptions options;
  options.maxInstructions = 300;
  options.maxCycles = 100'000;
  Session session(machine, image, options);
  session.counting = observed;
  const StopReport stop = session.run();
  require(machine.cpu().statistics().totalCycles() == machine.cpu().cycle(),
          "cycles are accounted");
  return stop.text + registerText(machine.cpu()) + statisticsText(machine.cpu()) +
         memoryText(machine, 0x87FE00, 512, false);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeader + 4) return 0;
  const std::string fast = outcome(data, size, false);
  require(outcome(data, size, true) == fast, "observing changes nothing");
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  const auto word = [](std::string& out, std::uint32_t value) {
    for (int k = 0; k < 4; ++k) out += static_cast<char>(value >> 8 * k & 0xFF);
  };
  std::vector<std::string> result;
  for (const int mode : {0x80, 0x01, 0x8A, 0x42, 0x90, 0x31}) {
    std::string s(1, static_cast<char>(mode));
    for (unsigned n = 0; n < reg::kCount; ++n)
      word(s, n >= reg::AR0 && n <= reg::AR7 ? 0x87FF00 + 8 * n : n == reg::SP ? 0x87FFC0 : 4 + n);
    for (const std::uint32_t w : {0x80102120u, 0x0F230000u, 0x0EA40000u, 0x139B0003u, 0x0841C800u,
                                  0x15C1C000u, 0x21232201u, 0x6A200002u, 0x03830001u, 0x01830001u,
                                  0xCD6621C0u, 0x02000001u, 0x6EC0FFF0u, 0x74000023u, 0x06000000u})
      word(s, w);
    result.push_back(s);
  }
  return result;
}

}  // namespace rtvp::fuzz
