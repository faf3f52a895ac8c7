// See instruction_log.hpp.
#include "models/c32/debug/instruction_log.hpp"

#include <bit>

#include "models/c32/debug/instruction_log_format.hpp"
#include "models/c32/debug/unit.hpp"
#include "models/debug/log_bytes.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::size_t kChunk = 1 << 16;

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
  Unit(InstructionLog& log, std::size_t number) : log_(log), number_(number) {
    bytes_.out.reserve(kChunk + 1024);
  }

  void executed(const TraceRecord& r) override {
    if (r.start < log_.from_ || r.start >= log_.to_) return;
    using namespace instruction_log;  // NOLINT(google-build-using-namespace)
    const Cycle cycles = r.end - r.start;
    std::uint32_t stalls = 0;
    for (unsigned c = 0; cycles != 1 && c < kStallCauses; ++c)
      stalls |= (r.stalls[c] != 0 ? 1u : 0u) << c;
    const std::uint32_t known = r.pc - kRamBase;
    const bool sameWord = known < kRamWords && seen_[known] && words_[known] == r.word;
    const unsigned flags = (r.pc != next_ ? kPc : 0) | (sameWord ? 0 : kWord) |
                           (r.start != end_ ? kStart : 0) | (cycles != 1 ? kCycles : 0) |
                           (stalls != 0 ? kStalls : 0) | (!r.registers.empty() ? kRegisters : 0) |
                           (!r.accesses.empty() ? kAccesses : 0);
    bytes_.out.push_back(static_cast<char>(flags));
    if ((flags & kPc) != 0) bytes_.number(r.pc);
    if ((flags & kWord) != 0) bytes_.number(r.word);
    if ((flags & kStart) != 0) bytes_.number(r.start - end_);
    if ((flags & kCycles) != 0) bytes_.number(cycles);
    if (stalls != 0) {
      bytes_.number(stalls);
      for (std::uint32_t left = stalls; left != 0; left &= left - 1)
        bytes_.number(r.stalls[static_cast<unsigned>(std::countr_zero(left))]);
    }
    if (!r.registers.empty()) {
      bytes_.number(r.registers.size());
      for (const RegisterWrite& w : r.registers) {
        bytes_.out.push_back(static_cast<char>(w.number));
        if (w.number < 8) bytes_.out.push_back(static_cast<char>(w.exponent));
        bytes_.number(w.value);
      }
    }
    if (!r.accesses.empty()) {
      bytes_.number(r.accesses.size());
      for (const MemoryAccess& a : r.accesses) {
        bytes_.number(std::uint64_t{a.address} << 1 | (a.write ? 1u : 0u));
        bytes_.number(a.word);
      }
    }
    if (known < kRamWords) {
      seen_[known] = true;
      words_[known] = r.word;
    }
    next_ = (r.pc + 1) & kAddressMask;
    end_ = r.end;
    if (bytes_.out.size() >= kChunk) flush();
  }

  void interrupted(unsigned flag, std::uint32_t from, std::uint32_t to, Cycle start,
                   Cycle end) override {
    if (start < log_.from_ || start >= log_.to_) return;
    bytes_.out.push_back(static_cast<char>(instruction_log::kInterrupt));
    bytes_.number(flag);
    bytes_.number(from);
    bytes_.number(to);
    bytes_.number(start - end_);
    bytes_.number(end - start);
    next_ = to;
    end_ = end;
  }

  void flush() {
    if (bytes_.out.empty()) return;
    debug::LogWriter head;
    head.number(number_);
    head.number(bytes_.out.size());
    log_.sink_(head.out);
    log_.sink_(bytes_.out);
    bytes_.out.clear();
  }

 private:
  InstructionLog& log_;
  std::size_t number_;
  debug::LogWriter bytes_;
  std::uint32_t next_ = 0;
  Cycle end_ = 0;
  std::array<std::uint32_t, kRamWords> words_{};
  std::array<bool, kRamWords> seen_{};
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
