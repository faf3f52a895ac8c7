// See instruction_reader.hpp.
#include "models/c32/debug/instruction_reader.hpp"

#include <bit>
#include <stdexcept>

#include "models/c32/debug/instruction_log_format.hpp"

namespace rtvp::c32 {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("the log is damaged: found a number of more than 64 bits");
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(number()); }
  unsigned byte() { return static_cast<unsigned char>(take(1).front()); }
  std::string text() { return std::string(take(number())); }
  std::string_view take(std::uint64_t count) {
    if (count > left_.size()) throw std::runtime_error("the log ends in the middle of a record");
    const std::string_view bytes = left_.substr(0, count);
    left_.remove_prefix(count);
    return bytes;
  }
  [[nodiscard]] bool empty() const { return left_.empty(); }
  [[nodiscard]] std::string_view left() const { return left_; }

 private:
  std::string_view left_;
};

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

debug::Program readProgram(Reader& from) {
  debug::Program program;
  for (auto n = from.number(); n > 0; --n) {
    const std::uint64_t address = from.number();
    program.labels[address] = from.text();
  }
  for (auto n = from.number(); n > 0; --n) program.files.push_back(from.text());
  for (auto n = from.number(); n > 0; --n) {
    debug::Line line;
    line.address = from.number();
    line.file = from.word();
    line.number = from.word();
    if (line.file >= program.files.size())
      throw std::runtime_error("the log is damaged: found a line of no file");
    program.lines.push_back(line);
  }
  return program;
}

}  // namespace

InstructionReader::InstructionReader(std::string_view log) {
  if (!log.starts_with(instruction_log::kMagic))
    throw std::runtime_error("found no instruction log, expected a file that --instructions wrote");
  Reader from(log.substr(instruction_log::kMagic.size()));
  program_ = readProgram(from);
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
