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

std::unique_ptr<tigershark::InstructionLog> watchBoards(
    const Boards& boards, const c32::Image& firmware, const std::string& prefix,
    const std::function<bool(const std::string&)>& wants, const sc_core::sc_time& from,
    const sc_core::sc_time& to, const tigershark::InstructionLog::Sink& sink) {
  std::vector<tigershark::InstructionLog::WatchedBoard> watched;
  std::vector<tigershark::LockstepArray*> arrays;  // theirs
  for (std::size_t b = 0; b < boards.size(); ++b) {
    std::vector<std::string> names;
    bool any = false;
    for (int lane = 0; lane < lanesOf(*boards[b]); ++lane) {
      std::string name = dspName(prefix, b, lane);
      const bool wanted = wants(name);
      any = any || wanted;
      names.push_back(wanted ? std::move(name) : std::string());
    }
    if (!any) continue;
    tigershark::LockstepArray& array = boards[b]->array();
    watched.push_back({&array.engine(), array.engineConfig(), std::move(names)});
    arrays.push_back(&array);
  }
  if (watched.empty()) return nullptr;
  const tigershark::BoardClock& clock = arrays.front()->clock();
  const auto cycleAt = [&](const sc_core::sc_time& time) {
    return time == sc_core::sc_max_time() ? c32::kNever : clock.cycleAt(time);
  };
  auto log = std::make_unique<tigershark::InstructionLog>(firmware, watched, cycleAt(from),
                                                          cycleAt(to), sink);
  for (std::size_t n = 0; n < arrays.size(); ++n) arrays[n]->recordInputs(log->recorder(n));
  return log;
}

}  // namespace rtvp::platform
