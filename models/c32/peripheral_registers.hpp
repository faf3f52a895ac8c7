// THE table of the C32's memory-mapped peripheral registers (c32.md 8.3 to 8.6). Reset values,
// writable bits and the manual's field names come from here and nowhere else.
#pragma once

#include <array>
#include <cstdint>

#include "models/c32/memory_map.hpp"
#include "models/common/register_table.hpp"

namespace rtvp::c32 {

namespace fields {

using common::FieldDescriptor;
using enum common::Access;

inline constexpr std::array kIoStrb{
    FieldDescriptor{"SWW", 4, 3, Rw, "ready mode: 0 RDY, 1 counter, 2 either, 3 both"},
    FieldDescriptor{"WTCNT", 7, 5, Rw, "internal wait states"},
};
inline constexpr std::array kStrb1{
    FieldDescriptor{"SWW", 4, 3, Rw, "ready mode: 0 RDY, 1 counter, 2 either, 3 both"},
    FieldDescriptor{"WTCNT", 7, 5, Rw, "internal wait states"},
    FieldDescriptor{"BNKCMP", 12, 8, Rw, "address MSBs compared for a bank switch"},
    FieldDescriptor{"DATASIZE", 17, 16, Rw, "0 = 8, 1 = 16, 3 = 32 bits"},
    FieldDescriptor{"MEMWIDTH", 19, 18, Rw, "0 = 8, 1 = 16, 3 = 32 bits"},
    FieldDescriptor{"SIGNZERO", 20, 20, Rw, "short integer loads: 0 sign-extend, 1 zero-fill"},
};
inline constexpr std::array kStrb0{
    FieldDescriptor{"HOLDST", 0, 0, Ro, "1 = bus granted"},
    FieldDescriptor{"NOHOLD", 1, 1, Rw, "1 = ignore HOLD"},
    FieldDescriptor{"HIZ", 2, 2, Rw, "1 = software hold"},
    FieldDescriptor{"SWW", 4, 3, Rw, "ready mode: 0 RDY, 1 counter, 2 either, 3 both"},
    FieldDescriptor{"WTCNT", 7, 5, Rw, "internal wait states"},
    FieldDescriptor{"BNKCMP", 12, 8, Rw, "address MSBs compared for a bank switch"},
    FieldDescriptor{"DATASIZE", 17, 16, Rw, "0 = 8, 1 = 16, 3 = 32 bits"},
    FieldDescriptor{"MEMWIDTH", 19, 18, Rw, "0 = 8, 1 = 16, 3 = 32 bits"},
    FieldDescriptor{"SIGNZERO", 20, 20, Rw, "short integer loads: 0 sign-extend, 1 zero-fill"},
    FieldDescriptor{"STRBCONFIG", 21, 21, Rw, "1 = STRB0 also covers STRB1 space"},
};
inline constexpr std::array kSerialGlobal{
    FieldDescriptor{"RRDY", 0, 0, Ro, "DRR holds a word"},
    FieldDescriptor{"XRDY", 1, 1, Ro, "DXR can be written"},
    FieldDescriptor{"FSXOUT", 2, 2, Rw, "FSX is an output"},
    FieldDescriptor{"XSREMPTY", 3, 3, Ro, "0 = transmit shift register empty"},
    FieldDescriptor{"RSRFULL", 4, 4, Ro, "overrun: DRR and shift register full"},
    FieldDescriptor{"HS", 5, 5, Rw, "handshake mode"},
    FieldDescriptor{"XCLKSRCE", 6, 6, Rw, "1 = internal transmit clock"},
    FieldDescriptor{"RCLKSRCE", 7, 7, Rw, "1 = internal receive clock"},
    FieldDescriptor{"XVAREN", 8, 8, Rw, "transmit: 1 = variable rate"},
    FieldDescriptor{"RVAREN", 9, 9, Rw, "receive: 1 = variable rate"},
    FieldDescriptor{"XFSM", 10, 10, Rw, "transmit: 1 = continuous"},
    FieldDescriptor{"RFSM", 11, 11, Rw, "receive: 1 = continuous"},
    FieldDescriptor{"CLKXP", 12, 12, Rw, "CLKX polarity"},
    FieldDescriptor{"CLKRP", 13, 13, Rw, "CLKR polarity"},
    FieldDescriptor{"DXP", 14, 14, Rw, "DX polarity"},
    FieldDescriptor{"DRP", 15, 15, Rw, "DR polarity"},
    FieldDescriptor{"FSXP", 16, 16, Rw, "FSX polarity"},
    FieldDescriptor{"FSRP", 17, 17, Rw, "FSR polarity"},
    FieldDescriptor{"XLEN", 19, 18, Rw, "transmit word: 8, 16, 24, 32 bits"},
    FieldDescriptor{"RLEN", 21, 20, Rw, "receive word: 8, 16, 24, 32 bits"},
    FieldDescriptor{"XTINT", 22, 22, Rw, "transmit timer interrupt enable"},
    FieldDescriptor{"XINT", 23, 23, Rw, "transmit interrupt enable"},
    FieldDescriptor{"RTINT", 24, 24, Rw, "receive timer interrupt enable"},
    FieldDescriptor{"RINT", 25, 25, Rw, "receive interrupt enable"},
    FieldDescriptor{"XRESET", 26, 26, Rw, "0 = transmitter in reset"},
    FieldDescriptor{"RRESET", 27, 27, Rw, "0 = receiver in reset"},
};
inline constexpr std::array kSerialPins{
    FieldDescriptor{"CLKFUNC", 0, 0, Rw, "1 = serial clock"},
    FieldDescriptor{"CLKI/O", 1, 1, Rw, ""},
    FieldDescriptor{"CLKDATOUT", 2, 2, Rw, ""},
    FieldDescriptor{"CLKDATIN", 3, 3, Ro, ""},
    FieldDescriptor{"DFUNC", 4, 4, Rw, "1 = serial data"},
    FieldDescriptor{"DI/O", 5, 5, Rw, ""},
    FieldDescriptor{"DDATOUT", 6, 6, Rw, ""},
    FieldDescriptor{"DDATIN", 7, 7, Ro, ""},
    FieldDescriptor{"FSFUNC", 8, 8, Rw, "1 = frame sync"},
    FieldDescriptor{"FSI/O", 9, 9, Rw, ""},
    FieldDescriptor{"FSDATOUT", 10, 10, Rw, ""},
    FieldDescriptor{"FSDATIN", 11, 11, Ro, ""},
};
inline constexpr std::array kSerialTimer{
    FieldDescriptor{"XGO", 0, 0, Rw, "with XHLD: restart"},
    FieldDescriptor{"XHLD", 1, 1, Rw, "1 = run"},
    FieldDescriptor{"XC/P", 2, 2, Rw, "1 = clock mode, 0 = pulse mode"},
    FieldDescriptor{"XCLKSRC", 3, 3, Rw, "1 = internal, H1/2"},
    FieldDescriptor{"XTSTAT", 5, 5, Ro, ""},
    FieldDescriptor{"RGO", 6, 6, Rw, "with RHLD: restart"},
    FieldDescriptor{"RHLD", 7, 7, Rw, "1 = run"},
    FieldDescriptor{"RC/P", 8, 8, Rw, "1 = clock mode, 0 = pulse mode"},
    FieldDescriptor{"RCLKSRC", 9, 9, Rw, "1 = internal, H1/2"},
    FieldDescriptor{"RTSTAT", 11, 11, Ro, ""},
};
inline constexpr std::array kSerialHalves{
    FieldDescriptor{"X", 15, 0, Rw, "transmit"},
    FieldDescriptor{"R", 31, 16, Rw, "receive"},
};
inline constexpr std::array kWholeWord{FieldDescriptor{"DATA", 31, 0, Rw, ""}};
inline constexpr std::array kReadWord{FieldDescriptor{"DATA", 31, 0, Ro, ""}};

}  // namespace fields

/// Byte offset from 808000h, as the common table wants it, of a word address.
[[nodiscard]] constexpr std::uint32_t peripheralOffset(std::uint32_t address) {
  return (address - kPeripheralBase) * 4;
}

inline constexpr std::array kPeripheralRegisters{
    common::RegisterDescriptor{"SERIALGLOBAL", peripheralOffset(0x808040), 4, 0, true, "",
                               "c32.md 8.6", fields::kSerialGlobal},
    common::RegisterDescriptor{"XPORTCONTROL", peripheralOffset(0x808042), 4, 0, true, "",
                               "c32.md 8.6", fields::kSerialPins},
    common::RegisterDescriptor{"RPORTCONTROL", peripheralOffset(0x808043), 4, 0, true, "",
                               "c32.md 8.6", fields::kSerialPins},
    common::RegisterDescriptor{"SERIALTIMERCONTROL", peripheralOffset(0x808044), 4, 0, true, "",
                               "c32.md 8.6", fields::kSerialTimer},
    common::RegisterDescriptor{"SERIALTIMERCOUNTER", peripheralOffset(0x808045), 4, 0, true, "",
                               "c32.md 8.6", fields::kSerialHalves},
    common::RegisterDescriptor{"SERIALTIMERPERIOD", peripheralOffset(0x808046), 4, 0, true, "",
                               "c32.md 8.6", fields::kSerialHalves},
    common::RegisterDescriptor{"DXR", peripheralOffset(0x808048), 4, 0, true, "", "c32.md 8.6",
                               fields::kWholeWord},
    common::RegisterDescriptor{"DRR", peripheralOffset(0x80804C), 4, 0, true, "", "c32.md 8.6",
                               fields::kReadWord},
    common::RegisterDescriptor{"IOSTRB", peripheralOffset(0x808060), 4, 0x000000F8, false, "",
                               "c32.md 8.4", fields::kIoStrb},
    common::RegisterDescriptor{"STRB0", peripheralOffset(0x808064), 4, 0x000F10F8, false, "",
                               "c32.md 8.4", fields::kStrb0},
    common::RegisterDescriptor{"STRB1", peripheralOffset(0x808068), 4, 0x000F10F8, false, "",
                               "c32.md 8.4", fields::kStrb1},
};

/// The row of `address`, or null: the word reads 0 and ignores writes (c32.md 8.3).
[[nodiscard]] constexpr const common::RegisterDescriptor* peripheralRegister(
    std::uint32_t address) {
  for (const common::RegisterDescriptor& r : kPeripheralRegisters) {
    if (r.offset == peripheralOffset(address)) return &r;
  }
  return nullptr;
}

static_assert(common::isWellFormed(kPeripheralRegisters));

}  // namespace rtvp::c32
