// The debugger's commands on any text: nothing but messages comes of it, and a checked line means
// the same machine. The program is small and ends by its instruction limit.
#include "models/c32/asm/assembler.hpp"
#include "models/c32/debug/driver.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

namespace {

using namespace rtvp::c32;  // NOLINT(google-build-using-namespace): a program about this namespace

struct Lines final : rtvp::debug::Host {
  void print(const std::string& text) override { said += text.size(); }
  std::optional<std::string> line(const std::string& /*prompt*/) override {
    if (rest.empty() || ++given > 50) return std::nullopt;
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string first = rest.substr(0, end);
    rest.erase(0, end + 1);
    return first;
  }
  const std::vector<std::string>* source(const std::string& /*path*/) override { return nullptr; }
  std::optional<std::string> commands(const std::string& /*path*/) override { return std::nullopt; }
  bool log(const std::string& /*path*/) override { return false; }
  std::string rest;
  std::size_t said = 0;
  int given = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLongest = 4096;
  if (size > kLongest) return 0;
  static const AssemblyResult program = assemble(
      "p.asm", "_start: LDI 3,R1\nloop: CALL work\n\tSUBI 1,R1\n\tBNZ loop\n\tIDLE\nwork: RETS\n",
      {});
  require(program.image.has_value(), "the program assembles");
  Machine machine({}, {.wait = 0});
  machine.load(*program.image);
  machine.cpu().setRegister(reg::SP, 0x200);
  SessionOptions limits;
  limits.maxInstructions = 500;
  limits.maxCycles = 20'000;
  Session session(machine, *program.image, limits);
  Lines host;
  host.rest.assign(reinterpret_cast<const char*>(data), size);
  Driver driver(session, host);
  try {
    driver.dialogue().check(host.rest);
  } catch (const rtvp::debug::CommandError&) {
    require(host.said == 0, "checking says nothing itself");
  }
  require(machine.cpu().cycle() == 0, "checking moves nothing");
  // Actions that go on for ever are the user's; here somebody presses Ctrl-C and leaves.
  if (host.rest.find("do") != std::string::npos) return 0;
  driver.run();
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {"break work if R1 == 2 && [0x200].u > 3 skip 1 once group g\nrun\nwhere\nregs\ninfo",
          "watch R1\nrun; run\nwatch 200h 4 rw if new == old+1\nrun\ndelete",
          "stop if R0.f * 2 > abs(-1.5e3)\nstep 3; next; finish\nprint c32.R1 ? ~1 : *AR0 << 3",
          "break p.asm:3 do { print R1; run }\nrun 100 cycles\nrun 5 us\nrun 7 instructions",
          "set R0.f = -1.5; set [work+2] 0FFh; poke 200h 'a'\nmemory 0 40 real; dis work 3",
          "display R1\nhelp watch\nhelp expressions\nunits R1, PC\nlist :2\ntrace on\nstep\n\n",
          "stop interrupt\ninterrupt 0\ncount on\nrun\nprofile; lines; coverage; stats; quit"};
}

}  // namespace rtvp::fuzz
