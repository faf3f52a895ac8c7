// Random programs on the hart and on qemu-riscv64 (Debian's qemu-user): same registers, same
// memory, same flags. Fails where that program is not installed (scripts/setup does it).
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <random>

#include "models/xphmg/hart/compressed.hpp"
#include "models/xphmg/hart/machine.hpp"
#include "tests/models/xphmg/hart/program.hpp"

namespace rtvp::rv64 {
namespace {

constexpr std::uint64_t kCode = kRamBase;
constexpr std::size_t kDataOffset = 0x4000;
constexpr std::size_t kDataBytes = 0x2000;
constexpr unsigned kBase = 8;    ///< s0 points into the middle of the data
constexpr unsigned kAtomic = 9;  ///< s1 points to an aligned place of it
constexpr std::size_t kMiddle = 0x800;
constexpr std::size_t kRegisters = 0x1000;  ///< of the data: where initial and final registers lie
constexpr std::size_t kDumped = 65 * 8;

/// One random program: registers loaded from data, instructions that cannot trap, registers stored.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed) {
    image_.resize(kDataOffset + kDataBytes);
    fillData();
    prologue();
    for (int i = 0; i < 400; ++i) instruction();
    epilogue();
  }
  [[nodiscard]] std::vector<std::uint8_t> elf() const {
    return test::elfAround(kCode, image_, kCode);
  }
  [[nodiscard]] std::string listing() const {
    std::ostringstream out;
    for (std::size_t at = 0; at < size_;) {
      std::uint32_t word = 0;
      std::memcpy(&word, image_.data() + at, 4);
      const Decoded d = decode(word);
      out << std::hex << kCode + at << ": " << disassemble(d, kCode + at) << '\n';
      at += d.length;
    }
    return out.str();
  }

 private:
  unsigned pick(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  void emit(std::uint32_t word) {
    std::memcpy(image_.data() + size_, &word, 4);
    size_ += 4;
  }
  void emitHalf(std::uint32_t half) {
    std::memcpy(image_.data() + size_, &half, 2);
    size_ += 2;
  }
  void emit(Op op, const test::Operands& operands) { emit(test::encode(op, operands)); }

  /// Boxed singles, doubles and odd patterns; integers small, large and at the edges.
  void fillData() {
    for (std::size_t at = 0; at < kDataBytes; at += 8) {
      std::uint64_t value = random_();
      switch (pick(8)) {
        case 0:
          value = 0xFFFFFFFF00000000U | (value & 0xFFFFFFFFU);
          break;
        case 1:
          value = 0xFFFFFFFF00000000U | 0x3F000000U | (value & 0xFFFFFFU);
          break;
        case 2:
          value = 0x3FE0000000000000U | (value & 0x001FFFFFFFFFFFFFU);
          break;
        case 3:
          value = value % 17;
          break;
        case 4:
          value = ~(value % 17);
          break;
        case 5:
          value = std::uint64_t{1} << (value % 64);
          break;
        case 6:
          value = (value & 0x8000000000000000U) | 0x7FF0000000000000U | (value & 3U);
          break;
        default:
          break;
      }
      std::memcpy(image_.data() + kDataOffset + at, &value, 8);
    }
  }

  /// s0 := middle of the data. `auipc` reaches it from anywhere in the code.
  void pointBase() {
    const auto distance = static_cast<std::int32_t>(kDataOffset + kMiddle - size_);
    emit(Op::AUIPC, {.rd = kBase, .imm = (distance + 0x800) & ~0xFFF});
    emit(Op::ADDI, {.rd = kBase, .rs1 = kBase, .imm = ((distance + 0x800) & 0xFFF) - 0x800});
  }

  void prologue() {
    pointBase();
    emit(Op::ADDI, {.rd = 1, .rs1 = kBase, .imm = 0x7F8});
    emit(Op::ADDI,
         {.rd = 1, .rs1 = 1, .imm = static_cast<std::int32_t>(kRegisters - kMiddle) - 0x7F8});
    emit(Op::CSRRWI, {.rd = 0, .rs1 = pick(5), .imm = 2});  // frm
    for (unsigned n = 0; n < 32; ++n) {
      emit(Op::FLD, {.rd = n, .rs1 = 1, .imm = static_cast<std::int32_t>(8 * (32 + n))});
    }
    for (unsigned n = 31; n > 0; --n) {
      if (n != kBase) emit(Op::LD, {.rd = n, .rs1 = 1, .imm = static_cast<std::int32_t>(8 * n)});
    }
    emit(Op::ADDI, {.rd = kAtomic, .rs1 = kBase, .imm = -64});
  }

  unsigned destination() {
    unsigned rd = pick(32);
    while (rd == kBase || rd == kAtomic) rd = pick(32);
    return rd;
  }

  void instruction() {
    if (pick(6) == 0) {
      compressed();
      return;
    }
    const auto rows = instructions();
    const InstructionRow& r = rows[pick(static_cast<unsigned>(rows.size()))];
    test::Operands o{.rd = destination(), .rs1 = pick(32), .rs2 = pick(32)};
    o.rs3 = pick(32);
    o.rm = pick(6) == 5 ? 7 : pick(5);
    o.imm = static_cast<std::int32_t>(random_());
    switch (r.format) {
      case Format::FRm:
      case Format::F1Rm:
      case Format::R4:
      case Format::F:
      case Format::XToF:
      case Format::XToFRm:
        o.rd = pick(32);
        break;
      case Format::Load:
      case Format::Store:
      case Format::FStore:
        o.rs1 = kBase;
        break;
      case Format::FLoad:
        o.rs1 = kBase;
        o.rd = pick(32);
        break;
      case Format::Lr:
      case Format::Amo:
        if (r.op == Op::SC_W || r.op == Op::SC_D) return;  // only after its LR
        o.rs1 = kAtomic;
        break;
      case Format::B:
        o.imm = 8;
        break;
      case Format::J:
        o.imm = 8;
        break;
      case Format::JumpI:
      case Format::None:
      case Format::Custom:
        return;
      case Format::Csr:
      case Format::CsrI:
        o.imm = 1 + static_cast<std::int32_t>(pick(1));
        break;  // fflags
      default:
        break;
    }
    emit(r.op, o);
    if (r.op == Op::LR_W || r.op == Op::LR_D) {
      emit(r.op == Op::LR_W ? Op::SC_W : Op::SC_D,
           {.rd = destination(), .rs1 = kAtomic, .rs2 = pick(32)});
    }
    if (r.format == Format::B || r.format == Format::J) {
      emit(Op::ADDI, {.rd = destination(), .rs1 = pick(32), .imm = 77});
    }
  }

  /// A compressed instruction that works on registers alone and spares the two pointers.
  void compressed() {
    const auto half = static_cast<std::uint32_t>(random_() & 0xFFFFU);
    const Decoded d = decode(half);
    if (d.length != 2 || d.op == Op::Illegal) return;
    const Format format = row(d.op).format;
    const bool plain = format == Format::R || format == Format::I || format == Format::U ||
                       format == Format::Shift;
    if (!plain || d.rd == kBase || d.rd == kAtomic) return;
    emitHalf(half);
  }

  /// Registers to memory. x1 becomes the pointer, so its value waits in the middle of the data.
  void epilogue() {
    if (size_ % 4 != 0) emitHalf(0x0001);  // c.nop
    const auto save = [&](unsigned n, unsigned base, std::int32_t offset) {
      emit(Op::SD, {.rs1 = base, .rs2 = n, .imm = offset});
    };
    save(1, kBase, 0);
    emit(Op::ADDI, {.rd = 1, .rs1 = kBase, .imm = 0x7F8});
    emit(Op::ADDI,
         {.rd = 1, .rs1 = 1, .imm = static_cast<std::int32_t>(kRegisters - kMiddle) - 0x7F8});
    for (unsigned n = 2; n < 32; ++n) save(n, 1, static_cast<std::int32_t>(8 * n));
    for (unsigned n = 0; n < 32; ++n) {
      emit(Op::FSD, {.rs1 = 1, .rs2 = n, .imm = static_cast<std::int32_t>(8 * (32 + n))});
    }
    emit(Op::CSRRS, {.rd = 31, .rs1 = 0, .imm = 3});
    save(31, 1, 8 * 64);
    emit(Op::LD, {.rd = 31, .rs1 = kBase, .imm = 0});
    save(31, 1, 8);
    // write(1, data, size); exit(0)
    emit(Op::ADDI, {.rd = 10, .rs1 = 0, .imm = 1});
    emit(Op::ADDI, {.rd = 11, .rs1 = kBase, .imm = -static_cast<std::int32_t>(kMiddle)});
    emit(Op::LUI, {.rd = 12, .imm = static_cast<std::int32_t>(kDataBytes)});
    emit(Op::ADDI, {.rd = 17, .rs1 = 0, .imm = 64});
    emit(Op::ECALL, {});
    emit(Op::ADDI, {.rd = 10, .rs1 = 0, .imm = 0});
    emit(Op::ADDI, {.rd = 17, .rs1 = 0, .imm = 93});
    emit(Op::ECALL, {});
  }

  std::mt19937_64 random_;
  std::vector<std::uint8_t> image_;
  std::size_t size_ = 0;
};

class Silent : public Console {
 public:
  void write(std::span<const std::uint8_t>, bool) override {}
  int read() override { return -1; }
};

/// The data as the hart leaves it at the first system call.
std::vector<std::uint8_t> onHart(const std::vector<std::uint8_t>& file) {
  Silent console;
  OwnedMemory memory(std::uint64_t{1} << 20U);
  Machine machine(MachineOptions{}, memory.memory(), console);
  machine.load(readElf(file));
  machine.hart().writeCsr(0x300, 0x6000);  // FS on, as a user program finds it
  const Outcome outcome = machine.run(100000);
  EXPECT_EQ(outcome.kind, Outcome::Kind::NoHandler);
  EXPECT_EQ(machine.hart().mcause(), 11U) << "mepc " << std::hex << machine.hart().mepc();
  std::vector<std::uint8_t> data(kDataBytes);
  EXPECT_TRUE(machine.hart().peek(kCode + kDataOffset, data));
  return data;
}

std::optional<std::string> findQemu() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path candidate = std::filesystem::path(folder) / "qemu-riscv64";
    if (std::filesystem::exists(candidate)) return candidate.string();
  }
  return std::nullopt;
}

std::vector<std::uint8_t> onQemu(const std::string& qemu, const std::filesystem::path& file) {
  std::vector<std::uint8_t> data;
  std::FILE* pipe = popen((qemu + " " + file.string()).c_str(), "r");
  if (pipe == nullptr) return data;
  std::array<std::uint8_t, 4096> chunk{};
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
    data.insert(data.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(n));
  }
  EXPECT_EQ(pclose(pipe), 0);
  return data;
}

void compare(std::uint64_t first_seed, int programs) {
  const std::optional<std::string> qemu = findQemu();
  ASSERT_TRUE(qemu) << "qemu-riscv64 is not installed (Debian package qemu-user)";
  std::string pattern = (std::filesystem::temp_directory_path() / "rv64-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  const std::filesystem::path file = folder / "program";
  for (int i = 0; i < programs && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    const RandomProgram program(seed);
    const std::vector<std::uint8_t> elf = program.elf();
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(elf.data()), static_cast<std::streamsize>(elf.size()));
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    const std::vector<std::uint8_t> expected = onQemu(*qemu, file);
    const std::vector<std::uint8_t> actual = onHart(elf);
    ASSERT_EQ(expected.size(), kDataBytes) << "seed " << seed;
    for (std::size_t at = 0; at < kDataBytes; at += 8) {
      std::uint64_t want = 0;
      std::uint64_t got = 0;
      std::memcpy(&want, expected.data() + at, 8);
      std::memcpy(&got, actual.data() + at, 8);
      EXPECT_EQ(got, want) << std::hex << "seed " << std::dec << seed << ", data byte " << std::hex
                           << at
                           << (at >= kRegisters && at < kRegisters + kDumped
                                   ? " (register " + std::to_string((at - kRegisters) / 8) + ")"
                                   : "");
    }
    if (testing::Test::HasFailure()) std::cerr << program.listing();
  }
  std::filesystem::remove_all(folder);
}

TEST(HartAgainstQemu, RandomProgramsAgree) {
  compare(1, 150);
}

}  // namespace
}  // namespace rtvp::rv64
