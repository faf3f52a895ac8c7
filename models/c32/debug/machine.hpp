// One C32 with plain memory, a console and an exit register: what programmers run programs on
// before there is a board. No SystemC. Device addresses: README.md in ../tools.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/c32/cpu.hpp"
#include "models/c32/debug/neighbours.hpp"
#include "models/c32/debug/node.hpp"
#include "models/c32/translate/translator.hpp"
#include "models/common/core/zero_pages.hpp"

namespace rtvp::c32 {

/// Device registers of the runner, in IOSTRB space (word addresses).
namespace device {
inline constexpr std::uint32_t kConsoleOut = 0x82FFF0;  ///< write: the low 8 bits are a character
inline constexpr std::uint32_t kConsoleIn =
    0x82FFF1;                                       ///< read: next character, FFFFFFFFh at the end
inline constexpr std::uint32_t kExit = 0x82FFF2;    ///< write: the program ends with this status
inline constexpr std::uint32_t kCycles = 0x82FFF3;  ///< read: low 32 bits of the cycle counter
inline constexpr std::uint32_t kPrintSigned = 0x82FFF4;  ///< write: the word in decimal
inline constexpr std::uint32_t kPrintHex = 0x82FFF5;    ///< write: the word in 8 hexadecimal digits
inline constexpr std::uint32_t kPrintFloat = 0x82FFF6;  ///< write: the word as a C32 single
inline constexpr std::uint32_t kDspNumber = 0x82FFF7;   ///< read: number of this DSP
inline constexpr std::uint32_t kFirst = kConsoleOut, kLast = kDspNumber;
}  // namespace device

struct AddressRange {
  std::uint32_t first = 0, last = 0;
  bool contains(std::uint32_t a) const { return a >= first && a <= last; }
};

/// 16M words, of which the host gives what is touched; knows which were ever written. Laid out so
/// that translated code finds its way (translate/code.hpp).
class SparseMemory {
 public:
  SparseMemory();
  std::uint32_t read(std::uint32_t address) const { return words()[address & kAddressMask]; }
  void write(std::uint32_t address, std::uint32_t word);
  bool known(std::uint32_t address) const {
    return (states()[address & kAddressMask] & translate::PlainMemory::kWritten) != 0;
  }
  void markKnown(std::uint32_t address);
  /// A store there changes translated code.
  bool translated(std::uint32_t address) const {
    return (states()[address & kAddressMask] & translate::PlainMemory::kTranslated) != 0;
  }
  [[nodiscard]] std::uint32_t* words() const {
    return reinterpret_cast<std::uint32_t*>(memory_.get());
  }

 private:
  std::uint8_t* states() const { return memory_.get() + translate::PlainMemory::kStates; }
  common::ZeroPages memory_;
};

struct MachineOptions {
  std::vector<AddressRange> ram{};  ///< external memory that exists; empty: all of it
  /// Wait states set into the bus control registers before the start.
  std::optional<unsigned> wait{};
  bool translate = true;        ///< host code of the program where possible: speed only
  bool xf1Acknowledges = true;  ///< XF1 follows XF0: interlocked accesses are granted at once
  std::uint32_t fill = 0;       ///< what memory nobody wrote reads as
  unsigned dsps = 1;            ///< processors that share the memory, see neighbours.hpp
  static constexpr unsigned kMostDsps = 8;

  // The serial port of the first DSP.
  bool serialLoopback = false;  ///< DX, FSX and CLKX lead back to DR, FSR and CLKR
  /// What a device at DR sends, a batch each time the receiver leaves its reset: words of the
  /// receiver's length and framing, at the external clock.
  std::vector<std::vector<std::uint32_t>> serialWords{};
  unsigned serialGap = 64;  ///< bit times between two of them

  /// Start in the boot ROM after a reset, with these pins INT0-INT3 low (c32.md 8.8); 0: at the
  /// entry.
  unsigned bootPins = 0;

  /// A node of a board as it was recorded: its state, memory and what came from outside. Null:
  /// none.
  std::shared_ptr<NodeBoard> node{};
};

class Machine final : public CpuPort, private SharedMemory {
 public:
  Machine(const CpuConfig& config, const MachineOptions& options);

  /// Puts the words at their load addresses and the PC at the entry; the bus is set as the options
  /// say. With boot pins nothing is loaded: the boot ROM does that.
  void load(const Image& image);

  Cpu& cpu() { return cpu_; }
  const Cpu& cpu() const { return cpu_; }
  /// Debug access to any address: external memory, internal RAM, peripherals; devices read 0.
  std::uint32_t peek(std::uint32_t address) const;
  void poke(std::uint32_t address, std::uint32_t word);

  /// True if a read of never-written plain memory can be told here.
  bool isPlainMemory(std::uint32_t address) const;
  bool known(std::uint32_t address) const {
    return memory_.known(address) || cpu_.internalKnown(address);
  }
  void markKnown(std::uint32_t address) { memory_.markKnown(address); }

  const std::optional<std::uint32_t>& exitStatus() const { return exit_; }
  /// Null: nothing is translated.
  const translate::Translator* translator() const { return translator_.get(); }
  /// Null: no recorded node.
  const NodeBoard* node() const { return options_.node.get(); }

  std::function<void(char)> output;  ///< console; empty: discarded
  std::function<int()> input;        ///< next character, -1 at the end; empty: no input
  std::function<void(const SerialFrame&)> serialOutput;  ///< each word on DX of the first DSP

  /// A neighbour's fault, in one line with its PC; empty: none.
  const std::string& neighbourFault() const;
  std::uint32_t neighbourFaultPc() const;

  BusReply busAccess(const BusRequest& request) override;
  void pinsDriven(Drive xf0, Drive xf1, Cycle cycle) override;
  PinReply pinsSampled(Cycle cycle) override;
  void serialTransmitted(std::uint32_t word, int bits, Cycle arrival) override;
  void serialFrameSent(const SerialFrame& frame) override;
  void serialAcknowledged(Cycle arrival) override;
  void serialReceiverEnabled(bool enabled, Cycle cycle) override;

 private:
  BusReply sharedAccess(unsigned dsp, const BusRequest& request, const Cpu& cpu) override;
  PinReply sharedPins(unsigned dsp, Cycle cycle) override;
  void sharedDrive(unsigned dsp, Drive xf0, Drive xf1, Cycle cycle) override;
  BusReply nodeAccess(const BusRequest& request);
  void loadNode();
  BusReply deviceAccess(unsigned dsp, const BusRequest& request, BusReply reply);
  void exitBy(unsigned dsp, std::uint32_t status);
  void setBus(Cpu& cpu) const;
  void write(std::uint32_t address, std::uint32_t word);
  void print(const std::string& text) const;

  MachineOptions options_;
  SparseMemory memory_;
  std::optional<std::uint32_t> exit_;
  struct Pins {
    Drive xf0 = Drive::Released, xf1 = Drive::Released;
  };
  std::vector<Pins> pins_;  // by DSP
  XfArbiter arbiter_;
  Cycle busFree_ = 0;  // of the shared memory
  std::size_t serialSent_ = 0;
  Cpu cpu_;
  std::unique_ptr<translate::Translator> translator_;  // null: one instruction after the other
  std::unique_ptr<Neighbours> neighbours_;             // null: one DSP
};

}  // namespace rtvp::c32
