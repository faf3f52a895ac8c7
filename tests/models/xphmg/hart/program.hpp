// Builds small programs for the hart's tests: words from the instruction table, ELF files around
// them.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "models/xphmg/hart/isa.hpp"

namespace rtvp::rv64::test {

/// Puts an immediate where `format` wants it.
[[nodiscard]] inline std::uint32_t immediateBits(Format format, std::int32_t imm) {
  const auto u = static_cast<std::uint32_t>(imm);
  switch (format) {
    case Format::I:
    case Format::JumpI:
    case Format::Load:
    case Format::FLoad:
    case Format::Shift:
    case Format::ShiftW:
    case Format::Csr:
    case Format::CsrI:
      return u << 20U;
    case Format::Store:
    case Format::FStore:
      return ((u >> 5U) << 25U) | ((u & 31U) << 7U);
    case Format::B:
      return (((u >> 12U) & 1U) << 31U) | (((u >> 5U) & 63U) << 25U) | (((u >> 1U) & 15U) << 8U) |
             (((u >> 11U) & 1U) << 7U);
    case Format::U:
      return u & 0xFFFFF000U;
    case Format::J:
      return (((u >> 20U) & 1U) << 31U) | (((u >> 1U) & 0x3FFU) << 21U) |
             (((u >> 11U) & 1U) << 20U) | (((u >> 12U) & 0xFFU) << 12U);
    default:
      return 0;
  }
}

struct Operands {
  unsigned rd = 0;
  unsigned rs1 = 0;
  unsigned rs2 = 0;
  std::int32_t imm = 0;
  unsigned rs3 = 0;
  unsigned rm = 7;
};

/// The word of an instruction; operands the format lacks are left out.
[[nodiscard]] inline std::uint32_t encode(Op op, const Operands& o) {
  const InstructionRow& r = row(op);
  std::uint32_t word =
      (o.rd << 7U) | (o.rm << 12U) | (o.rs1 << 15U) | (o.rs2 << 20U) | (o.rs3 << 27U);
  const std::uint32_t immediate = immediateBits(r.format, o.imm);
  const std::uint32_t all = immediateBits(r.format, -1);
  word = (word & ~all) | (immediate & all);
  return (word & ~r.mask) | r.match;
}

/// A static executable with one segment, readable, writable and executable.
[[nodiscard]] inline std::vector<std::uint8_t> elfAround(std::uint64_t address,
                                                         std::span<const std::uint8_t> bytes,
                                                         std::uint64_t entry) {
  constexpr std::size_t kHeaders = 0x1000;  // keeps file offset and address congruent
  std::vector<std::uint8_t> file(kHeaders + bytes.size());
  const auto put = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    std::memcpy(file.data() + at, &value, size);
  };
  const std::uint8_t magic[] = {0x7F, 'E', 'L', 'F', 2, 1, 1};
  std::memcpy(file.data(), magic, sizeof magic);
  put(16, 2, 2);    // ET_EXEC
  put(18, 243, 2);  // RISC-V
  put(20, 1, 4);    // version
  put(24, entry, 8);
  put(32, 64, 8);  // program headers
  put(48, 5, 4);   // RVC, double-float ABI
  put(52, 64, 2);
  put(54, 56, 2);
  put(56, 1, 2);
  put(58, 64, 2);
  put(64, 1, 4);  // PT_LOAD
  put(68, 7, 4);
  put(72, kHeaders, 8);
  put(80, address, 8);
  put(88, address, 8);
  put(96, bytes.size(), 8);
  put(104, bytes.size(), 8);
  put(112, 0x1000, 8);
  std::memcpy(file.data() + kHeaders, bytes.data(), bytes.size());
  return file;
}

}  // namespace rtvp::rv64::test
