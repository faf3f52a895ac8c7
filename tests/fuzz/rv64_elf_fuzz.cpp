// The hart with the XPHMG instructions under any program: it stops or goes on, observing it changes
// nothing, its cycles are never fewer than what retired, and it stays within RAM and LDS. Input: a
// byte that chooses the form, then either an ELF file or code words to run at the start of RAM.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>

#include "models/xphmg/hart/machine.hpp"
#include "models/xphmg/hart_extension.hpp"
#include "models/xphmg/queue.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/models/xphmg/hart/program.hpp"

using rtvp::fuzz::require;

namespace {

using namespace rtvp;  // NOLINT(google-build-using-namespace): a program about these namespaces
using rv64::Outcome;

constexpr std::uint64_t kRam = 0x10000, kInstructions = 2000;

/// RAM and LDS as the unit's inline operations see them.
class Port : public xphmg::MemoryPort {
 public:
  explicit Port(rv64::MachineMemory memory) : memory_(memory) {}
  const std::uint8_t* read(xphmg::AccessKind /*kind*/, std::uint64_t address,
                           unsigned size) override {
    return at(address, size);
  }
  bool write(xphmg::AccessKind /*kind*/, std::uint64_t address, const std::uint8_t* data,
             unsigned size) override {
    std::uint8_t* const to = at(address, size);
    if (to != nullptr) std::memcpy(to, data, size);
    return to != nullptr;
  }

 private:
  std::uint8_t* at(std::uint64_t address, unsigned size) {
    const auto inside = [&](std::uint64_t base, std::span<std::uint8_t> bytes) -> std::uint8_t* {
      return address >= base && size <= bytes.size() && address - base <= bytes.size() - size
                 ? bytes.data() + (address - base)
                 : nullptr;
    };
    std::uint8_t* const ram = inside(rv64::kRamBase, memory_.ram);
    return ram != nullptr ? ram : inside(rv64::kLdsBase, memory_.lds);
  }
  rv64::MachineMemory memory_;
};

/// A unit whose jobs end at once.
class Unit : public xphmg::HartUnit {
 public:
  explicit Unit(Port& port) : port_(port), csrs_(xphmg::UnitFeatures{}) {}
  std::uint64_t readCsr(unsigned number) override { return csrs_.readNumber(number).value_or(0); }
  void writeCsr(unsigned number, std::uint64_t value) override { csrs_.writeNumber(number, value); }
  xphmg::CsrFile& csrs() override { return csrs_; }
  std::uint64_t submit(std::uint64_t /*descriptor*/, std::uint64_t& stall) override {
    stall = 3;
    return ++last_;
  }
  [[nodiscard]] std::uint64_t lastTicket() const override { return last_; }
  [[nodiscard]] std::uint64_t doneTicket() const override { return last_; }
  void signalToken(unsigned token) override { tokens_.signal(token, last_, last_); }
  bool consumeToken(unsigned token) override { return tokens_.consume(token); }
  xphmg::MemoryPort& beginInline() override { return port_; }
  std::uint64_t endInline() override { return 7; }

 private:
  Port& port_;
  xphmg::CsrFile csrs_;
  xphmg::FenceTokens tokens_;
  std::uint64_t last_ = 0;
};

class Printed : public rv64::Console {
 public:
  void write(std::span<const std::uint8_t> bytes, bool /*error_stream*/) override {
    length += bytes.size();
  }
  int read() override { return -1; }
  std::size_t length = 0;
};

/// Names every instruction: disassembly must take any word.
class Watcher : public rv64::Observer {
 public:
  explicit Watcher(const xphmg::HartExtension& extension) : extension_(extension) {}
  bool before(const rv64::Hart& hart, const rv64::Decoded& d) override {
    require(!rv64::disassemble(d, hart.pc()).empty(), "every instruction has a text");
    (void)extension_.disassemble(d.word);
    return true;
  }
  void after(const rv64::Hart& hart, const rv64::Decoded& /*d*/, bool /*retired*/) override {
    require(hart.x(0) == 0, "x0 is 0");
  }

 private:
  const xphmg::HartExtension& extension_;
};

/// How the program ended, all registers, and memory; empty: no program.
std::optional<std::string> outcome(std::span<const std::uint8_t> file, bool observed) {
  rv64::ElfImage image;
  try {
    image = rv64::readElf(file);
  } catch (const rv64::ElfError& e) {
    require(*e.what() != '\0', "an error has a text");
    return std::nullopt;
  }
  rv64::OwnedMemory memory(kRam);
  Printed console;
  rv64::MachineOptions options;
  options.hart.translate_after = 2;  // who is not observed has host code
  rv64::Machine machine(options, memory.memory(), console);
  Port port(memory.memory());
  Unit unit(port);
  xphmg::HartExtension extension(unit, {});
  machine.hart().setExtension(&extension);
  Watcher watcher(extension);
  if (observed) machine.hart().setObserver(&watcher);
  try {
    machine.load(image);
  } catch (const rv64::ElfError&) {
    return std::nullopt;
  }
  Outcome end{Outcome::Kind::Yield, 0};
  // Yields are asked for by the program's own accesses; they never hold it for ever.
  while (end.kind == Outcome::Kind::Yield && machine.hart().instructionsRetired() < kInstructions)
    end = machine.run(kInstructions - machine.hart().instructionsRetired());
  const rv64::Hart& hart = machine.hart();
  require(hart.instructionsRetired() <= kInstructions, "the limit holds");
  require(hart.cycle() >= hart.instructionsRetired(), "an instruction takes a cycle");
  std::ostringstream text;
  text << static_cast<int>(end.kind) << ' ' << end.code << ' ' << hart.cycle() << ' '
       << hart.instructionsRetired() << ' ' << hart.pc() << ' ' << hart.mcause() << ' '
       << hart.mepc() << ' ' << hart.mtval() << ' ' << console.length;
  for (unsigned n = 0; n < 32; ++n) text << ' ' << hart.x(n) << ' ' << hart.f(n);
  std::uint64_t sum = 0;
  for (const std::uint8_t byte : memory.memory().ram) sum = sum * 31 + byte;
  for (const std::uint8_t byte : memory.memory().lds) sum = sum * 31 + byte;
  text << ' ' << sum;
  return text.str();
}

/// Registers that point into RAM and switch on what resets off, then the input's words.
std::vector<std::uint8_t> program(const std::uint8_t* data, std::size_t size) {
  using rv64::Op;
  using rv64::test::encode;
  std::vector<std::uint32_t> words;
  words.push_back(encode(Op::LUI, {.rd = 5, .imm = 0x6000}));
  words.push_back(encode(Op::CSRRS, {.rs1 = 5, .imm = 0x300}));  // mstatus.FS
  words.push_back(encode(Op::AUIPC, {.rd = 10, .imm = 0x1000}));
  for (unsigned n = 11; n < 16; ++n)
    words.push_back(
        encode(Op::ADDI, {.rd = n, .rs1 = n - 1, .imm = static_cast<std::int32_t>(8 * n)}));
  words.push_back(encode(Op::CSRRW, {.rs1 = 10, .imm = 0x8AA}));  // RTNODE
  words.push_back(encode(Op::CSRRW, {.rs1 = 10, .imm = 0x8AB}));  // RTTRI
  std::vector<std::uint8_t> bytes(words.size() * 4 + std::min<std::size_t>(size, 2048));
  std::memcpy(bytes.data(), words.data(), words.size() * 4);
  std::copy_n(data, bytes.size() - words.size() * 4,
              bytes.begin() + static_cast<std::ptrdiff_t>(words.size() * 4));
  return rv64::test::elfAround(rv64::kRamBase, bytes, rv64::kRamBase);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::vector<std::uint8_t> file = (data[0] & 1U) != 0
                                             ? std::vector<std::uint8_t>(data + 1, data + size)
                                             : program(data + 1, size - 1);
  const auto fast = outcome(file, false);
  require(outcome(file, true) == fast, "observing changes nothing");
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  using rv64::Op;
  using rv64::test::encode;
  const auto text = [](std::span<const std::uint32_t> words) {
    std::string s;
    for (const std::uint32_t w : words) s.append(reinterpret_cast<const char*>(&w), 4);
    return s;
  };
  std::vector<std::string> result;
  // Every instruction of the table, a few at a time.
  std::vector<std::uint32_t> words;
  for (const rv64::InstructionRow& row : rv64::instructions()) {
    words.push_back(encode(row.op, {.rd = 12, .rs1 = 10, .rs2 = 11, .imm = 8}));
    if (words.size() < 12) continue;
    result.push_back(std::string(1, '\0') + text(words));
    words.clear();
  }
  result.push_back(std::string(1, '\0') + text(words));
  // RT.BBOX, RT.TRI, lanes, predicates, submit and fences.
  const std::uint32_t vendor[] = {0x0045658B, 0x0015758B, 0x0040000B, 0x0015758B, 0x0030100B,
                                  0x00A50633, 0x0200200B, 0x0015658B, 0x0015658B, 0x002502FB,
                                  0x0002907B, 0x0010207B, 0x0010107B, 0x0020307B, 0x1000407B,
                                  0x6015407B, 0x0000300B};
  result.push_back(std::string(1, '\0') + text(vendor));
  const auto file = program(reinterpret_cast<const std::uint8_t*>(vendor), sizeof vendor);
  std::string small(1, '\1');
  small.append(file.begin(), file.end());
  result.push_back(small);
  return result;
}

}  // namespace rtvp::fuzz
