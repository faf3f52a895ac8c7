#include "platform/commands/trace_output.hpp"

#include <unistd.h>

#include <cmath>
#include <system_error>
#include <utility>

#include "models/common/core/file_io.hpp"
#include "models/common/core/nearest_word.hpp"
#include "platform/exit_status.hpp"
#include "platform/options/option_table.hpp"

namespace rtvp::platform {
namespace {

std::uint64_t picoseconds(double us) {
  return static_cast<std::uint64_t>(std::llround(us * 1e6));
}

report::TraceWindow window(const OutputOptions& output) {
  report::TraceWindow window;
  window.from = picoseconds(output.traceFromUs);
  if (output.traceToUs > 0) window.to = picoseconds(output.traceToUs);
  return window;
}

}  // namespace

PartTrace::PartTrace(const OutputOptions& output, std::size_t number, int file)
    : name_("pc" + std::to_string(number)) {
  recorder_.emplace(file, report::TraceSelection(output.traceModules), window(output));
}

common::TraceScope PartTrace::scope() {
  return recorder_ ? common::TraceScope(*recorder_, name_) : common::TraceScope();
}

void PartTrace::declared() const {
  if (!recorder_) return;
  const std::vector<std::string> wrong = recorder_->selection().unmatched();
  if (wrong.empty()) return;
  std::vector<std::string_view> names;
  std::string list;
  constexpr std::size_t kMost = 40;  // with 512 DSPs a list of all is of no use
  for (const std::string& module : recorder_->modules()) {
    names.push_back(std::string_view(module).substr(name_.size() + 1));
    if (names.size() <= kMost) list += (list.empty() ? "" : ", ") + std::string(names.back());
  }
  if (names.size() > kMost) list += ", ...";
  throw InputError("trace.modules: found '" + wrong.front() + "', the nearest module is '" +
                   std::string(common::nearestWord(wrong.front(), names)) + "' of " + list);
}

void PartTrace::finish(std::optional<std::uint64_t> end) {
  if (!recorder_) return;
  try {
    recorder_->finish(end);
  } catch (const std::system_error& e) {
    problem_ = e.what();
  }
}

void TraceOutput::check(const OutputOptions& output) {
  if (output.trace.empty()) return;
  if (!report::traceForm(output.trace)) {
    throw InputError("output.trace: found '" + output.trace +
                     "', expected a name that ends in .vcd, .vcd.gz, .json or .json.gz");
  }
  const double from = output.traceFromUs;
  const double to = output.traceToUs;
  if (to > 0 && to <= from) {
    throw InputError("trace.to_us: found " + std::to_string(to) +
                     ", expected a time after trace.from_us = " + std::to_string(from));
  }
}

TraceOutput::TraceOutput(const OutputOptions& output, std::size_t parts) : output_(output) {
  if (output_.trace.empty()) return;
  try {
    target_ = std::make_unique<common::FileReplacement>(output_.trace);
    for (std::size_t i = 0; i < parts; ++i) files_.push_back(common::openNameless(output_.trace));
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

TraceOutput::~TraceOutput() {
  for (const int file : files_) ::close(file);
}

PartTrace TraceOutput::part(std::size_t number) const {
  if (files_.empty()) return {};
  return {output_, number, files_.at(number)};
}

void TraceOutput::write() {
  if (files_.empty()) return;
  report::writeTrace(*target_, *report::traceForm(output_.trace), files_);
}

bool TraceOutput::drop() {
  bool any = false;
  for (const int file : files_) any = (::lseek(file, 0, SEEK_END) > 0) || any;
  for (const int file : files_) any = ::ftruncate(file, 0) == 0 && any;
  return any;
}

}  // namespace rtvp::platform
