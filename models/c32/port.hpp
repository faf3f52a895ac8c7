// What one C32 sees of the world outside its package: the shared external bus, the XF pins and the
// serial port's wires. Implemented by the board (or a test); called by the CPU core. No SystemC, no
// time but integer H1 cycles.
#pragma once

#include <cstdint>
#include <span>

namespace rtvp::c32 {

/// H1 cycles since the board's clock started. Shared by all processors of a board.
using Cycle = std::uint64_t;
inline constexpr Cycle kNever = ~Cycle{0};

enum class BusOp : std::uint8_t { Fetch, Read, Write, Iack, VectorFetch };

/// Members of the family that a Cpu can be (CpuConfig::chip). The C30 and C31 execute the same
/// instructions; they differ in the address map, the bus control registers and the boot ROM
/// (TMS320C3x User's Guide, memory maps). The fast paths know the C32's RAM only.
enum class Chip : std::uint8_t { C32, C30, C31 };

/// Which strobe of the memory map (c32.md 8.1) an external address activates.
enum class Strobe : std::uint8_t { Strb0, Strb1, IoStrb };

/// Who drives the bus: the processor or one of its DMA channels.
enum class BusMaster : std::uint8_t { Cpu, Dma0, Dma1 };

/// One cycle of the external bus. With 32-bit data in 32-bit memory, the only layout most boards
/// have, `address` is the program's word address and the last three members keep their defaults.
/// Other data sizes and memory widths (c32.md 2.5, 8.4) make `address` count memory locations of
/// `width` bits; `byteEnable` tells which byte strobes are active, bit 0 for data bits 7-0.
struct BusRequest {
  BusOp op = BusOp::Read;
  Strobe strobe = Strobe::Strb0;
  std::uint32_t address = 0;  ///< 24-bit word address
  std::uint32_t data = 0;     ///< Write: the word
  Cycle cycle = 0;            ///< when the processor starts the access
  std::uint32_t pc = 0;       ///< address of the instruction that makes it, for diagnostics
  BusMaster master = BusMaster::Cpu;
  std::uint8_t width = 32;  ///< physical memory width: 8, 16 or 32 bits
  std::uint8_t byteEnable = 0xF;
};

struct BusReply {
  enum class Status : std::uint8_t {
    Done,     ///< data is valid (Read, Fetch), access starts at `start`
    Blocked,  ///< not now (barrier, HOLD): the instruction restarts when the CPU is run again
    Error,    ///< bus error: nothing answers at this address
  };
  Status status = Status::Done;
  std::uint32_t data = 0;
  Cycle start = 0;                 ///< >= request.cycle; later if the access was held
  std::uint32_t externalWait = 0;  ///< wait states the memory asks for through RDY
  bool neverWritten = false;  ///< Read: nobody has written this word (CpuConfig::trapUninitialised)
};

/// Levels at the XF pins as a read of IOF must show them, after the input synchroniser.
struct PinReply {
  bool ready =
      true;  ///< false: other processors have not reached this cycle yet; the instruction restarts
  bool xf0 = true;
  bool xf1 = true;
  /// The levels hold at least through this cycle (kNever: for good); lets a waiting LDFI, LDII or
  /// SIGI skip the time between. Anything below the sampled cycle promises nothing.
  Cycle validUntil = 0;
};

/// A word on DX as whatever is wired to it sees it: data, rate and framing (c32.md 8.6).
struct SerialFrame {
  std::uint32_t word = 0;
  int bits = 8;
  Cycle arrival = 0;               ///< its last bit is in the far DRR
  std::uint64_t bitNumerator = 1;  ///< H1 cycles a bit, as a fraction
  std::uint64_t bitDenominator = 1;
  bool sync = true;         ///< FSX goes with it: one bit ahead, or as long as the word
  bool variable = false;    ///< variable rate: FSX lasts as long as the word
  bool leadingOne = false;  ///< handshake mode: a 1 ahead of the word, no frame sync
  bool clockLow = false, dataLow = false, syncLow = false;  ///< CLKXP, DXP, FSXP
};

/// A word of 32 bits on its way to a receiver.
struct SerialWord {
  Cycle arrival;  ///< its last bit is in the far DRR
  std::uint32_t word;
};

/// Drive of one XF pin. Released = input, high impedance.
enum class Drive : std::uint8_t { Released, Low, High };

/// Pins of timers and serial port, which can be plain input and output (c32.md 8.5, 8.6).
enum class Pin : std::uint8_t { Tclk0, Tclk1, Clkx, Dx, Fsx, Clkr, Dr, Fsr };
inline constexpr unsigned kPinCount = 8;

class CpuPort {
 public:
  virtual ~CpuPort() = default;
  virtual BusReply busAccess(const BusRequest& request) = 0;
  /// The pins changed to these drives at the end of `cycle` (called on every write that changes a
  /// drive).
  virtual void pinsDriven(Drive xf0, Drive xf1, Cycle cycle) = 0;
  /// Levels visible to an instruction that reads IOF in `cycle`.
  virtual PinReply pinsSampled(Cycle cycle) = 0;
  /// The serial port finished shifting `word` (`bits` bits long) out: its last bit is in the far
  /// receiver's DRR at `arrival`. Called when transmission is scheduled, so `arrival` may lie ahead
  /// of the CPU's own time.
  virtual void serialTransmitted(std::uint32_t word, int bits, Cycle arrival) = 0;
  /// serialTransmitted() for several words in their order: engines that run ahead send them
  /// together.
  virtual void serialTransmittedAll(std::span<const SerialWord> words) {
    for (const SerialWord& w : words) serialTransmitted(w.word, 32, w.arrival);
  }
  /// The same with everything a receiver's framing depends on; boards that treat the link as a
  /// channel of words need serialTransmitted only.
  virtual void serialFrameSent(const SerialFrame& frame) {
    serialTransmitted(frame.word, frame.bits, frame.arrival);
  }
  /// The receiver leaves (true) or enters its reset at the end of `cycle`.
  virtual void serialReceiverEnabled(bool /*enabled*/, Cycle /*cycle*/) {}
  /// Handshake mode: the single 0 that acknowledges a word is back at the far transmitter at
  /// `arrival`, which should get it by Cpu::acknowledgeSerial().
  virtual void serialAcknowledged(Cycle /*arrival*/) {}
  /// HOLDA (c32.md 9.3): from `cycle` on the bus is given away, or taken back. May lie ahead.
  virtual void holdAcknowledged(bool /*active*/, Cycle /*cycle*/) {}
  /// If somebody watches (Cpu::watchSleep()): the processor was in IDLE from cycle `from` up to
  /// `to`, when something woke it.
  virtual void slept(Cycle /*from*/, Cycle /*to*/) {}
  /// A timer or serial pin used as general output changed its drive.
  virtual void pinDriven(Pin /*pin*/, Drive /*drive*/, Cycle /*cycle*/) {}
};

/// Why Cpu::run() returned.
enum class StopReason : std::uint8_t {
  Horizon,  ///< the cycle limit was reached
  Blocked,  ///< busAccess or pinsSampled said not now; pending() tells which
  Idle,   ///< IDLE/IDLE2 and nothing inside the processor will ever wake it: waits for an external
          ///< event
  Fault,  ///< undefined opcode, bus error, illegal delay slot ...; fault() explains
  Steps,  ///< the instruction limit was reached
  Place,  ///< a place of Cpu::setStops() comes next
};

}  // namespace rtvp::c32
