// Where a hart's cycles go: how often the instruction at each address began, and what each cycle of
// it went to. The hart keeps it at its own speed (Hart::setAccount); it changes nothing that the
// program can see.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rtvp::rv64 {

/// What a cycle went to. Every cycle of the hart goes to one of them.
enum class Spent : std::uint8_t {
  Executing,  ///< one for each instruction that retires
  Trap,       ///< one for each that trapped instead
  InlineRt,   ///< accesses and tests of RT.BBOX and RT.TRI
  Device,     ///< waiting for a device on the bus
  Blocked,    ///< waiting for the queue: a full one, or a fence
  Idle,       ///< WFI
  Count
};
inline constexpr unsigned kSpent = static_cast<unsigned>(Spent::Count);
/// As in statistics (cycles_...), but for Executing.
[[nodiscard]] std::string_view spentName(Spent cause);

class Account {
 public:
  using Cycles = std::array<std::uint64_t, kSpent>;
  struct Place {
    std::uint64_t address = 0;
    std::uint64_t begun = 0;  ///< instructions, those that trapped included
    Cycles cycles{};
  };

  // --- from the hart
  void executed(std::uint64_t pc) { ++counter(pc); }
  /// The latest executed(pc) has not come to its end and will be executed again.
  void undone(std::uint64_t pc) { --counter(pc); }
  /// The latest executed(pc) trapped: its cycle is one of the trap.
  void trapped(std::uint64_t pc) {
    --counter(pc);
    stalled(pc, Spent::Trap, 1);
  }
  void stalled(std::uint64_t pc, Spent cause, std::uint64_t cycles) {
    stalls_[pc][static_cast<unsigned>(cause)] += cycles;
  }
  /// Where executed(pc) counts; as long as this lives.
  [[nodiscard]] std::uint64_t* counterAt(std::uint64_t pc) { return &counter(pc); }
  void clear();

  /// Addresses that anything belongs to, ascending.
  [[nodiscard]] std::vector<Place> places() const;

 private:
  static constexpr unsigned kPageBits = 12;
  static constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;
  /// Instructions that retired, by half word.
  using Page = std::array<std::uint64_t, kPageBytes / 2>;

  std::uint64_t& counter(std::uint64_t pc) {
    if (page_ == nullptr || pc >> kPageBits != number_) turnTo(pc >> kPageBits);
    return (*page_)[pc % kPageBytes / 2];
  }
  void turnTo(std::uint64_t number);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::map<std::uint64_t, Cycles> stalls_;
  Page* page_ = nullptr;  ///< of number_
  std::uint64_t number_ = 0;
};

}  // namespace rtvp::rv64
