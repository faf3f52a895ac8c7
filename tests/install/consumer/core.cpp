// A core by itself: two RISC-V instructions on the hart, in a program that has no SystemC. Its
// headers by both spellings.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <rtvp/models/xphmg/hart/hart.hpp>
#include <span>
#include <vector>

#include "models/xphmg/hart/hart.hpp"

#ifdef SYSTEMC_VERSION
#error "a core knows no SystemC"
#endif
static_assert(__cplusplus >= 202002L);

namespace {

class NoDevices final : public rtvp::rv64::Bus {
  bool read(std::uint64_t, std::span<std::uint8_t>, std::uint64_t&) override { return false; }
  bool write(std::uint64_t, std::span<const std::uint8_t>, std::uint64_t&) override {
    return false;
  }
};

}  // namespace

int main() {
  constexpr std::array<std::uint32_t, 2> kProgram{0x12345537,   // lui a0, 0x12345
                                                  0x67850513};  // addi a0, a0, 0x678
  std::vector<std::uint8_t> ram(4096);
  std::memcpy(ram.data(), kProgram.data(), sizeof kProgram);
  NoDevices bus;
  rtvp::rv64::Hart hart(bus, {});
  hart.addRam(0x80000000, ram);
  hart.reset(0x80000000);
  (void)hart.run(kProgram.size());
  std::printf("a0 %llx\n", static_cast<unsigned long long>(hart.x(10)));
  return 0;
}
