// The rows behind cpuOptions(), as a constant: tables of parameters are made from it
// (models/tigershark/cpu_params.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "models/c32/cpu_options.hpp"

namespace rtvp::c32 {

/// Largest value of a word, shown in hexadecimal.
inline constexpr std::uint64_t kMostOfAWord = 0xFFFFFFFF;

namespace detail {

inline constexpr std::uint64_t kMostHz = 1'000'000'000;
inline constexpr std::string_view kOffOn = "off|on";

/// Getter and setter of a member.
template <auto Member>
constexpr std::uint64_t get(const CpuConfig& c) {
  return static_cast<std::uint64_t>(c.*Member);
}
template <auto Member>
constexpr void set(CpuConfig& c, std::uint64_t value) {
  using T = std::remove_reference_t<decltype(c.*Member)>;
  c.*Member = static_cast<T>(value);
}
template <unsigned N>
constexpr std::uint64_t getTimerClock(const CpuConfig& c) {
  return c.timerClockHz[N];
}
template <unsigned N>
constexpr void setTimerClock(CpuConfig& c, std::uint64_t value) {
  c.timerClockHz[N] = value;
}

template <auto Member>
constexpr CpuOption option(std::string_view key, std::string_view section, std::string_view unit,
                           std::string_view choices, std::uint64_t least, std::uint64_t most,
                           std::string_view help) {
  return {key, section, unit, choices, least, most, help, get<Member>, set<Member>};
}
template <auto Member>
constexpr CpuOption cycles(std::string_view key, std::string_view section, std::uint64_t least,
                           std::string_view help) {
  return option<Member>(key, section, "cycles", "", least, 1000, help);
}
template <auto Member>
constexpr CpuOption choice(std::string_view key, std::string_view section, std::string_view choices,
                           std::string_view help) {
  std::uint64_t most = 0;
  for (const char c : choices) most += c == '|' ? 1 : 0;
  return option<Member>(key, section, "", choices, 0, most, help);
}

}  // namespace detail

inline constexpr std::array kCpuOptions{
    detail::choice<&CpuConfig::exactN>(
        "n-flag-exact", "0.3", detail::kOffOn,
        "N of an overflowing integer result is the sign of the exact one"),
    detail::choice<&CpuConfig::reservedBitsKept>("reserved-bits", "1.1", "zero|kept",
                                                 "bits of ST, IE, IF and IOF without a meaning"),
    detail::choice<&CpuConfig::cacheClearKept>(
        "cc-reads-back", "1.2", detail::kOffOn,
        "ST.CC keeps what is written (off: it clears itself)"),
    detail::choice<&CpuConfig::alignment>("addf-alignment", "3.1", "ignore-from-32|flow-chart",
                                          "ADDF with exponents 32 or more apart"),
    detail::choice<&CpuConfig::pairFlagsOfSum>("parallel-float-nz", "4.3", "cleared|of-sum",
                                               "N and Z of MPYF3 with ADDF3 or SUBF3"),
    detail::choice<&CpuConfig::secondStoreRemains>(
        "parallel-store-order", "4.4.6", "first-remains|second-remains",
        "two parallel stores to one address, as written"),
    detail::cycles<&CpuConfig::gieClearCycles>(
        "gie-clear-cycles", "4.5", 0, "an interrupt is still taken so long after GIE is cleared"),
    detail::cycles<&CpuConfig::idle2WakeCycles>("idle2-wake-cycles", "4.5", 0,
                                                "shortest low of an INT pin that ends IDLE2"),
    detail::choice<&CpuConfig::repeatCountEndsZero>("repeat-count-end", "4.6", "minus-one|zero",
                                                    "RC when a repeat has ended"),
    detail::cycles<&CpuConfig::callCondCycles>("call-cond-cycles", "7.2", 1, "CALLcond taken"),
    detail::cycles<&CpuConfig::bcondUntakenCycles>("bcond-untaken-cycles", "7.3", 1,
                                                   "Bcond, DBcond not taken"),
    detail::cycles<&CpuConfig::arReadStall>(
        "ar-read-stall", "7.4", 0,
        "addressing with a register group right after it was read as data"),
    detail::cycles<&CpuConfig::executeOnlyCycles>(
        "execute-only-cycles", "7.5", 0,
        "reads after a store pair, two reads after a store (pipeline)"),
    detail::cycles<&CpuConfig::interruptSynchroniserCycles>("interrupt-synchroniser-cycles", "7.7",
                                                            0, "INT pin to interrupt flag"),
    detail::cycles<&CpuConfig::interruptEntryCycles>(
        "interrupt-entry-cycles", "7.7", 1, "recognition to the first instruction of the routine"),
    detail::choice<&CpuConfig::timing>(
        "timing", "7.8", "static|interlock|pipeline",
        "pipeline conflicts that cost cycles: none, of addresses and operands, all"),
    detail::choice<&CpuConfig::microprocessorMode>("microprocessor-mode", "8.1", detail::kOffOn,
                                                   "off: the boot ROM is at address 0"),
    detail::choice<&CpuConfig::trapUninitialised>("trap-uninitialised", "8.1", detail::kOffOn,
                                                  "reading memory never written is a fault"),
    detail::option<&CpuConfig::strbReset>("strb-reset", "8.4", "", "", 0, kMostOfAWord,
                                          "STRB0 and STRB1 control after reset"),
    detail::option<&CpuConfig::ioStrobeReset>("iostrb-reset", "8.4", "", "", 0, kMostOfAWord,
                                              "IOSTRB control after reset"),
    detail::choice<&CpuConfig::zeroFillIsOne>("zero-fill-is-one", "8.4", detail::kOffOn,
                                              "sign/zero bit: 1 zero-fills, 0 sign-extends"),
    detail::cycles<&CpuConfig::externalWriteCycles>("external-write-cycles", "8.4", 1,
                                                    "STRBx write, zero wait"),
    detail::cycles<&CpuConfig::ioStrobeCycles>("iostrb-cycles", "8.4", 1,
                                               "IOSTRB access, zero wait"),
    detail::cycles<&CpuConfig::bankSwitchCycles>("bank-switch-cycles", "8.4", 0,
                                                 "read in another bank"),
    detail::choice<&CpuConfig::prgwPin>("prgw-pin", "8.4", "low|high", "level at PRGW, ST bit 15"),
    detail::choice<&CpuConfig::prgwSelects16>("prgw-selects-16", "8.4", detail::kOffOn,
                                              "PRGW high (off: low) means 16-bit program memory"),
    CpuOption{"timer0-clock", "8.5", "Hz", "", 0, detail::kMostHz, "clock at TCLK0, 0 = none",
              detail::getTimerClock<0>, detail::setTimerClock<0>},
    CpuOption{"timer1-clock", "8.5", "Hz", "", 0, detail::kMostHz, "clock at TCLK1, 0 = none",
              detail::getTimerClock<1>, detail::setTimerClock<1>},
    detail::option<&CpuConfig::serialBitClockHz>(
        "serial-clock", "8.6", "Hz", "", 0, detail::kMostHz, "clock at CLKX and CLKR, 0 = none"),
    detail::choice<&CpuConfig::serialBlockSync>(
        "serial-block-sync", "8.6", detail::kOffOn,
        "continuous mode spends a frame bit before each block of words"),
    detail::choice<&CpuConfig::serialExternalSync>(
        "serial-external-sync", "8.6", detail::kOffOn,
        "an FSX that is an input is pulsed when a word waits"),
    detail::choice<&CpuConfig::requestShowsInOutxf0>(
        "outxf0-follows", "9.2", detail::kOffOn,
        "OUTXF0 shows what interlocked instructions drive"),
    detail::choice<&CpuConfig::interlockInterruptible>(
        "interlock-interruptible", "9.2", detail::kOffOn,
        "a waiting LDFI, LDII or SIGI gives way to an interrupt"),
    detail::cycles<&CpuConfig::holdCycles>("hold-cycles", "9.3", 0, "HOLD low to HOLDA low"),
};

}  // namespace rtvp::c32
