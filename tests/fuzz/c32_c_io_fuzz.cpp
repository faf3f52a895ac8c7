// C input and output with any requests: each is answered, and nothing but the buffer changes.
// Input: requests, each a length byte, eleven bytes of command and parameters, and data. Files lie
// in a folder of this process; no name leads out of it.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/debug/c_io.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;
namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t kBuffer = 0x100, kGuard = 0x20000, kGuardWord = 0x600DF00D;

rtvp::c32::Image program() {
  rtvp::c32::Image image;
  image.symbols["__CIOBUF_"] = {kBuffer, -1, true};
  image.symbols["C$$IO$$"] = {0, -1, true};
  return image;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rtvp::c32;
  const fs::path folder =
      fs::temp_directory_path() / ("rtvp_c_io_fuzz_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  {
    Machine machine({}, {});
    const Image image = program();
    std::size_t typed = 0, printed = 0;
    CInputOutput io(machine, image,
                    {[&] { return typed < 5000 ? static_cast<int>(typed++ % 256) : -1; },
                     [&](char) { ++printed; }, [&](char) { ++printed; }});
    machine.poke(kGuard, kGuardWord);
    for (std::size_t at = 0, requests = 0; at + 12 <= size && requests < 100; ++requests) {
      const std::size_t length = std::min<std::size_t>(data[at], size - at - 12);
      machine.poke(kBuffer, static_cast<std::uint32_t>(length));
      machine.poke(kBuffer + 1, data[at + 1]);
      for (std::uint32_t i = 0; i < 8 + length; ++i) {
        const std::uint8_t c = data[at + (i < 8 ? 2 + i : 4 + i)];
        const std::uint32_t word = kBuffer + 2 + i / 4;
        machine.poke(word,
                     (i % 4 == 0 ? 0 : machine.peek(word)) |
                         std::uint32_t{i >= 8 && c == '/' ? std::uint8_t{'_'} : c} << (i % 4 * 8));
      }
      at += 12 + length;
      io.serve();
      require(machine.peek(kBuffer) < kGuard - kBuffer - 9, "the answer has a bounded length");
      require(machine.peek(kGuard) == kGuardWord, "the answer stays in the buffer");
    }
  }
  fs::current_path(before);
  fs::remove_all(folder);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  const auto request = [](char command, const std::string& parameters, const std::string& text) {
    std::string r(12, '\0');
    r[0] = static_cast<char>(text.size());
    r[1] = command;
    for (std::size_t i = 0; i < parameters.size() && i < 8; ++i) r[2 + i] = parameters[i];
    return r + text;
  };
  std::string all;
  const std::string name("f\0", 2);
  for (int command = 0xF0; command <= 0xF9; ++command)
    all += request(static_cast<char>(command), std::string("\x05\0\x02\x06\0\0\0\0", 8), name);
  return {all, all + all};
}

}  // namespace rtvp::fuzz
