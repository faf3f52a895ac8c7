// Takes the trace of one host computer while it is simulated: keeps the wanted signals and times,
// and sorts what came, in pieces of bounded size, into a nameless file. trace_merge reads it back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/common/trace.hpp"

namespace rtvp::report {

struct TraceEvent {
  std::uint64_t ps = 0;
  std::uint64_t value = 0;
  std::uint32_t signal = 0;
  std::uint32_t unused = 0;  ///< events go to a file as they are: no byte is left undefined
};

struct TraceSignalInfo {
  std::string module;  ///< dotted path
  std::string name;
  common::TraceSpec spec;  ///< `initial`: at the beginning of the window
};

/// Events in a file, by time; those of one time by signal, those of both in the order in which they
/// were recorded.
struct TraceRun {
  std::uint64_t offset = 0;
  std::uint64_t events = 0;
  std::uint64_t first = 0;  ///< time of its first event
};

using common::TraceWindow;

/// Modules that a user asked for. A pattern names a module with all that is in it, in one computer
/// (pc1.board0) or in every one (board0); `*` stands for any characters.
class TraceSelection {
 public:
  /// Patterns separated by commas; "all": everything.
  explicit TraceSelection(const std::string& patterns);
  /// Whether the module with this path is wanted.
  bool wants(const std::string& module);
  /// Patterns that no module has matched so far.
  [[nodiscard]] std::vector<std::string> unmatched() const;

 private:
  struct Pattern {
    std::string text;
    bool matched = false;
  };
  std::vector<Pattern> patterns_;
};

class TraceRecorder final : public common::TraceSink {
 public:
  /// Events that are in memory at a time.
  static constexpr std::size_t kRunEvents = std::size_t{1} << 18U;

  /// Writes from the beginning of `file`, an open file that outlives the recorder.
  TraceRecorder(int file, TraceSelection selection, const TraceWindow& window,
                std::size_t runEvents = kRunEvents);

  std::uint32_t declare(const std::string& module, std::string name,
                        common::TraceSpec spec) override;
  [[nodiscard]] TraceWindow window() const override { return window_; }
  std::uint64_t text(const std::string& text) override;
  void atEnd(std::function<void()> last) override { atEnd_.push_back(std::move(last)); }
  void failedAt(std::uint64_t ps) override { failed_ = std::min(failed_, ps); }
  void record(std::uint32_t signal, std::uint64_t ps, std::uint64_t value) override;

  [[nodiscard]] const TraceSelection& selection() const { return selection_; }
  /// All modules that declared signals, wanted or not, in order.
  [[nodiscard]] const std::vector<std::string>& modules() const { return modules_; }
  [[nodiscard]] const std::vector<TraceSignalInfo>& signals() const { return signals_; }

  /// The run is over; `end`: events after it are void, since models run ahead of what ended the
  /// run. Empty: the failure that a unit told of ends the trace, or else the last event. Throws
  /// std::system_error if the file took not all.
  void finish(std::optional<std::uint64_t> end);

 private:
  void writeRun();
  bool write(const void* data, std::size_t bytes);

  int file_;
  TraceSelection selection_;
  TraceWindow window_;
  std::size_t runEvents_;
  std::vector<std::string> modules_;
  std::vector<TraceSignalInfo> signals_;
  std::vector<std::uint64_t> before_;  ///< by signal: time of `initial`
  std::vector<std::string> texts_{"-"};
  std::unordered_map<std::string, std::uint64_t> textNumbers_{{"-", 0}};
  std::vector<std::function<void()>> atEnd_;
  std::vector<TraceEvent> events_;
  std::vector<TraceRun> runs_;
  std::uint64_t offset_ = 0;
  std::uint64_t last_ = 0;                    ///< latest event
  std::uint64_t failed_ = ~std::uint64_t{0};  ///< first failure of a unit
  int error_ = 0;                             ///< why the file took no more
};

}  // namespace rtvp::report
