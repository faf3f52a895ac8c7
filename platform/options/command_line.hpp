// What the user typed, checked: which command, which files, which settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/options/recorded_run.hpp"
#include "platform/options/settings.hpp"

namespace rtvp::platform {

/// A run under the debugger.
struct DebugOptions {
  bool wanted = false;               ///< --debug
  std::vector<std::string> execute;  ///< -x
  std::string commands;              ///< --commands: a file, or empty
  std::string dap;                   ///< --dap: where a client is expected, or empty
  std::string gdb;                   ///< --gdb: the same, for GDB at the hart
};

struct CommandLine {
  explicit CommandLine(const OptionTable& table) : settings(table) {}

  enum class Action : std::uint8_t {
    Run,
    Compare,
    Params,
    Map,
    SceneInfo,
    Help,
    StatsHelp,
    Version,
    Doctor,
    Form,  ///< a manual page or completion, see `form`
  };
  Action action = Action::Help;
  std::vector<std::string>
      files;  ///< Run, SceneInfo, Map: the scene; Compare: two images or hit dumps
  Settings settings;
  std::vector<std::string> configs;  ///< --config: all of them
  std::optional<RecordedRun> again;  ///< --config: a run's stats.json
  std::string form;                  ///< Form: man, bash or zsh
  bool json = false;                 ///< Params, Map, Doctor
  std::optional<int> maxDiff;        ///< Compare: largest accepted difference of a channel
  std::optional<double> minPsnr;     ///< Compare: dB
  /// Compare of hit dumps: accepted relative difference of t.
  std::optional<double> tTolerance;
  /// Compare of hit dumps: HitTolerance::step.
  std::optional<double> outlineTolerance;
  DebugOptions debug;                    ///< Run
  std::string dumpNode;                  ///< Run: --dump-node; empty: none
  std::vector<std::string> checkpoints;  ///< Run: --checkpoint: file and time of each, as typed
  std::string resume;                    ///< Run: --resume: a checkpoint; empty: none
  std::string scene;                     ///< Compare: scene of two hit dumps; empty for images
  std::string text;                      ///< the command as typed, words separated by blanks
};

/// Throws InputError that says what was found and what is accepted.
[[nodiscard]] CommandLine parseCommandLine(const std::vector<std::string>& arguments,
                                           const OptionTable& table);

}  // namespace rtvp::platform
