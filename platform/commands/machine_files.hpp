// The data files of `platform machines`: in which settings each machine is compared, and what it is
// built from. The program carries those of docs/machines; folder and file options replace them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platform/options/json_config.hpp"
#include "platform/report/comparison.hpp"
#include "platform/sweep/formula.hpp"

namespace rtvp::platform {

/// One machine's parameters under a name such as "original" or "best".
struct MachineSetting {
  std::string machine, setting;
  std::string title, note;
  std::string file;  ///< for messages
  std::vector<ConfigEntry> set;
};

/// Names and contents of docs/machines/settings/*.json and docs/machines/parts.json, as built in.
[[nodiscard]] const std::map<std::string, std::string>& builtInMachineFiles();

/// Files MACHINE.SETTING.json of a folder or, if that is empty, the built-in ones; "original"
/// first, then by name. Throws InputError with file and line.
[[nodiscard]] std::vector<MachineSetting> machineSettings(const std::filesystem::path& folder);

/// The table of parts (docs/machines/README.md has its form).
class PartsTable {
 public:
  /// A file or, if that is empty, the built-in table. Throws InputError with file and line.
  explicit PartsTable(const std::filesystem::path& file);

  /// The parts of `machine`; `lookup` knows the run's parameters and figures by the end of their
  /// names. Throws InputError for a name in a formula that the run does not have.
  [[nodiscard]] std::vector<report::ListedPart> of(std::string_view machine,
                                                   const sweep::Lookup& lookup) const;

 private:
  /// A formula, and where it stands.
  struct Term {
    std::string text, origin;
  };
  struct PartKind {
    report::ListedPart part;  ///< what does not depend on the run
    std::map<std::string, Term> amounts;
  };
  struct Use {
    std::string part;
    Term count;
  };
  std::map<std::string, PartKind, std::less<>> kinds_;
  std::map<std::string, std::vector<Use>, std::less<>> machines_;
};

}  // namespace rtvp::platform
