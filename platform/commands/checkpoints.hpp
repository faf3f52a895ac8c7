// --checkpoint and --resume of a run: where the state is stored, and put back
// (docs/checkpoints.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/common/core/file_io.hpp"
#include "platform/checkpoint/state_file.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/crew.hpp"
#include "platform/options/command_line.hpp"
#include "platform/raytree/tree_pause.hpp"

namespace rtvp::platform {

class Checkpoints final : public host::TreePause {
 public:
  /// Reads --resume and opens the files of --checkpoint. `configuration` and `inputs`: of this run.
  /// Throws InputError for what cannot be read, written or resumed, and for options that do not go
  /// together with them.
  Checkpoints(const CommandLine& command, const LineUp& lineUp,
              const boost::json::object& configuration, const InputFiles& inputs);

  /// Neither is asked for.
  [[nodiscard]] bool none() const { return orders_.empty() && !resume_; }
  /// Throws InputError, naming the machine, for one that cannot be stored.
  void check(const Crew& crew, const LineUp& lineUp) const;
  /// In the host's program, once the machines are at work.
  void begin(Computer& computer, Crew& crew, host::HostBus& bus);
  void between(const State& tree) override;

  /// For a run that ended before it came to a checkpoint: which, and when it ended; else empty.
  [[nodiscard]] std::string missed(std::uint64_t endPs) const;

 private:
  struct Order {
    std::string name;
    std::uint64_t atPs = 0;
    std::unique_ptr<common::FileReplacement> file;
  };
  static Order parse(const std::string& text);
  void open(const InputFiles& inputs);
  void store(const State& tree);
  void putBack(const State& tree);

  StateFile identity_;  ///< of this run, without a state
  std::string resumed_;
  std::optional<StateFile> resume_;  ///< until it is put back
  std::vector<Order> orders_;        ///< by time
  std::size_t next_ = 0;             ///< of the orders
  bool quiet_;
  Computer* computer_ = nullptr;
  Crew* crew_ = nullptr;
  host::HostBus* bus_ = nullptr;
};

}  // namespace rtvp::platform
