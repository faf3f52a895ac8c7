// The machine seam: everything the program needs of a machine, for the machines that ship and for
// one of your own (examples/machine). A MachineKind says what there is and makes Machines; a
// Machine is one of them in one host computer. Kinds are known to the Registry and to nobody else:
// no other part of the platform asks which machine runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/register_table.hpp"
#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "models/debug/profile.hpp"
#include "platform/debug/port.hpp"
#include "platform/drivers/host_process.hpp"
#include "platform/exit_status.hpp"
#include "platform/inputs/input_files.hpp"
#include "platform/machines/costs.hpp"
#include "platform/machines/node_order.hpp"
#include "platform/options/option_table.hpp"
#include "platform/options/settings.hpp"
#include "platform/raytree/hit_finder.hpp"
#include "platform/raytree/ray_tree.hpp"
#include "platform/raytree/surface_shading.hpp"
#include "platform/report/figures.hpp"
#include "platform/report/machine_figures.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::platform {

class Computer;
class Machine;

/// Which surfaces a machine finds hits on. One that finds none only shades.
struct Primitives {
  bool triangles = false;
  bool spheres = false;
  bool functions = false;  ///< surfaces f = 0
  [[nodiscard]] constexpr bool any() const { return triangles || spheres || functions; }
};

/// What a machine can do about colours.
enum class Shades : std::uint8_t {
  Nothing,
  Surfaces,  ///< runs the programs of surfaces, wherever the hits come from
  Picture,   ///< writes the colours of eye rays itself, with its own hits only
};

/// A figure that a sweep reports unless it is told otherwise: `platform sweep --help` explains the
/// formula. Shares of one whole have a unit that begins with "share".
struct FigureInfo {
  std::string_view name, unit, formula;
};

/// Registers of a machine, for `platform registers`.
struct RegisterSpace {
  std::string_view name;         ///< an identifier, of this block alone among all machines'
  std::string_view description;  ///< one line: whose, and who reaches them
  std::span<const common::RegisterDescriptor> (*table)();
  std::uint64_t bytes;
  /// The range of the address map that begins with them; empty or not in the map: they lie at
  /// `base` of a bus of their own, or where `description` says.
  std::string_view range = {};
  std::uint64_t base = 0;
};

/// What is known of a kind without making one. All texts outlive the program's options.
struct MachineInfo {
  std::string_view name;  ///< in options, computer files and statistics
  std::string_view help;  ///< one line
  Primitives primitives;
  Shades shades = Shades::Nothing;
  bool hardware = true;   ///< false: plain arithmetic on this computer, no simulated time
  bool rule1996 = false;  ///< can follow render.seed_compat
  /// The parameter that teaches its firmware surfaces f = 0 which it does not know by itself:
  /// where it is set, the machine takes all of them. Empty: none does.
  std::string_view functionsParameter = {};
  /// Parameters of its own, for a machine that is not part of the program (builtInOptions()).
  std::span<const common::Param> options = {};
  /// First words of keys that serve it, beside its name: a run without it warns of them.
  std::span<const std::string_view> keyGroups = {};
  /// Message ids (models/common/report_ids.hpp) that end a run as a fault of this machine.
  std::span<const std::string_view> faults = {};
  /// What it charges to pixels, and in a sentence what it does not and why.
  std::span<const Cost> costs = {};
  std::string_view uncounted = "it counts nothing by pixel";
  /// What sweeps report of it; beside simulated time and rays.
  std::span<const FigureInfo> figures = {};
  /// Its register blocks.
  std::span<const RegisterSpace> registers = {};
};

/// Knows triangles or spheres: what most scenes are made of.
[[nodiscard]] constexpr bool takesPieces(const MachineInfo& info) {
  return info.primitives.triangles || info.primitives.spheres;
}

/// More than one machine that finds hits on the same surfaces, or two of a kind: each then has
/// names and places of its own. Units that only help one machine are as they are beside it.
[[nodiscard]] bool isShared(std::span<const MachineInfo* const> machines);

/// What a machine is wanted for. Everything outlives the machine.
struct Job {
  const scene::Scene& whole;  ///< the scene as loaded
  const scene::Scene& scene;  ///< what this machine gets of it: the surfaces it knows
  /// What the elements of `scene` are called in `whole`; empty if they are the same.
  std::span<const std::uint32_t> elements;
  host::RenderOptions options;  ///< crop: of this host computer
  unsigned threads = 1;         ///< of this computer, for work outside the simulation
  bool shades = false;          ///< it was asked to shade (render.shade)
  bool shared = false;  ///< other machines know these surfaces too: rays are dealt out among them
  host::AnsweredFn answered = {};  ///< told now and then of rays that it has answered; may be empty
  /// Where the machine is to charge what it does; null: nowhere. Outlives the simulation.
  CostAccount* costs = nullptr;
};

/// What a machine asks of the computer that it is built into.
struct Needs {
  std::size_t lines = 0;  ///< interrupt lines
  std::size_t side = 0;   ///< parts that threads of the real computer can run side by side
  /// What a user sets to change main memory, the slots and the bus, for `platform map`.
  std::string_view dramParameter = {}, slotParameter = {}, busParameter = {};
  /// Main memory for the driver's buffers and databases; 0: none.
  std::uint64_t dramBytes = 0;
  std::uint64_t dramBase =
      0x8000'0000;               ///< where main memory lies in a computer with this machine alone
  std::uint64_t dramOffset = 0;  ///< where in it the machine's part then begins
  bool dramFirst = false;        ///< its part must be the first (programs are linked there)
  std::size_t pciSlots = 0;
  /// Its units read main memory or the interconnect past the bus where they may: transactions are
  /// then a matter of speed settings.
  bool directMemory = false;
  sc_core::sc_time busLatency = sc_core::SC_ZERO_TIME;  ///< of the interconnect
  std::uint64_t reportHz = 0;  ///< clock whose cycles its reports count; 0: they have no times
};

/// What a machine is expected to need for the scene that it is prepared for, in seconds of
/// simulated time: a first guess for sharing, corrected by what is measured.
struct Estimate {
  double setUp = 0;     ///< until the first ray can start
  double perBatch = 0;  ///< beside its rays
  double perRay = 1e-6;
  std::size_t grain = 1;  ///< rays that go together: fewer take as long
};

/// A file beside the results that was asked for: a log, a dump.
struct DiagnosticFile {
  std::string key, name;
  std::string problem = {};  ///< why it is not there; empty: it is
};

/// One machine. Called in this order: load, prepare (both unless it is only to be described),
/// needs, build, declare..., start and the finders (inside the simulation), then the reports.
class Machine {
 public:
  Machine(const MachineInfo& info, std::string name, const Settings& settings)
      : settings_(settings), info_(info), name_(std::move(name)) {}
  virtual ~Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  [[nodiscard]] const MachineInfo& info() const { return info_; }
  /// Of the instance: the kind's, with a number where there are several.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Where a computer's description wants its registers and its first interrupt line.
  struct Pin {
    std::optional<std::uint64_t> address = {};
    std::optional<std::size_t> line = {};
    std::string where = {};  ///< file and line of that description; empty: there is none
  };
  void pin(const Pin& wanted) { pin_ = wanted; }
  [[nodiscard]] const Pin& pinned() const { return pin_; }

  // ---- before anything is simulated
  /// Reads the files that its settings name, through `files`, as roles called after the parameters;
  /// before prepare(). Throws InputError.
  virtual void load(InputFiles& files) { (void)files; }
  /// Refuses (InputError, SceneError) what it cannot do and works out what it will need. Keeps
  /// `job`.
  virtual void prepare(const Job& job) = 0;
  /// What the ray tree should do differently for this machine: batches, offsets.
  virtual void tune(host::RenderOptions& options) const { (void)options; }
  /// Words on what the scene needs of this machine, for `scene-info`; after prepare().
  [[nodiscard]] virtual std::string describeNeed() const { return {}; }

  /// After prepare().
  [[nodiscard]] virtual Estimate estimate() const { return {}; }

  // ---- elaboration
  [[nodiscard]] virtual Needs needs() const { return {}; }
  /// Makes its modules and connects them.
  virtual void build(Computer& computer) { (void)computer; }
  /// Signals of the driver, then of the modules, for `--trace`.
  virtual void declareDriver(const common::TraceScope& scope) { (void)scope; }
  virtual void declare(const common::TraceScope& scope) { (void)scope; }

  /// One of several: a signal of its name that says when it has rays.
  void declareBusy(const common::TraceScope& scope);
  void showBusy(bool busy) const;

  /// Its processors under the debugger, after build(); null: the debugger knows none.
  [[nodiscard]] virtual std::unique_ptr<DebugPort> debugPort() { return nullptr; }

  /// Its processors are to keep account of their cycles; after build(), before the simulation.
  /// False: it has none that do.
  virtual bool keepProfile() { return false; }
  /// What they have kept, of each program that they ran.
  [[nodiscard]] virtual std::vector<debug::Profile> profiles() { return {}; }

  /// Records what a unit of it sees, as ordered; before build(). False: it has no such unit. Throws
  /// InputError for one that it has and cannot record.
  [[nodiscard]] virtual bool dump(const NodeOrder& order) {
    (void)order;
    return false;
  }
  /// What it can record, for messages: "boardN.dspM[@batch=K]"; empty: nothing.
  [[nodiscard]] virtual std::string dumpable() const { return {}; }

  // ---- in the host's process
  /// Puts the machine to work.
  virtual void start(host::HostBus& bus) = 0;
  /// After start(); null if it finds no hits.
  [[nodiscard]] virtual host::HitFinder* finder() { return nullptr; }
  /// After start(); null if it runs no surface programs.
  [[nodiscard]] virtual host::SurfaceShading* shading() { return nullptr; }
  /// Shades::Picture: its own colours of the pixels' centres, by rows of the crop.
  [[nodiscard]] virtual std::span<const scene::Vec3> colors() { return {}; }

  // ---- checkpoints, between two batches of rays
  /// Why the machine cannot be stored and put back; empty: it can.
  [[nodiscard]] virtual std::string noCheckpoint() const { return "it cannot be stored yet"; }
  /// Nothing is under way: state() is all there is beyond what start() makes again.
  [[nodiscard]] virtual bool quiescent() const { return true; }
  /// Stores modules and driver, or puts them back behind start() of the same scene and settings.
  virtual void state(common::StateArchive& a) { (void)a; }

  // ---- afterwards, and at any time for a machine that has not run
  virtual void reportDriver(common::StatGroup& stats) const { (void)stats; }
  virtual void report(common::StatGroup& stats) { (void)stats; }
  /// With Job::costs: charges what is no pixel's, once all rays are answered.
  virtual void chargeRest() {}
  /// Sums that do not close.
  [[nodiscard]] virtual std::vector<std::string> problems() const { return {}; }
  /// Who waits for what, for the report of a deadlock: lines, each begun with a line feed.
  [[nodiscard]] virtual std::string states() const { return {}; }
  /// A failure that the machine knows better than "nothing can happen any more".
  [[nodiscard]] virtual std::optional<Failure> failure() const { return std::nullopt; }
  /// Puts files of its own in place, once, when the run has ended, well or not. Those of a machine
  /// that is not asked (a run that is refused, or left in the debugger) do not appear.
  [[nodiscard]] virtual std::vector<DiagnosticFile> finishFiles() { return {}; }

 protected:
  /// A line on standard error unless the user wants none.
  void warn(const std::string& text) const;
  /// A line for --verbose, with the simulated time; empty otherwise.
  [[nodiscard]] std::function<void(const std::string&)> log() const;

  const Settings& settings_;

 private:
  const MachineInfo& info_;
  std::string name_;
  Pin pin_;
  common::TraceSignal busy_;
};

/// A kind of machine.
class MachineKind {
 public:
  MachineKind() = default;
  virtual ~MachineKind() = default;
  MachineKind(const MachineKind&) = delete;
  MachineKind& operator=(const MachineKind&) = delete;

  [[nodiscard]] virtual const MachineInfo& info() const = 0;
  /// `settings` outlives the machine.
  [[nodiscard]] virtual std::unique_ptr<Machine> make(std::string name,
                                                      const Settings& settings) const = 0;
  /// Lines of the one-screen summary, from the statistics that were written.
  [[nodiscard]] virtual std::vector<report::SummaryLine> summary(
      const report::RunFigures& run) const {
    (void)run;
    return {};
  }
  /// What a user should know of a run that went through, from the same: a line each on standard
  /// error.
  [[nodiscard]] virtual std::vector<std::string> warnings(const report::RunFigures& run) const {
    (void)run;
    return {};
  }
  /// Why its rates say little of the machine, if the picture gave it too little to do: a sentence.
  [[nodiscard]] virtual std::optional<std::string> tooLittle(const report::RunFigures& run) const {
    (void)run;
    return std::nullopt;
  }
  /// Its part in `platform machines`, from the statistics that were written.
  [[nodiscard]] virtual report::MachineFigures comparison(const report::RunFigures& run) const {
    (void)run;
    return {};
  }
  /// How far the points it finds on surfaces f = 0 may lie from them, in the object's units.
  [[nodiscard]] virtual double slack(const Settings& settings) const {
    (void)settings;
    return 0;
  }
  /// Relative difference of t that its number formats allow.
  [[nodiscard]] virtual double distanceTolerance() const { return 1e-4; }
  /// Instructions that the machine's processors executed, for the simulator's speed; 0: none.
  [[nodiscard]] virtual double instructions(const report::RunFigures& run) const {
    (void)run;
    return 0;
  }
};

/// The kind that `kInfo` describes and whose machines are `M`s, constructed as a Machine is.
template <typename M, const MachineInfo& kInfo>
class KindOf : public MachineKind {
 public:
  [[nodiscard]] const MachineInfo& info() const override { return kInfo; }
  [[nodiscard]] std::unique_ptr<Machine> make(std::string name,
                                              const Settings& settings) const override {
    return std::make_unique<M>(kInfo, std::move(name), settings);
  }
  // The machine's own static functions of these names, where it has them.
  [[nodiscard]] std::vector<report::SummaryLine> summary(
      const report::RunFigures& run) const override {
    if constexpr (requires { M::summary(run); }) return M::summary(run);
    return MachineKind::summary(run);
  }
  [[nodiscard]] std::vector<std::string> warnings(const report::RunFigures& run) const override {
    if constexpr (requires { M::warnings(run); }) return M::warnings(run);
    return MachineKind::warnings(run);
  }
  [[nodiscard]] std::optional<std::string> tooLittle(const report::RunFigures& run) const override {
    if constexpr (requires { M::tooLittle(run); }) return M::tooLittle(run);
    return MachineKind::tooLittle(run);
  }
  [[nodiscard]] double slack(const Settings& settings) const override {
    if constexpr (requires { M::slack(settings); }) return M::slack(settings);
    return MachineKind::slack(settings);
  }
  [[nodiscard]] double distanceTolerance() const override {
    if constexpr (requires { M::distanceTolerance(); }) return M::distanceTolerance();
    return MachineKind::distanceTolerance();
  }
  [[nodiscard]] double instructions(const report::RunFigures& run) const override {
    if constexpr (requires { M::instructions(run); }) return M::instructions(run);
    return MachineKind::instructions(run);
  }
  [[nodiscard]] report::MachineFigures comparison(const report::RunFigures& run) const override {
    if constexpr (requires { M::comparison(run); }) return M::comparison(run);
    return MachineKind::comparison(run);
  }
};

/// The kinds that a program knows, in the order in which they are offered.
class Registry {
 public:
  /// Keeps a reference. Throws std::invalid_argument for a name that is there.
  void add(const MachineKind& kind);
  [[nodiscard]] std::span<const MachineKind* const> kinds() const { return kinds_; }
  /// Null if there is none.
  [[nodiscard]] const MachineKind* find(std::string_view name) const;
  /// The kind called `name`, or InputError with the known ones; `what`: begins its message.
  [[nodiscard]] const MachineKind& at(std::string_view name, const std::string& what) const;
  /// Message ids that mean a fault, of all kinds and of what all share.
  [[nodiscard]] std::vector<std::string_view> faults() const;

 private:
  std::vector<const MachineKind*> kinds_;
};

/// The machines that ship. The one place that names them.
[[nodiscard]] const Registry& builtinMachines();

}  // namespace rtvp::platform
