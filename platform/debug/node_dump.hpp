// `--dump-node board0.dsp3@batch=7`: one DSP of a board, listened to for a batch; the folder is
// c32-run's (models/c32/debug/node.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/debug/node.hpp"
#include "models/tigershark/board.hpp"

namespace rtvp::platform {

/// Which DSP of which board "board0.dsp3" means; empty: the name is none of a board.
struct DspPlace {
  std::size_t board = 0;
  int lane = 0;
};
[[nodiscard]] std::optional<DspPlace> dspPlace(const std::string& unit);

/// Listens to a board while one of its DSPs is recorded.
class DspRecorder final : private tigershark::ArrayProbe {
 public:
  DspRecorder(tigershark::Board& board, int lane, const std::string& unit);
  ~DspRecorder() override;
  DspRecorder(const DspRecorder&) = delete;
  DspRecorder& operator=(const DspRecorder&) = delete;

  /// The chain is quiet, and the DSP asleep or between two instructions. Throws RunError if it is
  /// not.
  void begin(const std::string& moment);
  /// What has happened since.
  [[nodiscard]] c32::NodeRecord end();

 private:
  void voteDriven(std::size_t lane, bool low, c32::Cycle cycle) override;
  void wordSent(std::size_t lane, std::uint32_t word, c32::Cycle arrival) override;
  void wordReceived(std::uint32_t word, c32::Cycle arrival) override;
  void released(c32::Cycle edge) override;

  tigershark::Board& board_;
  int lane_;
  c32::NodeRecord record_;
  std::vector<std::optional<c32::Cycle>> pulling_;  ///< by lane: since when
};

}  // namespace rtvp::platform
