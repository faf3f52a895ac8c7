// Decides when a run stops. The simulation calls it around each instruction, as long as stepwise()
// says that somebody looks, and otherwise runs freely up to limit().
//
//   watcher.before(unit);  ... one instruction of the unit, or the entry of an interrupt ...
//   watcher.after(unit);   if (watcher.due()) the dialogue takes over
//
// Several units may act between two looks at due(): what happens in one moment is one stop.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/debug/stops.hpp"

namespace rtvp::debug {

/// What the user asked the machine to do.
struct Move {
  enum class Kind : std::uint8_t { Run, Step, Next, Finish, Until };
  Kind kind = Kind::Run;
  std::size_t unit = 0;
  std::uint64_t count = 1;             ///< Step, Next, Finish: how often
  std::uint64_t address = 0;           ///< Until
  bool byLine = false;                 ///< Step, Next: until another source line begins
  std::uint64_t cycle = kNone;         ///< stop when the unit has come to this cycle
  std::uint64_t instructions = kNone;  ///< or has executed so many
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
};

struct Hit {
  int id = 0;  ///< 0: the move is over
  std::size_t unit = 0;
  std::string text;
};

class Watcher {
 public:
  explicit Watcher(const Scope& scope) : scope_(scope), units_(scope.units.size()) {}

  /// Prints the message of a stop that has one, at a unit. Empty: nobody hears it.
  std::function<void(std::size_t, const std::string&)> say;
  [[nodiscard]] Stops& stops() { return stops_; }
  [[nodiscard]] const Stops& stops() const { return stops_; }
  /// Stops have been added, removed or changed.
  void changed();
  void setIgnored(std::size_t unit, bool ignored) { units_[unit].ignored = ignored; }
  [[nodiscard]] bool ignored(std::size_t unit) const { return units_[unit].ignored; }

  /// The machine starts to move.
  void go(const Move& move);
  [[nodiscard]] const Move& move() const { return move_; }

  /// Somebody looks at every instruction.
  [[nodiscard]] bool stepwise() const { return armed_ || slowMove_ || move_.cycle != Move::kNone; }

  /// The same, but for a cycle to stop at: whoever can run to one needs no look.
  [[nodiscard]] bool looking() const {
    return armed_ || slowMove_ || move_.instructions != Move::kNone;
  }

  /// Addresses of breakpoints, if nothing else must be looked for and each of them stops whoever
  /// comes there: no conditions, no counts. Empty: somebody must look.
  [[nodiscard]] std::vector<std::uint64_t> plainPlaces() const;
  /// A breakpoint there would stop the unit.
  [[nodiscard]] bool stopsAt(std::size_t unit, std::uint64_t address) const;

  void before(std::size_t unit);
  /// `instead`: what happened was not the instruction that before() saw.
  void after(std::size_t unit, const Effects* instead = nullptr);
  /// Time has passed, and something outside the unit may have changed.
  void look(std::size_t unit) {
    if (valuing_ && !units_[unit].ignored) checkValues(unit);
  }
  /// Stops of this event are armed.
  [[nodiscard]] bool wants(std::string_view event) const;
  [[nodiscard]] bool valuing() const { return valuing_; }
  void event(std::size_t unit, std::string_view name, std::int64_t value, const std::string& text);
  /// The unit has begun other work: its registers have values that no instruction changed.
  void begins(std::size_t unit);
  /// The first instruction has not been executed yet: its breakpoints count.
  void arriveFirst(std::size_t unit) { checkPlaces(unit); }
  /// Ends a moment; what was hit in it counts from here.
  [[nodiscard]] bool due();
  /// What stopped the machine, lowest unit first; the move is over.
  [[nodiscard]] std::vector<Hit> take();

 private:
  struct PerUnit {
    Effects effects;
    std::array<std::uint64_t, 4> words{};  ///< before the instruction, of effects.accesses
    std::uint64_t pc = 0;
    std::uint64_t stack = 0;
    bool ignored = false;
  };
  void moveAfter(std::size_t unit, const Effects& effects);
  [[nodiscard]] bool stepped(std::uint64_t pc);
  void checkPlaces(std::size_t unit);
  void checkAccesses(std::size_t unit, const Effects& effects);
  void checkValues(std::size_t unit);
  bool passes(Stop& stop, Moment moment);
  void hit(Stop& stop, std::size_t unit, std::string text);
  [[nodiscard]] Moment momentOf(std::size_t unit) const { return {&scope_, unit, 0, {}, {}}; }
  [[nodiscard]] std::string placeOf(std::size_t unit, std::uint64_t pc) const;
  void refreshSeen();

  const Scope& scope_;
  Stops stops_;
  std::vector<PerUnit> units_;
  Move move_;
  bool over_ = false;  ///< the move has come to its end
  bool armed_ = false, watching_ = false, valuing_ = false, slowMove_ = false;
  static constexpr std::size_t kFilter = 4096;
  std::bitset<kFilter> places_;  ///< low address bits of breakpoints
  std::vector<Hit> hits_;
  // Next: behind the call, in the frame it was made from.
  bool inCall_ = false;
  std::uint64_t behind_ = 0, frame_ = 0;
  const Line* line_ = nullptr;  ///< Move::byLine: where it began, null: not known
};

}  // namespace rtvp::debug
