// See instruction_queue.hpp.
#include "models/c32/debug/instruction_queue.hpp"

#include <algorithm>
#include <bit>

#include "models/debug/log_bytes.hpp"

namespace rtvp::c32 {
namespace {

// First byte of a record: which parts follow, in this order.
constexpr unsigned kPc = 1;       ///< else: behind the instruction before
constexpr unsigned kWord = 2;     ///< else: as the last time at this address
constexpr unsigned kStart = 4;    ///< cycles since the end of the one before; else 0
constexpr unsigned kCycles = 8;   ///< else 1
constexpr unsigned kStalls = 16;  ///< a bit a cause, then the cycles of each
constexpr unsigned kRegisters = 32;
constexpr unsigned kAccesses = 64;
constexpr unsigned kInterrupt = 128;  ///< alone: an interrupt was entered

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
constexpr std::size_t kChunk = 1 << 16;
constexpr std::size_t kMostNumber = 10;    ///< bytes of a number
constexpr std::size_t kMostAccesses = 64;  ///< of an instruction, as a rule
/// A record of so many accesses: what it begins with, registers, accesses.
constexpr std::size_t kLongest =
    kMostNumber * (6 + kStallCauses + 2 * reg::kCount + 2 * kMostAccesses);

/// Writes to where there is room.
class Cursor {
 public:
  explicit Cursor(char* at) : at_(at) {}
  void byte(unsigned value) { *at_++ = static_cast<char>(value); }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<unsigned>(value) | 0x80U);
    byte(static_cast<unsigned>(value));
  }
  [[nodiscard]] const char* end() const { return at_; }

 private:
  char* at_;
};

using Reader = debug::LogReader;

void readStalls(Reader& from, StallCycles& stalls) {
  for (std::uint32_t left = from.word(); left != 0; left &= left - 1)
    stalls.at(static_cast<unsigned>(std::countr_zero(left))) = from.number();
}

void readRegisters(Reader& from, std::vector<RegisterWrite>& registers) {
  for (auto n = from.number(); n > 0; --n) {
    RegisterWrite write;
    write.number = static_cast<std::uint8_t>(from.byte());
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

/// The word known at an address; `elsewhere` stands for those outside the RAM.
std::uint64_t& wordAt(std::array<std::uint64_t, kRamWords>& words, std::uint32_t pc,
                      std::uint64_t& elsewhere) {
  const std::uint32_t offset = pc - kRamBase;
  return offset < kRamWords ? words[offset] : elsewhere;
}

}  // namespace

InstructionQueue::Side::Side() {
  words.fill(kUnknown);
}

InstructionQueue::InstructionQueue(Cycle from, Cycle to) : from_(from), to_(to) {}

/// The chunk that the next record goes to.
InstructionQueue::Chunk& InstructionQueue::room(std::size_t accesses) {
  if (chunks_.empty() || chunks_.back().size >= kChunk) {
    chunks_.emplace_back();
    chunks_.back().bytes.resize(kChunk + kLongest);
  }
  Chunk& chunk = chunks_.back();
  if (accesses > kMostAccesses)
    chunk.bytes.resize(
        std::max(chunk.bytes.size(), chunk.size + kLongest + 2 * kMostNumber * accesses));
  return chunk;
}

void InstructionQueue::executed(const TraceRecord& r) {
  if (r.start < from_ || r.start >= to_) return;
  const Cycle cycles = r.end - r.start;
  std::uint32_t stalls = 0;
  for (unsigned c = 0; cycles != 1 && c < kStallCauses; ++c)
    stalls |= (r.stalls[c] != 0 ? 1u : 0u) << c;
  std::uint64_t elsewhere = kUnknown;
  std::uint64_t& known = wordAt(in_.words, r.pc, elsewhere);
  const unsigned flags = (r.pc != in_.next ? kPc : 0) | (known == r.word ? 0 : kWord) |
                         (r.start != in_.end ? kStart : 0) | (cycles != 1 ? kCycles : 0) |
                         (stalls != 0 ? kStalls : 0) | (!r.registers.empty() ? kRegisters : 0) |
                         (!r.accesses.empty() ? kAccesses : 0);
  Chunk& chunk = room(r.accesses.size());
  Cursor out(chunk.bytes.data() + chunk.size);
  out.byte(flags);
  if ((flags & kPc) != 0) out.number(r.pc);
  if ((flags & kWord) != 0) out.number(r.word);
  if ((flags & kStart) != 0) out.number(r.start - in_.end);
  if ((flags & kCycles) != 0) out.number(cycles);
  if (stalls != 0) {
    out.number(stalls);
    for (std::uint32_t left = stalls; left != 0; left &= left - 1)
      out.number(r.stalls[static_cast<unsigned>(std::countr_zero(left))]);
  }
  if (!r.registers.empty()) {
    out.number(r.registers.size());
    for (const RegisterWrite& w : r.registers) {
      out.byte(w.number);
      if (w.number < 8) out.byte(static_cast<std::uint8_t>(w.exponent));
      out.number(w.value);
    }
  }
  if (!r.accesses.empty()) {
    out.number(r.accesses.size());
    for (const MemoryAccess& a : r.accesses) {
      out.number(std::uint64_t{a.address} << 1 | (a.write ? 1u : 0u));
      out.number(a.word);
    }
  }
  known = r.word;
  in_.next = (r.pc + 1) & kAddressMask;
  in_.end = r.end;
  chunk.size = static_cast<std::size_t>(out.end() - chunk.bytes.data());
}

void InstructionQueue::interrupted(unsigned flag, std::uint32_t from, std::uint32_t to, Cycle start,
                                   Cycle end) {
  if (start < from_ || start >= to_) return;
  Chunk& chunk = room(0);
  Cursor out(chunk.bytes.data() + chunk.size);
  out.byte(kInterrupt);
  out.number(flag);
  out.number(from);
  out.number(to);
  out.number(start - in_.end);
  out.number(end - start);
  in_.next = to;
  in_.end = end;
  chunk.size = static_cast<std::size_t>(out.end() - chunk.bytes.data());
}

/// What is left of the first chunk.
std::string_view InstructionQueue::unread() const {
  if (chunks_.empty()) return {};
  return std::string_view(chunks_.front().bytes.data(), chunks_.front().size).substr(read_);
}

bool InstructionQueue::take(LoggedInstruction& i) {
  if (unread().empty()) return false;
  Reader from(unread());
  i = {};
  const unsigned flags = from.byte();
  if (flags == kInterrupt) {
    i.interrupt = true;
    i.flag = from.number();
    i.from = from.word();
    i.pc = from.word();
    i.start = out_.end + from.number();
    i.end = i.start + from.number();
    out_.next = i.pc;
  } else {
    i.pc = (flags & kPc) != 0 ? from.word() : out_.next;
    std::uint64_t elsewhere = kUnknown;
    std::uint64_t& word = wordAt(out_.words, i.pc, elsewhere);
    if ((flags & kWord) != 0) word = from.word();
    i.word = static_cast<std::uint32_t>(word);
    i.start = out_.end + ((flags & kStart) != 0 ? from.number() : 0);
    i.end = i.start + ((flags & kCycles) != 0 ? from.number() : 1);
    if ((flags & kStalls) != 0) readStalls(from, i.stalls);
    if ((flags & kRegisters) != 0) readRegisters(from, i.registers);
    if ((flags & kAccesses) != 0) readAccesses(from, i.accesses);
    out_.next = (i.pc + 1) & kAddressMask;
  }
  out_.end = i.end;
  Chunk& first = chunks_.front();
  read_ = first.size - from.left().size();
  if (read_ != first.size) return true;
  read_ = 0;
  first.size = 0;
  if (chunks_.size() > 1) chunks_.pop_front();  // else it serves again
  return true;
}

}  // namespace rtvp::c32
