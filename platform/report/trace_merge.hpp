// The recorded traces of all host computers as one stream of changes in order of time. Memory is
// bounded by the sorted pieces that overlap at one time, and pieces overlap only as far as models
// ran ahead of each other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/report/trace_recorder.hpp"

namespace rtvp::report {

class TraceMerge {
 public:
  /// `files`: what recorders have finished; they stay open while this reads them. Throws
  /// std::runtime_error if one is incomplete.
  explicit TraceMerge(const std::vector<int>& files);
  ~TraceMerge();
  TraceMerge(const TraceMerge&) = delete;
  TraceMerge& operator=(const TraceMerge&) = delete;

  /// Of all computers; TraceEvent::signal is an index into it.
  [[nodiscard]] const std::vector<TraceSignalInfo>& signals() const { return signals_; }
  /// What a value of a signal of kind Text stands for.
  [[nodiscard]] const std::string& text(std::size_t signal, std::uint64_t value) const {
    return texts_.at(firstText_.at(signal) + value);
  }
  [[nodiscard]] std::uint64_t from() const { return from_; }
  [[nodiscard]] std::uint64_t to() const { return to_; }

  /// The next change: ordered by time and signal, one a signal and time, each to another value than
  /// before. Empty: there is none.
  std::optional<TraceEvent> next();

 private:
  struct Run;

  void load(int file);
  [[nodiscard]] std::optional<TraceEvent> pop();

  std::vector<TraceSignalInfo> signals_;
  std::vector<std::string> texts_;      ///< of one computer after the other
  std::vector<std::size_t> firstText_;  ///< by signal: where those of its computer begin
  std::vector<std::uint64_t> values_;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
  std::vector<std::unique_ptr<Run>> runs_;     ///< open: a heap, the next event on top
  std::vector<std::unique_ptr<Run>> waiting_;  ///< latest first
  std::optional<TraceEvent> ahead_;
};

}  // namespace rtvp::report
