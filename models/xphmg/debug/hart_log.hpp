// What a hart executes, kept as few bytes as possible while it happens and turned into text
// afterwards: each instruction with its time, what the time went to, what it changed, its source.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "models/debug/log_bytes.hpp"
#include "models/xphmg/debug/hart_unit.hpp"
#include "models/xphmg/hart/elf.hpp"
#include "models/xphmg/hart/hart.hpp"

namespace rtvp::rv64 {

/// Watches a hart. An instruction that has to wait and is tried again is one record, which ends
/// where the next one begins.
class HartLog final : public Observer {
 public:
  /// Takes pieces of the log in order.
  using Sink = std::function<void(std::string_view bytes)>;

  /// Instructions that begin at cycles in [from, to) are kept. `unit` disassembles; it and its hart
  /// outlive the log. Throws ElfError for line tables that are wrong.
  HartLog(const ElfImage& image, const DebugUnit& unit, std::uint64_t from, std::uint64_t to,
          Sink sink);

  bool before(const Hart& hart, const Decoded& instruction) override;
  void after(const Hart& hart, const Decoded& instruction, bool retired) override;
  void stalled(Spent cause, std::uint64_t cycles) override;
  /// Nothing comes any more; `now`: cycle of the hart.
  void finish(std::uint64_t now);

 private:
  void begin(const Hart& hart, const Decoded& instruction);
  void changed(unsigned number, std::uint64_t value);
  void write(std::uint64_t end);
  void writeAccesses();
  void flush();

  const DebugUnit& unit_;
  std::uint64_t from_, to_;
  Sink sink_;
  debug::LogWriter bytes_;
  /// The instruction that is under way, or has just been done.
  struct Open {
    bool valid = false, again = false, trapped = false;
    std::uint64_t interrupt = 0;  ///< one more than the interrupt that was taken before; 0: none
    std::uint64_t pc = 0, start = 0;
    std::uint32_t word = 0;
    unsigned length = 4;
    debug::Effects effects;
    std::array<std::optional<std::uint64_t>, 4> values{};  ///< of effects.accesses
    Account::Cycles stalls{};
    std::array<std::uint64_t, 32> x{}, f{};  ///< before it
    debug::LogWriter changes;
    unsigned registers = 0;  ///< written into `changes`
  } open_;
  std::unordered_map<std::uint64_t, std::uint32_t> words_;  ///< as logged, by address
  std::uint64_t next_ = 0;                                  ///< behind the latest record
  std::uint64_t end_ = 0;                                   ///< cycle
  std::uint64_t expected_ = 0;  ///< PC behind the latest instruction, unless interrupted
};

/// The bytes begin as a hart's log does.
[[nodiscard]] bool isHartLog(std::string_view log);

/// The log as text, a line an instruction, handed to `out` piece by piece. `collapse`: passes of a
/// loop that go the same way as the one before are counted. Throws std::runtime_error if it is no
/// log, or not a whole one.
void writeHartLog(std::string_view log, bool collapse,
                  const std::function<void(std::string_view)>& out);

}  // namespace rtvp::rv64
