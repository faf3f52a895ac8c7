// THE tables of the C32's memory-mapped peripheral registers, one for each block (c32.md 8.3 to
// 8.7). Reset values, writable bits and the manual's field names come from here and nowhere else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/c32/memory_map.hpp"
#include "models/common/register_table.hpp"

namespace rtvp::c32 {

namespace fields {

using common::FieldDescriptor;
using enum common::Access;

inline constexpr std::array kDma0Control{
    FieldDescriptor{"START", 1, 0, Rw, "0 abort, 1 stop after an access, 2 after a word, 3 run"},
    FieldDescriptor{"STAT", 3, 2, Ro, "0 idle, 1 between read and write, 3 busy"},
    FieldDescriptor{"INCSRC", 4, 4, Rw, "source address + 1 after each read"},
    FieldDescriptor{"DECSRC", 5, 5, Rw, "source address - 1 after each read"},
    FieldDescriptor{"INCDST", 6, 6, Rw, "destination address + 1 after each write"},
    FieldDescriptor{"DECDST", 7, 7, Rw, "destination address - 1 after each write"},
    FieldDescriptor{"SYNC", 9, 8, Rw, "0 none, 1 read waits for an interrupt, 2 write, 3 both"},
    FieldDescriptor{"TC", 10, 10, Rw, "1 = stop when the counter reaches 0"},
    FieldDescriptor{"TCINT", 11, 11, Rw, "1 = DINT when the counter reaches 0"},
    FieldDescriptor{"DMA PRI", 13, 12, Rw, "0 CPU first, 3 DMA first, 1 and 2 rotating"},
    FieldDescriptor{"PRIORITY MODE", 14, 14, Rw, "0 = channel 0 first, 1 = channels rotate"},
};
inline constexpr std::array kDma1Control{
    FieldDescriptor{"START", 1, 0, Rw, "0 abort, 1 stop after an access, 2 after a word, 3 run"},
    FieldDescriptor{"STAT", 3, 2, Ro, "0 idle, 1 between read and write, 3 busy"},
    FieldDescriptor{"INCSRC", 4, 4, Rw, "source address + 1 after each read"},
    FieldDescriptor{"DECSRC", 5, 5, Rw, "source address - 1 after each read"},
    FieldDescriptor{"INCDST", 6, 6, Rw, "destination address + 1 after each write"},
    FieldDescriptor{"DECDST", 7, 7, Rw, "destination address - 1 after each write"},
    FieldDescriptor{"SYNC", 9, 8, Rw, "0 none, 1 read waits for an interrupt, 2 write, 3 both"},
    FieldDescriptor{"TC", 10, 10, Rw, "1 = stop when the counter reaches 0"},
    FieldDescriptor{"TCINT", 11, 11, Rw, "1 = DINT when the counter reaches 0"},
    FieldDescriptor{"DMA PRI", 13, 12, Rw, "0 CPU first, 3 DMA first, 1 and 2 rotating"},
};
inline constexpr std::array kAddress{FieldDescriptor{"ADDRESS", 23, 0, Rw, "word address"}};
inline constexpr std::array kCount24{FieldDescriptor{"COUNT", 23, 0, Rw, "words to go"}};
inline constexpr std::array kTimerControl{
    FieldDescriptor{"FUNC", 0, 0, Rw, "0 = TCLK is general I/O, 1 = timer pin"},
    FieldDescriptor{"I/O", 1, 1, Rw, "FUNC = 0: 1 = output"},
    FieldDescriptor{"DATOUT", 2, 2, Rw, "value driven as general output"},
    FieldDescriptor{"DATIN", 3, 3, Ro, "value at the pin"},
    FieldDescriptor{"GO", 6, 6, Wo, "1 with HLD = 1: counter to 0, start"},
    FieldDescriptor{"HLD", 7, 7, Rw, "0 = hold counter and pin"},
    FieldDescriptor{"C/P", 8, 8, Rw, "1 = clock mode, 0 = pulse mode"},
    FieldDescriptor{"CLKSRC", 9, 9, Rw, "1 = internal, H1/2; 0 = TCLK"},
    FieldDescriptor{"INV", 10, 10, Rw, "1 = pin inverted"},
    FieldDescriptor{"TSTAT", 11, 11, Ro, "output state; 0 to 1 sets TINT"},
};
inline constexpr std::array kCount32{FieldDescriptor{"COUNT", 31, 0, Rw, ""}};
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
    FieldDescriptor{"SIGNZERO", 20, 20, Rw, "short integer loads: 1 = zero-fill"},
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
    FieldDescriptor{"SIGNZERO", 20, 20, Rw, "short integer loads: 1 = zero-fill"},
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
    FieldDescriptor{"XGO", 0, 0, Wo, "1 with XHLD: counter to 0, start"},
    FieldDescriptor{"XHLD", 1, 1, Rw, "1 = run"},
    FieldDescriptor{"XC/P", 2, 2, Rw, "1 = clock mode, 0 = pulse mode"},
    FieldDescriptor{"XCLKSRC", 3, 3, Rw, "1 = internal, H1/2"},
    FieldDescriptor{"XTSTAT", 5, 5, Ro, ""},
    FieldDescriptor{"RGO", 6, 6, Wo, "1 with RHLD: counter to 0, start"},
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

/// One row of a table: name, word address, reset value, whether an access does more than the bits
/// say, section, fields.
template <std::size_t N>
[[nodiscard]] constexpr common::RegisterDescriptor peripheralRow(
    std::string_view name, std::uint32_t address, std::uint32_t reset, bool sideEffects,
    std::string_view source, const std::array<common::FieldDescriptor, N>& fields) {
  return {name, peripheralOffset(address), 4, reset, sideEffects, "", source, fields};
}

inline constexpr std::array kDmaRegisters{
    peripheralRow("DMA0CONTROL", 0x808000, 0, true, "c32.md 8.7", fields::kDma0Control),
    peripheralRow("DMA0SOURCE", 0x808004, 0, true, "c32.md 8.7", fields::kAddress),
    peripheralRow("DMA0DESTINATION", 0x808006, 0, true, "c32.md 8.7", fields::kAddress),
    peripheralRow("DMA0COUNTER", 0x808008, 0, true, "c32.md 8.7", fields::kCount24),
    peripheralRow("DMA1CONTROL", 0x808010, 0, true, "c32.md 8.7", fields::kDma1Control),
    peripheralRow("DMA1SOURCE", 0x808014, 0, true, "c32.md 8.7", fields::kAddress),
    peripheralRow("DMA1DESTINATION", 0x808016, 0, true, "c32.md 8.7", fields::kAddress),
    peripheralRow("DMA1COUNTER", 0x808018, 0, true, "c32.md 8.7", fields::kCount24),
};
[[nodiscard]] constexpr bool isTimerAddress(std::uint32_t address) {
  return address >= 0x808020 && address < 0x808040;
}
inline constexpr std::array kTimerRegisters{
    peripheralRow("TIMER0CONTROL", 0x808020, 0, true, "c32.md 8.5", fields::kTimerControl),
    peripheralRow("TIMER0COUNTER", 0x808024, 0, true, "c32.md 8.5", fields::kCount32),
    peripheralRow("TIMER0PERIOD", 0x808028, 0, true, "c32.md 8.5", fields::kCount32),
    peripheralRow("TIMER1CONTROL", 0x808030, 0, true, "c32.md 8.5", fields::kTimerControl),
    peripheralRow("TIMER1COUNTER", 0x808034, 0, true, "c32.md 8.5", fields::kCount32),
    peripheralRow("TIMER1PERIOD", 0x808038, 0, true, "c32.md 8.5", fields::kCount32),
};
inline constexpr std::array kSerialRegisters{
    peripheralRow("SERIALGLOBAL", 0x808040, 0, true, "c32.md 8.6", fields::kSerialGlobal),
    peripheralRow("XPORTCONTROL", 0x808042, 0, true, "c32.md 8.6", fields::kSerialPins),
    peripheralRow("RPORTCONTROL", 0x808043, 0, true, "c32.md 8.6", fields::kSerialPins),
    peripheralRow("SERIALTIMERCONTROL", 0x808044, 0, true, "c32.md 8.6", fields::kSerialTimer),
    peripheralRow("SERIALTIMERCOUNTER", 0x808045, 0, true, "c32.md 8.6", fields::kSerialHalves),
    peripheralRow("SERIALTIMERPERIOD", 0x808046, 0, true, "c32.md 8.6", fields::kSerialHalves),
    peripheralRow("DXR", 0x808048, 0, true, "c32.md 8.6", fields::kWholeWord),
    peripheralRow("DRR", 0x80804C, 0, true, "c32.md 8.6", fields::kReadWord)
        .reading(common::ReadEffect::Others),
};
/// The reset values are those of CpuConfig's defaults; with 16-bit program memory the width field
/// of STRB0 and STRB1 starts as 1.
inline constexpr std::array kBusRegisters{
    peripheralRow("IOSTRB", 0x808060, 0x000000F8, false, "c32.md 8.4", fields::kIoStrb),
    peripheralRow("STRB0", 0x808064, 0x000F10F8, true, "c32.md 8.4", fields::kStrb0),
    peripheralRow("STRB1", 0x808068, 0x000F10F8, false, "c32.md 8.4", fields::kStrb1),
};

namespace detail {
template <std::size_t... N>
constexpr auto joined(const std::array<common::RegisterDescriptor, N>&... blocks) {
  std::array<common::RegisterDescriptor, (N + ...)> all{};
  std::size_t at = 0;
  const auto append = [&](const auto& block) {
    for (const auto& row : block) all[at++] = row;
  };
  (append(blocks), ...);
  return all;
}
}  // namespace detail

/// All blocks, by address.
inline constexpr auto kPeripheralRegisters =
    detail::joined(kDmaRegisters, kTimerRegisters, kSerialRegisters, kBusRegisters);

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
