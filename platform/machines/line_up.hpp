// Which machines a run has: those the user chose, and the units that the scene needs beside them.
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/machines/machine.hpp"
#include "platform/machines/policy.hpp"
#include "platform/options/computer_file.hpp"
#include "platform/options/run_params.hpp"
#include "platform/options/settings.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

class LineUp {
 public:
  struct Member {
    const MachineKind* kind;
    std::string name;
    std::shared_ptr<const Settings> settings;  ///< its own
    bool idle = false;  ///< there, but this scene or policy has nothing for it
    std::optional<std::uint64_t> address = {};  ///< where a computer file puts its registers
    std::optional<std::size_t> irq = {};        ///< and its first interrupt line
    std::string where = {};  ///< file and line of its entry in a computer file; else empty
  };
  /// Most instances of one kind.
  static constexpr int kMostInstances = 64;

  /// The machines that the settings ask for: computer.file, computer.machines or engine. Throws
  /// InputError for one that `registry` does not have and for settings that none of them can
  /// follow.
  /// `files`: the run's, for the computer's description and whatever the machines read; outlives
  /// it.
  LineUp(const Settings& settings, const Registry& registry, InputFiles& files);

  /// Adds units for surfaces and programs that no chosen machine knows, and finds out who has
  /// nothing to do. Throws InputError if there is nobody for some of the scene.
  void complete(const scene::Scene& scene);
  /// Adds every unit that some scene could need.
  void addHelpers();

  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  /// The effective configuration of the run: settings, the computer's description, what machines
  /// have of their own.
  [[nodiscard]] boost::json::object configuration() const;
  [[nodiscard]] InputFiles& files() const { return files_; }
  /// With what a computer's description says for all machines.
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const Policy& policy() const { return policy_; }
  /// What was said of kinds of machines that are not in the run and is not their default:
  /// "--set: tigershark.dsps".
  [[nodiscard]] std::vector<std::string> unusedSettings() const;
  /// Names of the machines that rays can be assigned to, in their order.
  [[nodiscard]] std::vector<std::string> finders() const;
  /// Somebody knows triangles, but no spheres.
  [[nodiscard]] bool trianglesOnly() const;
  /// Each machine has a group of its own in the statistics (isShared).
  [[nodiscard]] bool grouped() const;
  /// A machine is simulated.
  [[nodiscard]] bool hardware() const;
  /// The member that was asked to shade, or null.
  [[nodiscard]] const Member* shader() const;

 private:
  void choose();
  void chooseList(std::string_view list);
  void chooseFile(const std::string& file);
  void chooseInstances(const MachineKind& kind, const std::string& name, int count,
                       const std::string& origin);
  void add(const MachineKind& kind, std::string name);
  void checkInstances() const;
  void checkHardware() const;
  void checkShade() const;
  void checkRule1996() const;
  void checkCosts() const;
  void idle(const scene::Scene& scene);

  Settings settings_;
  RunOptions wanted_;
  const Registry& registry_;
  InputFiles& files_;
  std::vector<Member> members_;
  Policy policy_;
};

}  // namespace rtvp::platform
