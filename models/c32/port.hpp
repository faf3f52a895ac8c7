// What one C32 sees of the world outside its package: the shared external bus, the XF pins and the
// serial port's wires. Implemented by the board (or a test); called by the CPU core. No SystemC, no
// time but integer H1 cycles.
#pragma once

#include <cstdint>

namespace rtvp::c32 {

/// H1 cycles since the board's clock started. Shared by all processors of a board.
using Cycle = std::uint64_t;
inline constexpr Cycle kNever = ~Cycle{0};

enum class BusOp : std::uint8_t { Fetch, Read, Write, Iack, VectorFetch };

/// Which strobe of the memory map (c32.md 8.1) an external address activates.
enum class Strobe : std::uint8_t { Strb0, Strb1, IoStrb };

struct BusRequest {
  BusOp op = BusOp::Read;
  Strobe strobe = Strobe::Strb0;
  std::uint32_t address = 0;  ///< 24-bit word address
  std::uint32_t data = 0;     ///< Write: the word
  Cycle cycle = 0;            ///< when the processor starts the access
  std::uint32_t pc = 0;       ///< address of the instruction that makes it, for diagnostics
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
};

/// Levels at the XF pins as a read of IOF must show them, after the input synchroniser.
struct PinReply {
  bool ready =
      true;  ///< false: other processors have not reached this cycle yet; the instruction restarts
  bool xf0 = true;
  bool xf1 = true;
};

/// Drive of one XF pin. Released = input, high impedance.
enum class Drive : std::uint8_t { Released, Low, High };

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
};

/// Why Cpu::run() returned.
enum class StopReason : std::uint8_t {
  Horizon,  ///< the cycle limit was reached
  Blocked,  ///< busAccess or pinsSampled said not now; pending() tells which
  Idle,   ///< IDLE/IDLE2 and nothing inside the processor will ever wake it: waits for an external
          ///< event
  Fault,  ///< undefined opcode, bus error, illegal delay slot ...; fault() explains
  Steps,  ///< the instruction limit was reached
};

}  // namespace rtvp::c32
