#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <cstdio>
#include <map>

#include "models/common/core/text.hpp"
#include "platform/report/trace_file.hpp"

namespace rtvp::report {
namespace {

namespace json = boost::json;
using Kind = common::TraceSpec::Kind;

std::string inQuotes(std::string_view text) {
  return json::serialize(json::string(text));
}

/// Picoseconds as microseconds; all digits, so that nothing is rounded.
std::string microseconds(std::uint64_t ps) {
  constexpr std::uint64_t kPs = 1'000'000;
  const std::string fraction = std::to_string(ps % kPs);
  return std::to_string(ps / kPs) + "." + std::string(6 - fraction.size(), '0') + fraction;
}

class JsonTrace {
 public:
  JsonTrace(TraceMerge& trace, TraceText& out) : trace_(trace), out_(out) {}

  void write() {
    out_.write("{\"displayTimeUnit\": \"ns\",\n\"traceEvents\": [");
    place();
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      set(i, trace_.from(), trace_.signals()[i].spec.initial);
    }
    while (const auto event = trace_.next()) set(event->signal, event->ps, event->value);
    for (std::size_t i = 0; i < tracks_.size(); ++i) close(i, trace_.to());
    out_.write("\n]}\n");
  }

 private:
  struct Track {
    std::string place;  ///< "pid" and "tid"
    std::uint64_t since = 0;
    std::uint64_t value = 0;
    bool open = false;  ///< a slice is
  };

  void event(const std::string& text) {
    out_.write(first_ ? "\n{" : ",\n{");
    first_ = false;
    out_.write(text);
    out_.write("}");
  }

  void meta(const char* what, const std::string& place, const char* field,
            const std::string& value) {
    event("\"ph\":\"M\",\"name\":\"" + std::string(what) + "\"," + place + ",\"args\":{\"" + field +
          "\":" + value + "}");
  }

  /// A process a group of modules, a thread a signal.
  void place() {
    std::map<std::string, std::size_t, std::less<>> processes;
    for (std::size_t i = 0; i < trace_.signals().size(); ++i) {
      const TraceSignalInfo& signal = trace_.signals()[i];
      const std::size_t dot = signal.module.rfind('.');
      const bool inside = dot != std::string::npos;
      const std::string group = inside ? signal.module.substr(0, dot) : signal.module;
      const std::string name =
          (inside ? signal.module.substr(dot + 1) + "." : std::string()) + signal.name;
      const auto [process, added] = processes.emplace(group, processes.size() + 1);
      const std::string pid = "\"pid\":" + std::to_string(process->second);
      const std::string place = pid + ",\"tid\":" + std::to_string(i + 1);
      tracks_.push_back({place});
      if (added) {
        meta("process_name", pid, "name", inQuotes(group));
        meta("process_sort_index", pid, "sort_index", std::to_string(process->second));
      }
      names_.push_back(inQuotes(name));
      if (signal.spec.kind == Kind::Count) continue;
      meta("thread_name", place, "name", inQuotes(name));
      meta("thread_sort_index", place, "sort_index", std::to_string(i + 1));
    }
  }

  void set(std::size_t signal, std::uint64_t ps, std::uint64_t value) {
    const common::TraceSpec& spec = trace_.signals()[signal].spec;
    Track& track = tracks_[signal];
    if (spec.kind == Kind::Count) {
      event("\"ph\":\"C\",\"name\":" + names_[signal] + "," + track.place +
            ",\"ts\":" + microseconds(ps) + ",\"args\":{\"value\":" + std::to_string(value) + "}");
      return;
    }
    close(signal, ps);
    track.since = ps;
    track.value = value;
    track.open = spec.kind == Kind::State || (spec.kind == Kind::Wire && value != 0) ||
                 (spec.kind == Kind::Word && value != common::kNoValue) ||
                 (spec.kind == Kind::Text && value != 0);
  }

  /// Of the slice while a signal has this value.
  [[nodiscard]] std::string nameOf(std::size_t signal, std::uint64_t value) const {
    const TraceSignalInfo& info = trace_.signals()[signal];
    switch (info.spec.kind) {
      case Kind::State:
        return info.spec.states.at(value);
      case Kind::Text:
        return trace_.text(signal, value);
      case Kind::Word:
        return common::hex(value, (info.spec.width + 3) / 4);
      default:
        return info.name;
    }
  }

  void close(std::size_t signal, std::uint64_t ps) {
    Track& track = tracks_[signal];
    if (!track.open || ps <= track.since) return;
    event("\"ph\":\"X\",\"name\":" + inQuotes(nameOf(signal, track.value)) + "," + track.place +
          ",\"ts\":" + microseconds(track.since) + ",\"dur\":" + microseconds(ps - track.since));
    track.open = false;
  }

  TraceMerge& trace_;
  TraceText& out_;
  std::vector<Track> tracks_;
  std::vector<std::string> names_;
  bool first_ = true;
};

}  // namespace

void writeTraceJson(TraceMerge& trace, TraceText& out) {
  JsonTrace(trace, out).write();
}

}  // namespace rtvp::report
