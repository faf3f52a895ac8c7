// The processor with any words, any peripheral settings and a board that holds it up at will: DMA,
// timers, serial port, cache, memory widths, HOLD, interrupts, interlocks. A run that is held up
// ends as one that is not, and every cycle is accounted for. Input: options, registers, stores to
// peripherals, outside events, then the words at the PC.
#include <algorithm>
#include <cstring>
#include <sstream>

#include "models/c32/cpu.hpp"
#include "models/c32/peripheral_registers.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

namespace {

using namespace rtvp::c32;  // NOLINT(google-build-using-namespace): a program about this namespace

constexpr std::size_t kStores = 12;
constexpr std::size_t kHeader = 8 + 4 * reg::kCount + 5 * kStores;
constexpr Cycle kHorizon = 4000;
constexpr std::uint64_t kInstructions = 400;

constexpr std::uint32_t scrambled(std::uint32_t x) {
  x ^= x >> 15;
  x *= 0x2C1B3C6Du;
  return x ^ x >> 12;
}

/// 64K words mirrored all over, a few addresses that answer with an error, pins that come and go.
class Board final : public CpuPort {
 public:
  Board() : memory_(0x10000) {
    for (std::uint32_t i = 0; i < memory_.size(); ++i) memory_[i] = scrambled(i + 1);
  }
  /// From now on refuses accesses and samplings, in an order that `seed` decides; 0: none.
  void holdUp(std::uint32_t seed) { obstinate_ = seed; }
  BusReply busAccess(const BusRequest& request) override {
    if (refuse()) return {.status = BusReply::Status::Blocked};
    if (request.address % 4093 == 77) return {.status = BusReply::Status::Error};
    BusReply reply;
    reply.start = request.cycle + (request.address % 11 == 0 ? 3 : 0);
    reply.externalWait = request.address % 7 == 0 ? 2 : 0;
    std::uint32_t& word = memory_[request.address & 0xFFFF];
    if (request.op == BusOp::Write) {
      word = request.data;
    } else {
      reply.data = word;
    }
    hash_ = scrambled(hash_ ^ request.address ^ request.data) +
            static_cast<std::uint32_t>(request.cycle) + request.byteEnable;
    return reply;
  }
  void pinsDriven(Drive /*xf0*/, Drive /*xf1*/, Cycle cycle) override { note(cycle); }
  PinReply pinsSampled(Cycle cycle) override {
    if (refuse()) return {.ready = false};
    return {true, (cycle >> 4 & 1u) != 0, (cycle >> 5 & 3u) != 0};
  }
  void serialTransmitted(std::uint32_t word, int bits, Cycle arrival) override {
    note(arrival + word + static_cast<Cycle>(bits));
  }
  void serialAcknowledged(Cycle arrival) override { note(arrival); }
  void holdAcknowledged(bool active, Cycle cycle) override { note(cycle * 2 + (active ? 1 : 0)); }
  void pinDriven(Pin pin, Drive drive, Cycle cycle) override {
    note(cycle + static_cast<Cycle>(pin) * 64 + static_cast<Cycle>(drive));
  }
  [[nodiscard]] std::uint32_t hash() const {
    std::uint32_t all = hash_;
    for (const std::uint32_t word : memory_) all = scrambled(all ^ word);
    return all;
  }

 private:
  void note(Cycle what) { hash_ = scrambled(hash_ ^ static_cast<std::uint32_t>(what)); }
  /// Never twice running.
  bool refuse() {
    if (obstinate_ == 0) return false;
    obstinate_ = scrambled(obstinate_) | 1u;
    last_ = !last_ && obstinate_ % 8 >= 4;
    return last_;
  }
  std::uint32_t obstinate_ = 0;
  bool last_ = false;
  std::uint32_t hash_ = 1;
  std::vector<std::uint32_t> memory_;
};

std::uint32_t wordAt(const std::uint8_t* data, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, data + at, 4);
  return word;
}

CpuConfig configOf(const std::uint8_t* data) {
  CpuConfig config;
  config.timing = static_cast<Timing>(data[0] % 3);
  config.microprocessorMode = (data[0] & 8) == 0;
  config.prgwPin = (data[0] & 16) != 0;
  config.trapUninitialised = (data[0] & 32) != 0 && data[7] == 1;
  config.serialBlockSync = (data[0] & 64) != 0;
  config.interlockInterruptible = (data[0] & 128) == 0;
  config.timerClockHz = {7'000'000, 0};
  config.reservedBitsKept = (data[7] & 2) != 0;
  config.pairFlagsOfSum = (data[7] & 4) != 0;
  config.secondStoreRemains = (data[7] & 8) != 0;
  config.repeatCountEndsZero = (data[7] & 16) != 0;
  config.gieClearCycles = (data[7] & 32) != 0 ? 3 : 0;
  config.requestShowsInOutxf0 = (data[7] & 64) == 0;
  config.serialExternalSync = (data[7] & 128) == 0;
  return config;
}

/// Any frame: lengths, rates and polarities that fit or not.
SerialFrame frameOf(std::uint32_t seed, Cycle arrival) {
  SerialFrame f;
  f.word = scrambled(seed);
  f.bits = 8 * (1 + static_cast<int>(seed & 3));
  f.arrival = arrival;
  f.bitNumerator = 1 + (seed >> 2 & 7);
  f.bitDenominator = 1 + (seed >> 5 & 1);
  f.sync = (seed >> 6 & 3) != 0;
  f.variable = (seed >> 8 & 1) != 0;
  f.leadingOne = (seed >> 9 & 3) == 0;
  f.clockLow = (seed >> 11 & 3) == 0;
  f.dataLow = (seed >> 13 & 1) != 0;
  f.syncLow = (seed >> 14 & 3) == 0;
  return f;
}

/// Registers, program, stores to peripherals, and what will come from outside.
void prepare(Cpu& cpu, const std::uint8_t* data, std::size_t size) {
  cpu.poke(0x808064, 0x000F0008);
  for (std::uint32_t i = 0; i < kRamWords; ++i) {
    const std::size_t at = kHeader + 4 * std::size_t{i};
    cpu.poke(kRamBase + i, at + 4 <= size ? wordAt(data, at) : scrambled(i) & 0x0FFFFFFFu);
  }
  const std::uint32_t kept = *cpu.peek(kRamBase + 511);
  for (std::size_t k = 0; k < kStores; ++k) {
    const std::uint8_t* store = data + 8 + 4 * reg::kCount + 5 * k;
    cpu.poke(kRamBase + 511, 0x1540C000);  // STI R0,*AR0
    cpu.setRegister(
        reg::AR0,
        kPeripheralBase + kPeripheralRegisters[store[0] % kPeripheralRegisters.size()].offset / 4);
    cpu.setRegister(0, wordAt(store, 1));
    cpu.setPc(kRamBase + 511);
    cpu.run(kNever, 1);
  }
  cpu.poke(kRamBase + 511, kept);
  for (unsigned n = 0; n < reg::kCount; ++n) cpu.setRegister(n, wordAt(data, 8 + 4 * n));
  cpu.setPc((data[1] & 1) != 0 ? 0x001000u + data[2] : kRamBase + data[2]);
  for (unsigned n = 0; n < 4; ++n) {
    if ((data[3] >> n & 1) == 0) continue;
    cpu.setInterruptLine(n, true, cpu.cycle() + data[4] * (n + 1u));
    if ((data[3] >> (n + 4) & 1) != 0) {
      cpu.setInterruptLine(n, false, cpu.cycle() + data[4] * (n + 1u) + 3);
    }
  }
  for (unsigned n = 0; n < data[5] % 4u; ++n) {
    cpu.deliverSerial(scrambled(n), cpu.cycle() + 90 * n + data[4]);
    cpu.deliverSerial(frameOf(scrambled(data[6] + n), cpu.cycle() + 70 * n + data[6]));
    cpu.acknowledgeSerial(cpu.cycle() + 200 * n + data[4]);
    cpu.setPin(Pin::Tclk1, n % 2 == 0);
  }
  if ((data[5] & 0x80) != 0) {
    cpu.setHold(true, cpu.cycle() + data[6]);
    cpu.setHold(false, cpu.cycle() + data[6] + 100);
  }
}

std::string outcome(const std::uint8_t* data, std::size_t size, std::uint32_t obstinate) {
  Board board;
  Cpu cpu(configOf(data), board);
  prepare(cpu, data, size);
  const std::uint64_t first = cpu.statistics().instructions;
  StopReason why = StopReason::Blocked;
  board.holdUp(obstinate);
  for (int attempt = 0; attempt < 20'000 && why == StopReason::Blocked; ++attempt) {
    const std::uint64_t done = cpu.statistics().instructions - first;
    why = cpu.run(kHorizon, kInstructions - done);
    if (why == StopReason::Blocked && cpu.pending().kind == Pending::Kind::Hold) break;
  }
  require(cpu.statistics().totalCycles() == cpu.cycle() - cpu.resetCycle(), "cycles are accounted");
  std::ostringstream out;
  out << static_cast<int>(why) << ' ' << cpu.pc() << ' ' << cpu.cycle() << ' ' << cpu.fault().text
      << ' ' << board.hash();
  for (unsigned n = 0; n < reg::kCount; ++n) out << ' ' << cpu.registerValue(n);
  for (unsigned n = 0; n < 8; ++n) out << ' ' << static_cast<int>(cpu.extended(n).exponent);
  for (const std::uint64_t cycles : cpu.statistics().stalls()) out << ' ' << cycles;
  for (std::uint32_t i = 0; i < kRamWords; ++i) out << ' ' << *cpu.peek(kRamBase + i);
  for (const auto& row : kPeripheralRegisters) {
    out << ' ' << *cpu.peek(kPeripheralBase + row.offset / 4);
  }
  return out.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeader + 4) return 0;
  const std::string straight = outcome(data, size, 0);
  require(outcome(data, size, scrambled(data[6] + 1u) | 1u) == straight,
          "held up or not: the same");
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  const auto word = [](std::string& out, std::uint32_t value) {
    for (int k = 0; k < 4; ++k) out += static_cast<char>(value >> 8 * k & 0xFF);
  };
  // Row of the register table and value: timers, both DMA channels, serial port, bus control.
  constexpr std::pair<unsigned, std::uint32_t> kSettings[kStores] = {
      {10, 40}, {8, 0x2C1}, {13, 9},          {11, 0x3C1},  {1, 0x001200},    {2, 0x87FF40},
      {3, 20},  {0, 0xC53}, {14, 0x0FFC4C04}, {20, 0xBEEF}, {23, 0x000F0008}, {24, 0x00040008}};
  std::vector<std::string> result;
  for (const unsigned mode : {0x00u, 0x02u, 0x11u, 0x0Au}) {
    std::string s;
    for (const unsigned byte : {mode, mode >> 1, 0u, 0x35u, 40u, 0x83u, 77u, 0u}) {
      s += static_cast<char>(byte);
    }
    for (unsigned n = 0; n < reg::kCount; ++n) {
      const bool pointer = n >= reg::AR0 && n <= reg::AR7;
      word(s, pointer         ? (n % 2 != 0 ? 0x87FF00 : 0x1000) + 8 * n
              : n == reg::SP  ? 0x87FFC0
              : n == reg::ST  ? 0x2800
              : n == reg::IE  ? 0x0100070F
              : n == reg::IF  ? 0x00120000
              : n == reg::IOF ? 6
                              : 4 + n);
    }
    for (const auto& [row, value] : kSettings) {
      s += static_cast<char>(row);
      word(s, value);
    }
    for (const std::uint32_t w :
         {0x80102120u, 0x0F230000u, 0x0EA40000u, 0x139B0003u, 0x0841C800u, 0x15C1C000u, 0x08C2C100u,
          0x16000000u, 0x21232201u, 0x6A200002u, 0x03830001u, 0x01830001u, 0xCD6621C0u, 0x02000001u,
          0x10751800u, 0x06000000u, 0x60001000u}) {
      word(s, w);
    }
    result.push_back(s);
  }
  return result;
}

}  // namespace rtvp::fuzz
