// See hart_log.hpp. Reading.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "models/common/core/text.hpp"
#include "models/debug/instruction_lines.hpp"
#include "models/xphmg/debug/hart_log.hpp"
#include "models/xphmg/debug/hart_log_format.hpp"

namespace rtvp::rv64 {
namespace {

void pad(std::string& text, std::size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
}

[[noreturn]] void damaged(const char* what) {
  throw std::runtime_error(std::string("the log is damaged: found ") + what);
}

class Reader {
 public:
  explicit Reader(std::string_view log) : from_(log) {
    if (!isHartLog(log)) throw std::runtime_error("found no log of a hart");
    (void)from_.take(hart_log::kMagic.size());
    program_ = debug::readProgram(from_);
    program_.addressDigits = static_cast<unsigned>(from_.number());
    if (program_.addressDigits == 0 || program_.addressDigits > 16)
      damaged("addresses of a strange size");
    name_ = from_.text();
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] unsigned digits() const { return program_.addressDigits; }

  /// False: there is nothing more.
  bool next(debug::InstructionLine& line) {
    using namespace hart_log;  // NOLINT(google-build-using-namespace)
    if (from_.empty()) return false;
    const unsigned flags = from_.byte();
    const std::uint64_t pc = (flags & kPc) != 0 ? from_.number() : next_;
    Word& word = words_[pc];
    if ((flags & kWord) != 0) readWord(word);
    if (word.length > 4) damaged("an instruction that was never told");
    const std::uint64_t start = end_ + ((flags & kStart) != 0 ? from_.number() : 0);
    const std::uint64_t cycles = (flags & kCycles) != 0 ? from_.number() : 1;
    line = {pc, start, start + cycles, {}};
    std::string& text = line.text;
    text = common::hex(pc, digits()) + " " + common::hex(word.bits, word.length * 2);
    pad(text, digits() + 9);
    char count[32];
    std::snprintf(count, sizeof count, " %3llu  ", static_cast<unsigned long long>(cycles));
    text += count;
    if ((flags & kStalls) != 0) readStalls(text);
    pad(text, digits() + 38);
    text += word.text;
    pad(text, digits() + 74);
    if ((flags & kRegisters) != 0) readRegisters(text);
    if ((flags & kAccesses) != 0) readAccesses(text);
    if ((flags & kEntry) != 0) readEntry(text);
    pad(text, digits() + 106);
    text += "; " + program_.symbolic(pc);
    if (const std::string source = program_.lineText(pc); !source.empty()) text += " " + source;
    next_ = pc + word.length;
    end_ = line.end;
    return true;
  }

 private:
  struct Word {
    unsigned length = 5;  ///< no instruction has so many bytes
    std::uint32_t bits = 0;
    std::string text;
  };

  void readWord(Word& word) {
    const std::uint64_t length = from_.number();
    if (length > 4) damaged("an instruction of more than four bytes");
    word.length = static_cast<unsigned>(length);
    word.bits = from_.word();
    word.text = from_.text();
  }

  void readStalls(std::string& text) {
    std::string separator;
    for (std::uint64_t left = from_.number(); left != 0; left &= left - 1) {
      const int cause = std::countr_zero(left);
      if (cause >= static_cast<int>(kSpent)) damaged("no such stall");
      text += separator + std::string(spentName(static_cast<Spent>(cause))) + ":" +
              std::to_string(from_.number());
      separator = ",";
    }
  }

  void readRegisters(std::string& text) {
    for (auto n = from_.number(); n > 0; --n) {
      const std::uint64_t number = from_.number();
      if (number >= DebugUnit::kCsrs) damaged("no such register");
      const auto reg = static_cast<unsigned>(number);
      text += " " +
              std::string(reg < DebugUnit::kFloats ? integerRegisterName(reg)
                                                   : floatRegisterName(reg - DebugUnit::kFloats)) +
              "=" + common::hex(from_.number(), 1);
    }
  }

  void readAccesses(std::string& text) {
    for (auto n = from_.number(); n > 0; --n) {
      const std::uint64_t address = from_.number(), kind = from_.number();
      if (kind >> 1U == 0 || kind >> 1U > 8) damaged("an access of a strange size");
      const bool write = (kind & 1U) != 0;
      text += (write ? " [" : " <") + common::hex(address, digits()) + (write ? "]=" : ">") +
              common::hex(from_.number(), static_cast<unsigned>(kind & ~std::uint64_t{1}));
    }
  }

  void readEntry(std::string& text) {
    const std::uint64_t interrupt = from_.number();
    if (from_.number() != 0) text += " (trapped)";
    if (interrupt != 0) text += " (interrupt " + std::to_string(interrupt - 1) + " in front of it)";
  }

  debug::LogReader from_;
  debug::Program program_;
  std::string name_;
  std::unordered_map<std::uint64_t, Word> words_;
  std::uint64_t next_ = 0, end_ = 0;
};

}  // namespace

bool isHartLog(std::string_view log) {
  return log.starts_with(hart_log::kMagic);
}

void writeHartLog(std::string_view log, bool collapse,
                  const std::function<void(std::string_view)>& out) {
  Reader reader(log);
  const auto next = [&reader](debug::InstructionLine& line) { return reader.next(line); };
  debug::writeInstructionLines({reader.name()}, {next}, reader.digits(), collapse, out);
}

}  // namespace rtvp::rv64
