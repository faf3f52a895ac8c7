// Traces as files: VCD for waveform viewers (GTKWave, Surfer), trace-event JSON for Perfetto and
// Chrome's about:tracing; either compressed by gzip, which those programs read, too. All stream:
// neither the events nor the text are ever in memory as a whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/core/file_io.hpp"
#include "platform/report/trace_merge.hpp"

namespace rtvp::report {

enum class TraceFormat : std::uint8_t { Vcd, Json };

struct TraceForm {
  TraceFormat format = TraceFormat::Vcd;
  bool compressed = false;  ///< gzip (RFC 1952), without a time or a name in its head
  friend bool operator==(const TraceForm&, const TraceForm&) = default;
};

/// By the extension, .vcd or .json, or these with .gz behind; empty for another.
[[nodiscard]] std::optional<TraceForm> traceForm(const std::string& file);

/// Text on its way to a file.
class TraceText {
 public:
  virtual ~TraceText() = default;
  virtual void write(std::string_view text) = 0;
};

/// IEEE 1364 value change dump, timescale 1 ps, with the `string` variables that GTKWave added for
/// states.
void writeVcd(TraceMerge& trace, TraceText& out);
/// A process a group of modules, a thread a signal: a slice for each value of a wire (while it is
/// 1), word or state, a counter for each count. Times are microseconds with six digits, which is
/// exact.
void writeTraceJson(TraceMerge& trace, TraceText& out);

/// Merges what the recorders have finished in `files` into `target` and commits it. Throws
/// std::system_error or std::runtime_error.
void writeTrace(common::FileReplacement& target, const TraceForm& form,
                const std::vector<int>& files);

}  // namespace rtvp::report
