// A checked program and the .slc file around it (sl.md section 3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/sl/isa.hpp"

namespace rtvp::sl {

/// Bits of the header's flag word.
namespace flag {
inline constexpr std::uint16_t kTrace = 1;    ///< the program has a trace
inline constexpr std::uint16_t kLookup = 2;   ///< the program has a lookup
inline constexpr std::uint16_t kRnd = 4;      ///< the program has a rnd
inline constexpr std::uint16_t kOwnBase = 8;  ///< offsets count from the branch itself
}  // namespace flag

/// What branch offsets count from; the seed's footnote is lost (sl.md section 2).
enum class OffsetBase : std::uint8_t { Next, Branch };

/// A file, or a row of words, that no machine may run; what() says where and why.
class LoadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Instructions that passed every check of the loader. Immutable; engines keep references.
class Program {
 public:
  /// Checks `words`. Throws LoadError on a word that does not decode, a target outside 0..count, or
  /// no word at all.
  explicit Program(std::span<const std::uint64_t> words, OffsetBase base = OffsetBase::Next);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(code_.size()); }
  [[nodiscard]] const std::vector<Instruction>& code() const { return code_; }
  [[nodiscard]] const Instruction& operator[](std::size_t pc) const { return code_[pc]; }
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }
  [[nodiscard]] OffsetBase base() const { return base_; }
  /// Where the branch at `pc` goes, 0..size().
  [[nodiscard]] std::uint32_t target(std::size_t pc) const {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(pc) + code_[pc].offset() +
                                      (base_ == OffsetBase::Next ? 1 : 0));
  }
  [[nodiscard]] std::uint16_t flags() const { return flags_; }
  [[nodiscard]] bool traces() const { return (flags_ & flag::kTrace) != 0; }
  [[nodiscard]] bool looksUp() const { return (flags_ & flag::kLookup) != 0; }
  [[nodiscard]] bool usesRandom() const { return (flags_ & flag::kRnd) != 0; }
  /// Bit N: tN is read as a register or named by a lookup.
  [[nodiscard]] std::uint32_t textureMask() const { return textures_; }
  /// CRC-32 of the code as bytes.
  [[nodiscard]] std::uint32_t crc() const { return crc_; }
  /// Bit N: register N is a source of some instruction, so its start value may matter.
  [[nodiscard]] std::uint64_t reads() const { return reads_; }
  /// Bit N: the value that register N has at the start can reach some instruction. The others of
  /// reads() are written first on every way.
  [[nodiscard]] std::uint64_t inputs() const { return inputs_; }

 private:
  void findInputs();

  std::vector<std::uint64_t> words_;
  std::vector<Instruction> code_;
  OffsetBase base_;
  std::uint16_t flags_ = 0;
  std::uint32_t textures_ = 0;
  std::uint32_t crc_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t inputs_ = 0;
};

inline constexpr std::size_t kHeaderBytes = 32;

/// The .slc file of a program.
std::vector<std::uint8_t> writeSlc(const Program& program);
/// Reads a .slc file: magic, version, flags, count, CRC, reserved bytes and every check of Program.
/// Throws LoadError.
Program readSlc(std::span<const std::uint8_t> file);

}  // namespace rtvp::sl
