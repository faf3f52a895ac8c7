#include "platform/report/trace_merge.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>
#include <stdexcept>
#include <string>
#include <tuple>

namespace rtvp::report {
namespace {

namespace json = boost::json;

/// Events of one piece that are in memory at a time.
constexpr std::size_t kBlock = 4096;

void read(int file, void* data, std::size_t bytes, std::uint64_t offset) {
  char* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::pread(file, to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::runtime_error("the trace of a host computer is incomplete");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

json::object readTable(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  std::uint64_t length = 0;
  if (size < static_cast<off_t>(sizeof length))
    throw std::runtime_error("the trace of a host computer is incomplete");
  const auto end = static_cast<std::uint64_t>(size) - sizeof length;
  read(file, &length, sizeof length, end);
  if (length > end) throw std::runtime_error("the trace of a host computer is incomplete");
  std::string text(length, '\0');
  read(file, text.data(), length, end - length);
  return json::parse(text).as_object();
}

std::uint64_t number(const json::value& value) {
  return value.to_number<std::uint64_t>();
}

TraceSignalInfo signalOf(const json::object& row) {
  TraceSignalInfo signal;
  signal.module = json::value_to<std::string>(row.at("module"));
  signal.name = json::value_to<std::string>(row.at("name"));
  signal.spec.kind = static_cast<common::TraceSpec::Kind>(number(row.at("kind")));
  signal.spec.width = static_cast<unsigned>(number(row.at("width")));
  signal.spec.initial = number(row.at("initial"));
  signal.spec.help = json::value_to<std::string>(row.at("help"));
  signal.spec.states = json::value_to<std::vector<std::string>>(row.at("states"));
  return signal;
}

}  // namespace

/// A sorted piece, read block by block.
struct TraceMerge::Run {
  int file = -1;
  std::uint64_t offset = 0;
  std::uint64_t left = 0;         ///< events behind the block
  std::uint64_t first = 0;        ///< time of the first event
  std::uint64_t end = 0;          ///< events after it are void
  std::uint32_t firstSignal = 0;  ///< of this computer's
  std::size_t number = 0;
  std::vector<TraceEvent> block;
  std::size_t at = 0;

  [[nodiscard]] const TraceEvent& front() const { return block[at]; }
  /// False: there is no further event.
  bool fill() {
    if (at < block.size()) return true;
    block.resize(std::min<std::uint64_t>(kBlock, left));
    at = 0;
    if (block.empty()) return false;
    read(file, block.data(), block.size() * sizeof(TraceEvent), offset);
    offset += block.size() * sizeof(TraceEvent);
    left -= block.size();
    for (TraceEvent& event : block) event.signal += firstSignal;
    return true;
  }
  bool advance() {
    ++at;
    return fill() && front().ps <= end;
  }
  [[nodiscard]] auto key() const { return std::tuple(front().ps, front().signal, number); }
};

TraceMerge::TraceMerge(const std::vector<int>& files) {
  from_ = files.empty() ? 0 : ~std::uint64_t{0};
  for (const int file : files) load(file);
  for (const TraceSignalInfo& signal : signals_) values_.push_back(signal.spec.initial);
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const auto& a, const auto& b) { return a->first > b->first; });
}

TraceMerge::~TraceMerge() = default;

void TraceMerge::load(int file) {
  const json::object table = readTable(file);
  const auto firstSignal = static_cast<std::uint32_t>(signals_.size());
  for (const json::value& row : table.at("signals").as_array()) {
    signals_.push_back(signalOf(row.as_object()));
  }
  firstText_.resize(signals_.size(), texts_.size());
  for (const json::value& text : table.at("texts").as_array()) {
    texts_.push_back(json::value_to<std::string>(text));
  }
  const std::uint64_t end = number(table.at("to"));
  from_ = std::min(from_, number(table.at("from")));
  to_ = std::max(to_, end);
  for (const json::value& row : table.at("runs").as_array()) {
    auto run = std::make_unique<Run>();
    run->file = file;
    run->offset = number(row.as_array().at(0));
    run->left = number(row.as_array().at(1));
    run->first = number(row.as_array().at(2));
    run->end = end;
    run->firstSignal = firstSignal;
    run->number = waiting_.size();
    if (run->first <= end) waiting_.push_back(std::move(run));
  }
}

/// The next event, whatever its value.
std::optional<TraceEvent> TraceMerge::pop() {
  const auto later = [](const auto& a, const auto& b) { return a->key() > b->key(); };
  while (!waiting_.empty() &&
         (runs_.empty() || waiting_.back()->first <= runs_.front()->front().ps)) {
    runs_.push_back(std::move(waiting_.back()));
    waiting_.pop_back();
    runs_.back()->fill();
    std::push_heap(runs_.begin(), runs_.end(), later);
  }
  if (runs_.empty()) return std::nullopt;
  std::pop_heap(runs_.begin(), runs_.end(), later);
  const TraceEvent event = runs_.back()->front();
  if (runs_.back()->advance()) {
    std::push_heap(runs_.begin(), runs_.end(), later);
  } else {
    runs_.pop_back();
  }
  return event;
}

std::optional<TraceEvent> TraceMerge::next() {
  if (!ahead_) ahead_ = pop();
  while (ahead_) {
    TraceEvent event = *ahead_;
    for (ahead_ = pop(); ahead_ && ahead_->ps == event.ps && ahead_->signal == event.signal;
         ahead_ = pop()) {
      event = *ahead_;
    }
    if (values_[event.signal] == event.value) continue;
    values_[event.signal] = event.value;
    return event;
  }
  return std::nullopt;
}

}  // namespace rtvp::report
