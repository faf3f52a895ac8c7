// See instruction_log.hpp.
#include "models/c32/debug/instruction_log.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "models/c32/debug/instruction_log_format.hpp"
#include "models/c32/debug/unit.hpp"
#include "models/debug/log_bytes.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::size_t kChunk = 1 << 16;

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

std::string headOf(const Image& image, const std::vector<std::string>& units) {
  debug::LogWriter head;
  head.out = instruction_log::kMagic;
  debug::writeProgram(head, debugProgram(image));
  head.number(units.size());
  for (const std::string& unit : units) head.text(unit);
  return std::move(head.out);
}

}  // namespace

class InstructionLog::Unit final : public CpuObserver {
 public:
  Unit(InstructionLog& log, std::size_t number)
      : log_(log), number_(number), buffer_(kChunk + kLongest) {
    words_.fill(kNever);
  }

  void executed(const TraceRecord& r) override {
    if (r.start < log_.from_ || r.start >= log_.to_) return;
    using namespace instruction_log;  // NOLINT(google-build-using-namespace)
    if (r.accesses.size() > kMostAccesses) makeRoom(r.accesses.size());
    const Cycle cycles = r.end - r.start;
    std::uint32_t stalls = 0;
    for (unsigned c = 0; cycles != 1 && c < kStallCauses; ++c)
      stalls |= (r.stalls[c] != 0 ? 1u : 0u) << c;
    const std::uint32_t offset = r.pc - kRamBase;
    std::uint64_t elsewhere = kNever;
    std::uint64_t& known = offset < kRamWords ? words_[offset] : elsewhere;
    const unsigned flags = (r.pc != next_ ? kPc : 0) | (known == r.word ? 0 : kWord) |
                           (r.start != end_ ? kStart : 0) | (cycles != 1 ? kCycles : 0) |
                           (stalls != 0 ? kStalls : 0) | (!r.registers.empty() ? kRegisters : 0) |
                           (!r.accesses.empty() ? kAccesses : 0);
    Cursor out(at());
    out.byte(flags);
    if ((flags & kPc) != 0) out.number(r.pc);
    if ((flags & kWord) != 0) out.number(r.word);
    if ((flags & kStart) != 0) out.number(r.start - end_);
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
    next_ = (r.pc + 1) & kAddressMask;
    end_ = r.end;
    written(out);
  }

  void interrupted(unsigned flag, std::uint32_t from, std::uint32_t to, Cycle start,
                   Cycle end) override {
    if (start < log_.from_ || start >= log_.to_) return;
    makeRoom(0);
    Cursor out(at());
    out.byte(instruction_log::kInterrupt);
    out.number(flag);
    out.number(from);
    out.number(to);
    out.number(start - end_);
    out.number(end - start);
    next_ = to;
    end_ = end;
    keep(out);  // a chunk ends behind an instruction
  }

  void flush() {
    if (size_ == 0) return;
    debug::LogWriter head;
    head.number(number_);
    head.number(size_);
    log_.sink_(head.out);
    log_.sink_({buffer_.data(), size_});
    size_ = 0;
  }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};  ///< the word has not come yet
  static constexpr std::size_t kMostNumber = 10;              ///< bytes of a number
  static constexpr std::size_t kMostAccesses = 64;            ///< of an instruction, as a rule
  /// A record of so many accesses: what it begins with, registers, accesses.
  static constexpr std::size_t kLongest =
      kMostNumber * (6 + kStallCauses + 2 * reg::kCount + 2 * kMostAccesses);

  void makeRoom(std::size_t accesses) {
    buffer_.resize(std::max(buffer_.size(), size_ + kLongest + 2 * kMostNumber * accesses));
  }
  [[nodiscard]] char* at() { return buffer_.data() + size_; }
  void keep(const Cursor& out) { size_ = static_cast<std::size_t>(out.end() - buffer_.data()); }
  void written(const Cursor& out) {
    keep(out);
    if (size_ >= kChunk) flush();
  }

  InstructionLog& log_;
  std::size_t number_;
  std::vector<char> buffer_;  ///< of a chunk, and room for the record that completes it
  std::size_t size_ = 0;
  std::uint32_t next_ = 0;
  Cycle end_ = 0;
  std::array<std::uint64_t, kRamWords> words_{};
};

InstructionLog::InstructionLog(const Image& image, const std::vector<std::string>& units,
                               Cycle from, Cycle to, Sink sink)
    : sink_(std::move(sink)), from_(from), to_(to) {
  sink_(headOf(image, units));
  for (std::size_t n = 0; n < units.size(); ++n) units_.push_back(std::make_unique<Unit>(*this, n));
}

InstructionLog::~InstructionLog() = default;

CpuObserver& InstructionLog::observer(std::size_t unit) {
  return *units_.at(unit);
}

void InstructionLog::finish() {
  for (const auto& unit : units_) unit->flush();
}

}  // namespace rtvp::c32
