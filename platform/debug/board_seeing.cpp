// See board_seeing.hpp.
#include "platform/debug/board_seeing.hpp"

#include <utility>

#include "models/c32/debug/profile.hpp"

namespace rtvp::platform {
namespace {

int lanesOf(const tigershark::Board& board) {
  return board.config().dsps;
}

}  // namespace

std::string dspName(const std::string& prefix, std::size_t board, int lane) {
  return prefix + "board" + std::to_string(board) + ".dsp" + std::to_string(lane);
}

debug::Profile boardProfile(const Boards& boards, const c32::Image& firmware,
                            const std::string& machine, const std::string& prefix) {
  std::vector<std::pair<std::string, c32::PlaceCosts>> processors;
  for (std::size_t b = 0; b < boards.size(); ++b) {
    for (int lane = 0; lane < lanesOf(*boards[b]); ++lane)
      processors.emplace_back(dspName(prefix, b, lane), boards[b]->array().laneCosts(lane));
  }
  return c32::profileOf(machine, firmware, processors);
}

std::unique_ptr<c32::InstructionLog> watchBoards(
    const Boards& boards, const c32::Image& firmware, const std::string& prefix,
    const std::function<bool(const std::string&)>& wants, const sc_core::sc_time& from,
    const sc_core::sc_time& to, const c32::InstructionLog::Sink& sink) {
  std::vector<std::string> names;
  std::vector<std::vector<std::size_t>> numbers(boards.size());  // by board and lane
  constexpr std::size_t kNobody = ~std::size_t{0};
  for (std::size_t b = 0; b < boards.size(); ++b) {
    for (int lane = 0; lane < lanesOf(*boards[b]); ++lane) {
      std::string name = dspName(prefix, b, lane);
      const bool wanted = wants(name);
      numbers[b].push_back(wanted ? names.size() : kNobody);
      if (wanted) names.push_back(std::move(name));
    }
  }
  if (names.empty()) return nullptr;
  const tigershark::BoardClock& clock = boards.front()->array().clock();
  const auto cycleAt = [&](const sc_core::sc_time& time) {
    return time == sc_core::sc_max_time() ? c32::kNever : clock.cycleAt(time);
  };
  auto log = std::make_unique<c32::InstructionLog>(firmware, std::move(names), cycleAt(from),
                                                   cycleAt(to), sink);
  for (std::size_t b = 0; b < boards.size(); ++b) {
    std::vector<c32::CpuObserver*> observers;
    for (const std::size_t number : numbers[b])
      observers.push_back(number == kNobody ? nullptr : &log->observer(number));
    boards[b]->array().observe(std::move(observers), cycleAt(from), cycleAt(to));
  }
  return log;
}

}  // namespace rtvp::platform
