// A block of registers as a TLM-2.0 target: decode, access sizes, byte enables, streaming width and
// debug access of every register-mapped model, from its table. What the registers do is the
// model's: RegisterBehaviour.
//
// The rule, for all blocks:
// - An access may be of any length at any address of the block. Each register of which it has an
//   enabled byte acts once, in the order of addresses, with a mask of the bytes enabled; registers
//   are little endian. A block may say that it takes accesses of certain sizes only
//   (RegisterBlock::smallest): these are powers of two at multiples of their size, without byte
//   enables that leave something out.
// - A hole reads 0 and ignores writes.
// - An access that is not in the block as a whole is refused, and so is one that its sizes do not
//   allow: nothing has happened then. TLM_BURST_ERROR_RESPONSE: no length, a streaming width below
//   it, a size that the block does not take; TLM_BYTE_ENABLE_ERROR_RESPONSE: byte enables of no
//   length, or not all set where they must be; TLM_ADDRESS_ERROR_RESPONSE: outside the block, or
//   not at a multiple of the size.
// - A register may refuse an access at the time (a fault, a FIFO that is empty): what comes before
//   it in the access has acted, it and what comes after have not. TLM_GENERIC_ERROR_RESPONSE.
// - Debug access reads, any bytes of the block, without an effect. It never writes.
//
// The target knows no time: shells charge their clocks.
#pragma once

#include <cstdint>
#include <optional>
#include <tlm>

#include "models/common/register_table.hpp"

namespace rtvp::common {

/// What a model's registers do. Values and masks are in the register's own bytes; a mask has FFh in
/// every byte that the access touches, and is never 0.
class RegisterBehaviour {
 public:
  /// What a debugger sees: the value that a read would give, without the read's effects.
  virtual std::uint64_t peekRegister(std::size_t row) = 0;
  /// A read with its effects. Nothing: the register refuses, and has done nothing.
  virtual std::optional<std::uint64_t> readRegister(std::size_t row, std::uint64_t /*bytes*/) {
    return peekRegister(row);
  }
  /// A write; `value` is 0 in the bytes that the access leaves out. False: refused, as above.
  virtual bool writeRegister(std::size_t row, std::uint64_t value, std::uint64_t bytes) = 0;

 protected:
  ~RegisterBehaviour() = default;
};

/// A block's place and the accesses it takes.
struct RegisterBlock {
  std::span<const RegisterDescriptor> table;
  std::uint64_t bytes;    ///< size of the block, at least up to the last register's end
  unsigned smallest = 1;  ///< bytes of an access; 1: any number of bytes at any address
  unsigned largest = 8;   ///< where smallest is not 1
};

class RegisterTarget {
 public:
  /// `behaviour` must outlive it. Throws std::invalid_argument for a table that is not well formed
  /// or longer than the block, and for sizes that are no powers of two.
  RegisterTarget(const RegisterBlock& block, RegisterBehaviour& behaviour);

  /// b_transport's part: moves the data and returns the status, which is the caller's to set.
  /// `base` is where the block lies in the payload's addresses. TLM_IGNORE_COMMAND does nothing.
  [[nodiscard]] tlm::tlm_response_status access(const tlm::tlm_generic_payload& payload,
                                                std::uint64_t base = 0);
  /// The part of a payload in the dword of its first byte, for buses that move one dword of a
  /// register block at a time (a PCI target disconnects a longer burst). No check of lengths.
  [[nodiscard]] tlm::tlm_response_status accessDword(const tlm::tlm_generic_payload& payload,
                                                     std::uint64_t base = 0);
  /// transport_dbg's part: bytes moved, which are all or none.
  [[nodiscard]] unsigned debug(const tlm::tlm_generic_payload& payload, std::uint64_t base = 0);

 private:
  /// Consecutive bytes of the block and where their data is.
  struct Bytes {
    std::uint64_t offset;
    std::uint64_t count;
    unsigned char* data;
    const unsigned char* enables;  ///< null: all
    unsigned period;

    [[nodiscard]] bool enabled(std::uint64_t index) const {
      return enables == nullptr || enables[index % period] != 0;
    }
  };
  static Bytes bytesOf(const tlm::tlm_generic_payload& payload, std::uint64_t base);
  [[nodiscard]] tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& payload,
                                                 const Bytes& bytes) const;
  [[nodiscard]] bool inside(std::uint64_t offset, std::uint64_t count) const {
    return offset < block_.bytes && count <= block_.bytes - offset;
  }
  bool act(const Bytes& bytes, bool write);
  inline bool actOnWord(std::size_t row, std::uint64_t first, unsigned char* data, bool write);
  bool actOnBytes(std::size_t row, const Bytes& bytes, std::uint64_t from, std::uint64_t count,
                  bool write);

  RegisterBlock block_;
  RegisterBehaviour& behaviour_;
  RegisterDecoder decoder_;
};

}  // namespace rtvp::common
