// What one node of a board saw for a while, as a folder that c32-run replays (--node): its state at
// the begin, the shared memory, and what came from outside. Files: README.md in ../tools.
//
// The surroundings are kept as causes, not as answers: words of the chain, releases of the barrier
// and other nodes' pulls of the vote line, each with its cycle. So a changed program meets them,
// too; only what the other nodes would then have done differently is not in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

/// The folder is not one that is understood; what() begins with the file.
class NodeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where a node sits.
struct NodePlace {
  std::string unit;               ///< "board0.dsp3"
  std::string moment;             ///< "batch 7"
  bool master = false;            ///< it may write the shared memory
  std::uint32_t memoryWords = 0;  ///< from address 0 on; beyond is a bus error
  std::uint32_t waitStates = 0;
  Cycle syncCycles = 0;     ///< XF input synchroniser
  Cycle riseCycles = 0;     ///< vote line: release to high
  Cycle releaseCycles = 0;  ///< arrival to release, should the node come too late for the recorded
  Cycle holdCycles = 0;     ///< arrival to the first access that the barrier holds
};

/// A word that is complete in `cycle`.
struct NodeWord {
  Cycle cycle = 0;
  std::uint32_t word = 0;
  friend bool operator==(const NodeWord&, const NodeWord&) = default;
};

/// The other nodes hold the vote line low from `from` to `to` - 1, the rise of the line included.
struct NodePull {
  Cycle from = 0, to = 0;
};

/// What a processor shows from outside; for comparison.
struct NodeEnd {
  Cycle cycle = 0;
  std::uint32_t pc = 0;
  CpuStatistics statistics;
  std::vector<std::uint32_t> registers;  ///< bits 31-0, by number
  std::vector<int> exponents;            ///< of R0 to R7
  std::vector<std::uint32_t> ram;
};

struct NodeRecord {
  NodePlace place;
  CpuConfig config;
  std::vector<std::uint8_t> state;    ///< Cpu::state() at the begin
  std::vector<std::uint32_t> memory;  ///< the shared one at the begin
  std::vector<NodeWord> received;     ///< by the chain
  std::vector<Cycle> releases;        ///< of barriers
  std::vector<NodePull> pulls;        ///< of the vote line, by anybody else, by begin
  std::vector<NodeWord> sent;         ///< what the node answered
  NodeEnd end;
};

/// A figure of CpuStatistics, as the files name it.
struct NodeFigure {
  std::string_view name;
  std::uint64_t CpuStatistics::*member;
};
[[nodiscard]] std::span<const NodeFigure> nodeFigures();

/// What `cpu` shows now.
[[nodiscard]] NodeEnd endOf(const Cpu& cpu);
/// State of a processor at rest (Cpu::atRest()).
[[nodiscard]] std::vector<std::uint8_t> stateOf(Cpu& cpu);

/// Creates the folder if need be; throws std::system_error. `program`: with symbols and lines.
void writeNode(const std::filesystem::path& folder, const NodeRecord& record, const Image& program);
/// Throws NodeError, with file and line.
[[nodiscard]] NodeRecord readNode(const std::filesystem::path& folder);
/// The program's file in such a folder.
[[nodiscard]] std::filesystem::path nodeProgram(const std::filesystem::path& folder);

/// The node's surroundings: pins, barrier and chain. Memory is the machine's.
class NodeBoard {
 public:
  explicit NodeBoard(NodeRecord record) : record_(std::move(record)) {}

  [[nodiscard]] const NodeRecord& record() const { return record_; }
  /// The processor gets its state, and all that will come from outside is on its way.
  void start(Cpu& cpu);

  void pinsDriven(Drive xf0, Drive xf1, Cycle cycle);
  [[nodiscard]] PinReply pinsSampled(Cycle cycle) const;
  /// The begin of an access that the processor wants at `cycle`: later at a barrier; empty: the
  /// record ends there, nobody lets it go.
  [[nodiscard]] std::optional<Cycle> begin(Cycle cycle);
  /// False: nothing answers there, or a slave wants to write.
  [[nodiscard]] bool answers(std::uint32_t address, bool write) const {
    return address < record_.place.memoryWords && (!write || record_.place.master);
  }
  void transmitted(std::uint32_t word, Cycle arrival) { sent_.push_back({arrival, word}); }

  /// Lines about what differs from the record; empty: nothing.
  [[nodiscard]] std::vector<std::string> differences(const Cpu& cpu) const;
  [[nodiscard]] const std::vector<NodeWord>& sent() const { return sent_; }

 private:
  static constexpr std::size_t kOwnKept = 4;

  NodeRecord record_;
  Drive xf0_ = Drive::Released, xf1_ = Drive::Released;
  bool arrived_ = false;
  Cycle arrival_ = 0;
  Cycle heldUntil_ = 0;
  std::size_t nextRelease_ = 0;
  std::vector<NodePull> own_;  ///< the node's own pulls, the last may still be open
  std::vector<NodeWord> sent_;
};

}  // namespace rtvp::c32
