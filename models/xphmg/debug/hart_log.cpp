// See hart_log.hpp. Writing.
#include "models/xphmg/debug/hart_log.hpp"

#include <optional>
#include <span>
#include <utility>

#include "models/xphmg/debug/hart_log_format.hpp"

namespace rtvp::rv64 {
namespace {

constexpr std::size_t kChunk = 1 << 16;
constexpr std::uint64_t kCauseBits = 0xFF;

/// What RAM holds there, little-endian; empty: it is no RAM.
std::optional<std::uint64_t> wordAt(const Hart& hart, std::uint64_t address, std::uint64_t size) {
  std::array<std::uint8_t, 8> bytes{};
  if (!hart.peek(address, std::span(bytes).first(static_cast<std::size_t>(size))))
    return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t n = bytes.size(); n-- > 0;) value = value << 8U | bytes[n];
  return value;
}

}  // namespace

HartLog::HartLog(const ElfImage& image, const DebugUnit& unit, std::uint64_t from, std::uint64_t to,
                 Sink sink)
    : unit_(unit), from_(from), to_(to), sink_(std::move(sink)) {
  bytes_.out = hart_log::kMagic;
  const debug::Program program = debugProgram(image);
  debug::writeProgram(bytes_, program);
  bytes_.number(program.addressDigits);
  bytes_.text(unit.name());
}

bool HartLog::before(const Hart& hart, const Decoded& instruction) {
  if (open_.valid && open_.again && open_.pc == hart.pc()) return true;
  const bool behind = open_.valid && !open_.trapped;
  if (open_.valid) write(hart.cycle());
  open_ = {};
  if (behind && hart.pc() != expected_) open_.interrupt = (hart.mcause() & kCauseBits) + 1;
  begin(hart, instruction);
  return true;
}

void HartLog::begin(const Hart& hart, const Decoded& instruction) {
  open_.valid = true;
  open_.pc = hart.pc();
  open_.start = hart.cycle();
  open_.word = instruction.word;
  open_.length = instruction.length;
  if (open_.start < from_ || open_.start >= to_) return;
  open_.effects = unit_.next();
  for (unsigned n = 0; n < 32; ++n) {
    open_.x[n] = hart.x(n);
    open_.f[n] = hart.f(n);
  }
  for (unsigned n = 0; n < open_.effects.count; ++n) {
    const debug::Access& a = open_.effects.accesses[n];
    if (!a.write) open_.values[n] = wordAt(hart, a.address, a.size);
  }
}

void HartLog::after(const Hart& hart, const Decoded& instruction, bool retired) {
  if (!open_.valid) return;
  open_.trapped = hart.trapping();
  open_.again = !retired && !open_.trapped;
  expected_ = hart.pc();
  if (!retired || open_.start < from_ || open_.start >= to_) return;
  for (unsigned n = 0; n < 32; ++n) {
    if (hart.x(n) != open_.x[n]) changed(n, hart.x(n));
  }
  for (unsigned n = 0; n < 32; ++n) {
    if (hart.f(n) != open_.f[n]) changed(DebugUnit::kFloats + n, hart.f(n));
  }
  for (unsigned n = 0; n < open_.effects.count; ++n) {
    const debug::Access& a = open_.effects.accesses[n];
    std::optional<std::uint64_t>& value = open_.values[n];
    if (a.write) value = wordAt(hart, a.address, a.size);
    // A device's word is what went to it, or came from it.
    if (!value) value = hart.x(a.write ? instruction.rs2 : instruction.rd);
  }
}

void HartLog::changed(unsigned number, std::uint64_t value) {
  open_.changes.number(number);
  open_.changes.number(value);
  ++open_.registers;
}

void HartLog::stalled(Spent cause, std::uint64_t cycles) {
  if (open_.valid) open_.stalls[static_cast<unsigned>(cause)] += cycles;
}

void HartLog::finish(std::uint64_t now) {
  if (open_.valid) write(now);
  open_.valid = false;
  flush();
}

void HartLog::writeAccesses() {
  bytes_.number(open_.effects.count);
  for (unsigned n = 0; n < open_.effects.count; ++n) {
    const debug::Access& a = open_.effects.accesses[n];
    bytes_.number(a.address);
    bytes_.number(a.size << 1U | (a.write ? 1U : 0U));
    bytes_.number(open_.values[n].value_or(0));
  }
}

/// The open instruction, which has ended at cycle `end`.
void HartLog::write(std::uint64_t end) {
  if (open_.start < from_ || open_.start >= to_) return;
  using namespace hart_log;  // NOLINT(google-build-using-namespace)
  const std::uint64_t cycles = end - open_.start;
  unsigned stalls = 0;
  for (unsigned c = 0; c < kSpent; ++c) stalls |= (open_.stalls[c] != 0 ? 1U : 0U) << c;
  const auto known = words_.find(open_.pc);
  const bool sameWord = known != words_.end() && known->second == open_.word;
  const bool accesses = open_.effects.count != 0 && !open_.trapped && !open_.again;
  const unsigned flags = (open_.pc != next_ ? kPc : 0) | (sameWord ? 0 : kWord) |
                         (open_.start != end_ ? kStart : 0) | (cycles != 1 ? kCycles : 0) |
                         (stalls != 0 ? kStalls : 0) | (open_.registers != 0 ? kRegisters : 0) |
                         (accesses ? kAccesses : 0) |
                         (open_.interrupt != 0 || open_.trapped ? kEntry : 0);
  bytes_.out.push_back(static_cast<char>(flags));
  if ((flags & kPc) != 0) bytes_.number(open_.pc);
  if (!sameWord) {
    bytes_.number(open_.length);
    bytes_.number(open_.word);
    bytes_.text(unit_.disassemble(open_.pc));
    words_[open_.pc] = open_.word;
  }
  if ((flags & kStart) != 0) bytes_.number(open_.start - end_);
  if ((flags & kCycles) != 0) bytes_.number(cycles);
  if (stalls != 0) {
    bytes_.number(stalls);
    for (const std::uint64_t c : open_.stalls) {
      if (c != 0) bytes_.number(c);
    }
  }
  if (open_.registers != 0) {
    bytes_.number(open_.registers);
    bytes_.out += open_.changes.out;
  }
  if (accesses) writeAccesses();
  if ((flags & kEntry) != 0) {
    bytes_.number(open_.interrupt);
    bytes_.number(open_.trapped ? 1 : 0);
  }
  next_ = open_.pc + open_.length;
  end_ = end;
  if (bytes_.out.size() >= kChunk) flush();
}

void HartLog::flush() {
  sink_(bytes_.out);
  bytes_.out.clear();
}

}  // namespace rtvp::rv64
