// A trace sink for tests: keeps the values that each signal had, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/common/trace.hpp"

namespace rtvp::test {

class TraceRecorder : public common::TraceSink {
 public:
  std::uint32_t declare(const std::string& module, std::string name,
                        common::TraceSpec /*spec*/) override {
    names_.push_back(module + "." + name);
    return static_cast<std::uint32_t>(names_.size() - 1);
  }
  std::uint64_t text(const std::string& text) override {
    for (std::size_t n = 0; n < texts.size(); ++n) {
      if (texts[n] == text) return n;
    }
    texts.push_back(text);
    return texts.size() - 1;
  }
  void atEnd(std::function<void()> /*last*/) override {}
  void failedAt(std::uint64_t /*ps*/) override {}
  void record(std::uint32_t signal, std::uint64_t /*ps*/, std::uint64_t value) override {
    std::vector<std::uint64_t>& all = values[names_[signal]];
    if (all.empty() || all.back() != value) all.push_back(value);
  }

  /// By path ("module.signal"); a value that stays is there once.
  std::map<std::string, std::vector<std::uint64_t>> values;
  std::vector<std::string> texts{"-"};

 private:
  std::vector<std::string> names_;
};

}  // namespace rtvp::test
