#include "platform/report/trace_recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace rtvp::report {
namespace {

namespace json = boost::json;

/// Whether `pattern` stands for all of `text`.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Whether `pattern` stands for the module or for one that it is in.
bool covers(std::string_view pattern, std::string_view module) {
  for (std::size_t end = 0; end <= module.size(); ++end) {
    if ((end == module.size() || module[end] == '.') && matches(pattern, module.substr(0, end)))
      return true;
  }
  return false;
}

json::object toJson(const TraceSignalInfo& signal) {
  json::array states;
  for (const std::string& state : signal.spec.states) states.push_back(json::string(state));
  return {{"module", signal.module},
          {"name", signal.name},
          {"kind", static_cast<unsigned>(signal.spec.kind)},
          {"width", signal.spec.width},
          {"initial", signal.spec.initial},
          {"help", signal.spec.help},
          {"states", std::move(states)}};
}

}  // namespace

TraceSelection::TraceSelection(const std::string& patterns) {
  if (patterns == "all") return;
  for (std::size_t at = 0; at <= patterns.size();) {
    const std::size_t end = std::min(patterns.find(',', at), patterns.size());
    patterns_.push_back({patterns.substr(at, end - at)});
    at = end + 1;
  }
}

bool TraceSelection::wants(const std::string& module) {
  bool wanted = patterns_.empty();
  const std::string_view inside = std::string_view(module).substr(module.find('.') + 1);
  for (Pattern& pattern : patterns_) {
    if (!covers(pattern.text, module) && !covers(pattern.text, inside)) continue;
    pattern.matched = true;
    wanted = true;
  }
  return wanted;
}

std::vector<std::string> TraceSelection::unmatched() const {
  std::vector<std::string> texts;
  for (const Pattern& pattern : patterns_) {
    if (!pattern.matched) texts.push_back(pattern.text);
  }
  return texts;
}

TraceRecorder::TraceRecorder(int file, TraceSelection selection, const TraceWindow& window,
                             std::size_t runEvents)
    : file_(file), selection_(std::move(selection)), window_(window), runEvents_(runEvents) {}

std::uint32_t TraceRecorder::declare(const std::string& module, std::string name,
                                     common::TraceSpec spec) {
  if (modules_.empty() || modules_.back() != module) modules_.push_back(module);
  if (!selection_.wants(module)) return kUnwanted;
  signals_.push_back({module, std::move(name), std::move(spec)});
  before_.push_back(0);
  return static_cast<std::uint32_t>(signals_.size() - 1);
}

std::uint64_t TraceRecorder::text(const std::string& text) {
  const auto [known, added] = textNumbers_.emplace(text, texts_.size());
  if (added) texts_.push_back(text);
  return known->second;
}

void TraceRecorder::record(std::uint32_t signal, std::uint64_t ps, std::uint64_t value) {
  if (ps > window_.to) return;
  if (ps < window_.from) {
    if (ps < before_[signal]) return;
    before_[signal] = ps;
    signals_[signal].spec.initial = value;
    return;
  }
  events_.push_back({ps, value, signal});
  if (events_.size() == runEvents_) writeRun();
}

void TraceRecorder::writeRun() {
  if (events_.empty()) return;
  std::stable_sort(events_.begin(), events_.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return std::pair(a.ps, a.signal) < std::pair(b.ps, b.signal);
  });
  last_ = std::max(last_, events_.back().ps);
  runs_.push_back({offset_, events_.size(), events_.front().ps});
  // A full disk must not end the simulation in the middle of a process: finish() tells.
  if (error_ == 0) write(events_.data(), events_.size() * sizeof(TraceEvent));
  events_.clear();
}

/// False: error_ says why.
bool TraceRecorder::write(const void* data, std::size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::pwrite(file_, from, bytes, static_cast<off_t>(offset_));
    if (written < 0) {
      if (errno == EINTR) continue;
      error_ = errno;
      return false;
    }
    offset_ += static_cast<std::uint64_t>(written);
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

// Events, then a table of signals, texts and runs as JSON, then the table's length.
void TraceRecorder::finish(std::optional<std::uint64_t> end) {
  for (const auto& last : atEnd_) last();
  atEnd_.clear();
  writeRun();
  json::array signals;
  for (const TraceSignalInfo& signal : signals_) signals.push_back(toJson(signal));
  json::array texts;
  for (const std::string& text : texts_) texts.push_back(json::string(text));
  json::array runs;
  for (const TraceRun& run : runs_) runs.push_back(json::array{run.offset, run.events, run.first});
  const std::uint64_t last = std::min({end.value_or(last_), failed_, window_.to});
  const std::string table = json::serialize(json::object{{"signals", std::move(signals)},
                                                         {"texts", std::move(texts)},
                                                         {"runs", std::move(runs)},
                                                         {"from", window_.from},
                                                         {"to", std::max(last, window_.from)}});
  const std::uint64_t length = table.size();
  if (error_ == 0 && write(table.data(), table.size())) write(&length, sizeof length);
  if (error_ != 0) {
    throw std::system_error(error_, std::generic_category(), "cannot keep the trace's events");
  }
}

}  // namespace rtvp::report
