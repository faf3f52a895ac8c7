// How a module shows its signals in a trace: it declares them once, as it reports statistics, and
// records changes with their exact simulated time. Nothing is traced by default; a signal that
// nobody traces costs one branch.
//
// Times are given with every change, in picoseconds, and need not ascend: a model that runs ahead
// of the simulation kernel, or finds out late, records events with their own local times, and
// whoever writes the file sorts them. That is why this is not sc_trace, which samples signals when
// the kernel's time moves: what it would write depends on how far a model runs ahead, and a trace
// must not depend on speed settings. Record what can be observed at the machine, never when or in
// which order the simulator happened to work it out. Of several values of one signal at one time
// the last one recorded stays: whatever pulses no time wide is not in a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rtvp::common {

/// What a signal is, for whoever draws it.
struct TraceSpec {
  enum class Kind : std::uint8_t {
    Wire,   ///< 0 or 1
    Word,   ///< `width` bits, read as hexadecimal; kNoValue: nothing drives it
    Count,  ///< a number, read as decimal
    State,  ///< index of `states`
    Text,   ///< number of a text (TraceSink::text()); 0: none, shown as -
  };
  Kind kind = Kind::Wire;
  unsigned width = 1;                 ///< Word: 1 to 64 bits
  std::uint64_t initial = 0;          ///< value at time 0
  std::string help;                   ///< one sentence
  std::vector<std::string> states{};  ///< State: names without blanks
};

/// A Word that nothing drives.
inline constexpr std::uint64_t kNoValue = ~std::uint64_t{0};

/// What a trace shows, in picoseconds; the last one is in it.
struct TraceWindow {
  std::uint64_t from = 0;
  std::uint64_t to = ~std::uint64_t{0};
};

/// Who takes a trace. Signals are declared before the first change is recorded.
class TraceSink {
 public:
  static constexpr std::uint32_t kUnwanted = ~std::uint32_t{0};
  virtual ~TraceSink() = default;
  /// Outside it only the value counts that each signal has when it begins.
  [[nodiscard]] virtual TraceWindow window() const { return {}; }
  /// A number for a text; the same for the same. The text has no blanks
  /// and is not empty.
  virtual std::uint64_t text(const std::string& text) = 0;
  /// A number for record(), or kUnwanted. `module`: dotted path.
  virtual std::uint32_t declare(const std::string& module, std::string name, TraceSpec spec) = 0;
  /// Calls `last` when the simulation is over: the time for changes that a module held back.
  virtual void atEnd(std::function<void()> last) = 0;
  /// A unit has failed at `ps`, which ends the trace: what others did later, having run ahead, is
  /// void. Of several failures the earliest counts.
  virtual void failedAt(std::uint64_t ps) = 0;
  /// From `ps` on the signal has this value.
  virtual void record(std::uint32_t signal, std::uint64_t ps, std::uint64_t value) = 0;
};

/// A module's handle of one of its signals.
class TraceSignal {
 public:
  TraceSignal() = default;
  TraceSignal(TraceSink* sink, std::uint32_t number) : sink_(sink), number_(number) {}

  [[nodiscard]] explicit operator bool() const { return sink_ != nullptr; }
  void set(std::uint64_t ps, std::uint64_t value) const {
    if (sink_ != nullptr) sink_->record(number_, ps, value);
  }

 private:
  TraceSink* sink_ = nullptr;  ///< null: not traced
  std::uint32_t number_ = 0;
};

/// A place in the module tree where signals are declared; by default one where nothing is traced.
class TraceScope {
 public:
  TraceScope() = default;
  TraceScope(TraceSink& sink, std::string path) : sink_(&sink), path_(std::move(path)) {}

  [[nodiscard]] explicit operator bool() const { return sink_ != nullptr; }
  [[nodiscard]] TraceScope module(std::string_view name) const {
    TraceScope inner = *this;
    if (!inner.path_.empty()) inner.path_ += '.';
    inner.path_ += name;
    return inner;
  }
  [[nodiscard]] TraceSignal wire(std::string name, std::string help, bool initial = false) const {
    return declare(
        std::move(name),
        {.kind = TraceSpec::Kind::Wire, .initial = initial ? 1U : 0U, .help = std::move(help)});
  }
  [[nodiscard]] TraceSignal word(std::string name, unsigned width, std::string help,
                                 std::uint64_t initial = kNoValue) const {
    return declare(std::move(name), {.kind = TraceSpec::Kind::Word,
                                     .width = width,
                                     .initial = initial,
                                     .help = std::move(help)});
  }
  [[nodiscard]] TraceSignal count(std::string name, std::string help) const {
    return declare(std::move(name), {.kind = TraceSpec::Kind::Count, .help = std::move(help)});
  }
  /// None at time 0.
  [[nodiscard]] TraceSignal text(std::string name, std::string help) const {
    return declare(std::move(name), {.kind = TraceSpec::Kind::Text, .help = std::move(help)});
  }
  /// TraceSink::text(); 0 if nothing is traced.
  [[nodiscard]] std::uint64_t numberOf(const std::string& text) const {
    return sink_ == nullptr ? 0 : sink_->text(text);
  }
  [[nodiscard]] TraceWindow window() const {
    return sink_ == nullptr ? TraceWindow() : sink_->window();
  }
  void atEnd(std::function<void()> last) const {
    if (sink_ != nullptr) sink_->atEnd(std::move(last));
  }
  void failedAt(std::uint64_t ps) const {
    if (sink_ != nullptr) sink_->failedAt(ps);
  }
  /// At time 0 in the first of `states`.
  [[nodiscard]] TraceSignal state(std::string name, std::vector<std::string> states,
                                  std::string help) const {
    return declare(
        std::move(name),
        {.kind = TraceSpec::Kind::State, .help = std::move(help), .states = std::move(states)});
  }

 private:
  [[nodiscard]] TraceSignal declare(std::string name, TraceSpec spec) const {
    if (sink_ == nullptr) return {};
    const std::uint32_t number = sink_->declare(path_, std::move(name), std::move(spec));
    return number == TraceSink::kUnwanted ? TraceSignal() : TraceSignal(sink_, number);
  }

  TraceSink* sink_ = nullptr;
  std::string path_;
};

}  // namespace rtvp::common
