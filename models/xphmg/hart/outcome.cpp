// See outcome.hpp.
#include "models/xphmg/hart/outcome.hpp"

#include <sstream>

#include "models/common/core/text.hpp"

namespace rtvp::rv64 {
namespace {

/// What an exception's cause means, as far as this hart raises it.
std::string causeText(std::uint64_t cause, std::uint64_t value) {
  const std::string at = " at " + common::hex0x(value);
  switch (static_cast<Cause>(cause)) {
    case Cause::FetchMisaligned:
      return "misaligned jump to " + common::hex0x(value);
    case Cause::FetchAccess:
      return "fetch from " + common::hex0x(value) + ", where no memory is";
    case Cause::IllegalInstruction:
      return "illegal instruction " + common::hex0x(value);
    case Cause::Breakpoint:
      return "EBREAK";
    case Cause::LoadMisaligned:
      return "misaligned load" + at;
    case Cause::LoadAccess:
      return "load" + at + ", where nothing answers";
    case Cause::StoreMisaligned:
      return "misaligned store" + at;
    case Cause::StoreAccess:
      return "store" + at + ", where nothing answers";
    case Cause::EcallFromM:
      return "ECALL";
  }
  return "unknown cause";
}

}  // namespace

std::string place(const ElfImage& image, std::uint64_t address) {
  const ElfSymbol* symbol = image.covering(address);
  if (symbol == nullptr) return common::hex0x(address);
  return common::hex0x(address) + " (" + symbol->name + "+" +
         common::hex0x(address - symbol->value) + ")";
}

std::string lastTrap(const Hart& hart, const ElfImage& image) {
  if (hart.mcause() == 0 && hart.mepc() == 0) return {};
  return causeText(hart.mcause(), hart.mtval()) + " (mcause " + common::hex0x(hart.mcause()) +
         ", mtval " + common::hex0x(hart.mtval()) + ") at " + place(image, hart.mepc());
}

std::string describe(const Outcome& outcome, const Hart& hart, const ElfImage& image) {
  using Kind = Outcome::Kind;
  switch (outcome.kind) {
    case Kind::Exit:
      return "ended with exit code " + std::to_string(outcome.code);
    case Kind::Limit:
      return "stopped after " + std::to_string(hart.instructionsRetired()) + " instructions at " +
             place(image, hart.pc());
    case Kind::NoHandler:
      return "trap: " + lastTrap(hart, image) + "; mtvec is 0, so no handler runs";
    case Kind::DoubleTrap:
      return "trap: " + lastTrap(hart, image) +
             "; it came before the handler of the last trap retired an instruction";
    case Kind::Breakpoint:
    case Kind::Yield:
      return "stopped at " + place(image, hart.pc());
    case Kind::Waiting:
    case Kind::Blocked:
      break;
  }
  return std::string(outcome.kind == Kind::Blocked ? "a submit or fence" : "WFI") +
         " waits for ever at " + place(image, hart.pc()) +
         ": no timer, job or interrupt is to come";
}

}  // namespace rtvp::rv64
