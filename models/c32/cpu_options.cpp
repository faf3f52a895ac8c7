// Options and decisions: see cpu_options.hpp.
#include "models/c32/cpu_options.hpp"

#include <array>
#include <charconv>
#include <sstream>
#include <vector>

#include "models/c32/cpu_option_table.hpp"
#include "models/c32/peripheral_registers.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::array kDecisions{
    CpuDecision{"1.3",
                "IE upper half: channel 0 has the C31's bits (16-19 INT0-3, 20 XINT0, 21 "
                "RINT0, 24 TINT0, 25 TINT1, 26 DINT1), channel 1 the free ones (28-31 "
                "INT0-3, 22 XINT0, 23 RINT0, 27 DINT0)"},
    CpuDecision{"4.4.4", "SWI is a fault: the emulator it belongs to is not there"},
    CpuDecision{"4.4.6", "of two parallel loads into one register the first written remains"},
    CpuDecision{"4.5",
                "IDLE2 stops timers, serial port and DMA; serial words that arrive meanwhile "
                "are taken at the wake-up, a word already on its way out arrives as announced"},
    CpuDecision{"6.2", "address arithmetic changes bits 23-0 of ARn only"},
    CpuDecision{"7.4", "a conditional load counts as a write whatever its condition says"},
    CpuDecision{"7.5", "an instruction's fetch, reads and write count in one cycle of a RAM block"},
    CpuDecision{"7.6", "changes of CE, CF and CC act on fetches from the fourth cycle after"},
    CpuDecision{"7.7",
                "the IACK pin acts in the IACK instruction only, not at an interrupt's entry"},
    CpuDecision{"7.7", "a flag that both CPU and DMA want starts the DMA and stays for the CPU"},
    CpuDecision{"8.4", "size and width code 2 (reserved) acts as 32 bits"},
    CpuDecision{"8.4",
                "narrow data share a location, byte lane by the low address bits; wide data "
                "take several locations, least significant part first; vectors and programs "
                "have the program's width; IOSTRB is 32 bits wide"},
    CpuDecision{"8.5",
                "a timer's first count comes two cycles after the write that starts it; GO "
                "clears TSTAT; a counter written equal to the period returns to 0 at the "
                "next count"},
    CpuDecision{"8.6",
                "handshake: every read of DRR sends the acknowledge; XRDY and XINT follow it"},
    CpuDecision{
        "8.6",
        "a receiver judges a frame by its registers when its first bit arrives; where the "
        "line carries no word it reads 0, and in continuous mode shifts nothing in; another "
        "rate, clock edge or sync polarity: nothing is received"},
    CpuDecision{"8.6",
                "words of handshake mode have no frame sync; a pin whose FUNC bit is 0 takes no "
                "part"},
    CpuDecision{"8.7",
                "DMA PRI 01 and 10: program and DMA take turns; a word begun is finished "
                "before the other channel reads, unless it waits for an interrupt"},
    CpuDecision{"8.7",
                "SYNC = 11: one interrupt starts the read, its write follows; START stays "
                "as written when TC stops a channel"},
    CpuDecision{"8.7", "an external access of the program waits for one access of DMA at most"},
    CpuDecision{"8.8",
                "boot: table read with the reset control values, control words written at "
                "the end; block control word = value << 8 | register's low byte; serial "
                "stream has blocks only"},
    CpuDecision{"9.1", "the XF input synchroniser belongs to the board, which answers samplings"},
    CpuDecision{"9.2", "an interrupted LDFI or LDII leaves its destination and XF0 as they are"},
    CpuDecision{"9.3", "NOHOLD set during a hold ends it; HIZ acts as HOLD does"},
};

std::string_view choiceName(std::string_view choices, std::uint64_t index) {
  for (; index != 0; --index) choices.remove_prefix(choices.find('|') + 1);
  return choices.substr(0, choices.find('|'));
}

std::string rangeText(const CpuOption& o) {
  if (!o.choices.empty()) return std::string(o.choices);
  return std::to_string(o.least) + " to " + std::to_string(o.most);
}

/// Number of a choice's name, or a decimal or 0x number.
std::optional<std::uint64_t> parse(const CpuOption& o, std::string_view text) {
  if (!o.choices.empty()) {
    for (std::uint64_t n = o.least; n <= o.most; ++n) {
      if (choiceName(o.choices, n) == text) return n;
    }
    return std::nullopt;
  }
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < o.least || value > o.most) return std::nullopt;
  return value;
}

}  // namespace

std::span<const CpuOption> cpuOptions() {
  return kCpuOptions;
}

std::span<const CpuDecision> cpuDecisions() {
  return kDecisions;
}

std::optional<std::string> setCpuOption(CpuConfig& config, std::string_view key,
                                        std::string_view value) {
  for (const CpuOption& o : kCpuOptions) {
    if (o.key != key) continue;
    const std::optional<std::uint64_t> number = parse(o, value);
    if (!number) {
      return std::string(key) + ": '" + std::string(value.substr(0, 40)) + "' is none of " +
             rangeText(o);
    }
    o.set(config, *number);
    return std::nullopt;
  }
  return "no option '" + std::string(key.substr(0, 40)) + "'";
}

std::string cpuOptionText(const CpuOption& o, const CpuConfig& config) {
  const std::uint64_t value = o.get(config);
  if (!o.choices.empty()) return std::string(choiceName(o.choices, value));
  if (o.most != kMostOfAWord) return std::to_string(value);
  std::ostringstream hex;
  hex << "0x" << std::hex << value;
  return hex.str();
}

std::string cpuOptionsMarkdown() {
  std::ostringstream out;
  const CpuConfig defaults;
  out << "## Options\n\n| option | default | values | unit | c32.md | meaning |\n"
         "|---|---|---|---|---|---|\n";
  for (const CpuOption& o : kCpuOptions) {
    std::string range = rangeText(o);
    for (std::size_t at = 0; (at = range.find('|', at)) != std::string::npos; at += 2) {
      range.replace(at, 1, ", ");
    }
    out << "| `" << o.key << "` | " << cpuOptionText(o, defaults) << " | " << range << " | "
        << o.unit << " | " << o.section << " | " << o.help << " |\n";
  }
  out << "\n## Decisions\n\n| c32.md | what the model does |\n|---|---|\n";
  for (const CpuDecision& d : kDecisions) out << "| " << d.section << " | " << d.text << " |\n";
  return out.str();
}

namespace {

/// A block's table with offsets in words, as programs count them.
std::string blockMarkdown(std::string_view title,
                          std::span<const common::RegisterDescriptor> table) {
  std::vector<common::RegisterDescriptor> rows(table.begin(), table.end());
  for (common::RegisterDescriptor& row : rows) row.offset /= 4;
  return common::registerMarkdown(title, rows);
}

}  // namespace

std::string peripheralsMarkdown() {
  return "## Peripheral registers\n\nOffsets are words from 808000h.\n\n" +
         blockMarkdown("DMA", kDmaRegisters) + "\n" + blockMarkdown("Timers", kTimerRegisters) +
         "\n" + blockMarkdown("Serial port", kSerialRegisters) + "\n" +
         blockMarkdown("Bus control", kBusRegisters);
}

}  // namespace rtvp::c32
