// See instruction_reader.hpp.
#include "models/c32/debug/instruction_reader.hpp"

#include <bit>
#include <stdexcept>

#include "models/c32/debug/instruction_log_format.hpp"
#include "models/debug/log_bytes.hpp"

namespace rtvp::c32 {
namespace {

using Reader = debug::LogReader;

void readStalls(Reader& from, StallCycles& stalls) {
  for (std::uint32_t left = from.word(); left != 0; left &= left - 1) {
    const auto cause = static_cast<unsigned>(std::countr_zero(left));
    if (cause >= kStallCauses) throw std::runtime_error("the log is damaged: found no such stall");
    stalls[cause] = from.number();
  }
}

void readRegisters(Reader& from, std::vector<RegisterWrite>& registers) {
  for (auto n = from.number(); n > 0; --n) {
    RegisterWrite write;
    write.number = static_cast<std::uint8_t>(from.byte());
    if (write.number >= reg::kCount)
      throw std::runtime_error("the log is damaged: found no such register");
    if (write.number < 8) write.exponent = static_cast<std::int8_t>(from.byte());
    write.value = from.word();
    registers.push_back(write);
  }
}

void readAccesses(Reader& from, std::vector<MemoryAccess>& accesses) {
  for (auto n = from.number(); n > 0; --n) {
    const std::uint64_t address = from.number();
    accesses.push_back({static_cast<std::uint32_t>(address >> 1), from.word(), (address & 1) != 0});
  }
}

}  // namespace

InstructionReader::InstructionReader(std::string_view log) {
  if (!log.starts_with(instruction_log::kMagic))
    throw std::runtime_error("found no instruction log, expected a file that --instructions wrote");
  Reader from(log.substr(instruction_log::kMagic.size()));
  program_ = debug::readProgram(from);
  for (auto n = from.number(); n > 0; --n) names_.push_back(from.text());
  units_.resize(names_.size());
  while (!from.empty()) {
    const std::uint64_t unit = from.number();
    if (unit >= units_.size()) throw std::runtime_error("the log is damaged: found no such unit");
    units_[unit].chunks.push_back(from.take(from.number()));
  }
}

bool InstructionReader::next(std::size_t unit, LoggedInstruction& i) {
  using namespace instruction_log;  // NOLINT(google-build-using-namespace)
  Unit& u = units_.at(unit);
  while (u.left.empty()) {
    if (u.chunks.empty()) return false;
    u.left = u.chunks.front();
    u.chunks.pop_front();
  }
  Reader from(u.left);
  i = {};
  const unsigned flags = from.byte();
  if (flags == kInterrupt) {
    i.interrupt = true;
    i.flag = from.number();
    i.from = from.word();
    i.pc = from.word();
    i.start = u.end + from.number();
    i.end = i.start + from.number();
    u.next = i.pc;
  } else {
    i.pc = (flags & kPc) != 0 ? from.word() : u.next;
    std::uint32_t& word = u.words[i.pc];
    if ((flags & kWord) != 0) word = from.word();
    i.word = word;
    i.start = u.end + ((flags & kStart) != 0 ? from.number() : 0);
    i.end = i.start + ((flags & kCycles) != 0 ? from.number() : 1);
    if ((flags & kStalls) != 0) readStalls(from, i.stalls);
    if ((flags & kRegisters) != 0) readRegisters(from, i.registers);
    if ((flags & kAccesses) != 0) readAccesses(from, i.accesses);
    u.next = (i.pc + 1) & kAddressMask;
  }
  u.end = i.end;
  u.left = from.left();
  return true;
}

}  // namespace rtvp::c32
