// See node_dump.hpp.
#include "platform/debug/node_dump.hpp"

#include <algorithm>

#include "models/common/core/whole_number.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

/// Overlapping pulls of several lanes are one.
std::vector<c32::NodePull> joined(std::vector<c32::NodePull> pulls) {
  std::sort(pulls.begin(), pulls.end(),
            [](const c32::NodePull& a, const c32::NodePull& b) { return a.from < b.from; });
  std::vector<c32::NodePull> all;
  for (const c32::NodePull& p : pulls) {
    if (all.empty() || p.from > all.back().to) {
      all.push_back(p);
    } else {
      all.back().to = std::max(all.back().to, p.to);
    }
  }
  return all;
}

}  // namespace

std::optional<DspPlace> dspPlace(const std::string& unit) {
  constexpr std::string_view kBoard = "board", kDsp = ".dsp";
  const std::size_t dot = unit.find(kDsp);
  if (!unit.starts_with(kBoard) || dot == std::string::npos) return std::nullopt;
  const std::string_view text = unit;
  const auto board = common::wholeNumber(text.substr(kBoard.size(), dot - kBoard.size()));
  const auto lane = common::wholeNumber(text.substr(dot + kDsp.size()));
  constexpr std::uint64_t kMost = 1'000'000;
  if (!board || !lane || *board > kMost || *lane > kMost) return std::nullopt;
  return DspPlace{static_cast<std::size_t>(*board), static_cast<int>(*lane)};
}

DspRecorder::DspRecorder(tigershark::Board& board, int lane, const std::string& unit)
    : board_(board), lane_(lane) {
  const tigershark::BoardConfig& config = board.config();
  record_.place = {.unit = unit,
                   .moment = {},
                   .master = lane == 0,
                   .memoryWords = config.sramWords,
                   .waitStates = config.waitStates,
                   .syncCycles = config.syncCycles,
                   .riseCycles = config.riseCycles,
                   .releaseCycles = config.releaseCycles,
                   .holdCycles = config.holdCycles};
  pulling_.resize(static_cast<std::size_t>(config.dsps));
}

DspRecorder::~DspRecorder() {
  board_.array().record(nullptr);
}

void DspRecorder::begin(const std::string& moment) {
  tigershark::LockstepArray& array = board_.array();
  c32::Cpu& cpu = array.engine().processor(lane_);
  if (!cpu.atRest())
    throw RunError(ExitStatus::Internal,
                   "--dump-node: " + record_.place.unit +
                       " is in the middle of an instruction at the begin of " + moment);
  record_.place.moment = moment;
  record_.config = cpu.config();
  record_.state = c32::stateOf(cpu);
  for (std::uint32_t address = 0; address < record_.place.memoryWords; ++address)
    record_.memory.push_back(array.look(lane_, address).value_or(0));
  array.record(this);
}

c32::NodeRecord DspRecorder::end() {
  tigershark::LockstepArray& array = board_.array();
  array.record(nullptr);
  record_.end = c32::endOf(array.engine().processor(lane_));
  record_.pulls = joined(std::move(record_.pulls));
  return std::move(record_);
}

void DspRecorder::voteDriven(std::size_t lane, bool low, c32::Cycle cycle) {
  if (lane == static_cast<std::size_t>(lane_)) return;
  if (low) {
    pulling_[lane] = cycle + 1;
  } else if (pulling_[lane]) {
    record_.pulls.push_back({*pulling_[lane], cycle + 1 + record_.place.riseCycles});
    pulling_[lane].reset();
  }
}

void DspRecorder::wordSent(std::size_t lane, std::uint32_t word, c32::Cycle arrival) {
  if (lane == static_cast<std::size_t>(lane_)) record_.sent.push_back({arrival, word});
  if (lane + 1 == static_cast<std::size_t>(lane_)) record_.received.push_back({arrival, word});
}

void DspRecorder::wordReceived(std::uint32_t word, c32::Cycle arrival) {
  if (lane_ == 0) record_.received.push_back({arrival, word});
}

void DspRecorder::released(c32::Cycle edge) {
  record_.releases.push_back(edge);
}

}  // namespace rtvp::platform
