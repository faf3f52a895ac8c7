// The shading unit without SystemC: program store, pipelines with their register banks, queues in
// memory, texture path, cycle counts.
//
// A pipeline runs one request at a time. Its work has phases that need the bus (take a request,
// fetch texels, write a result or set a run aside) and phases that compute. The pipelines share one
// bus port, which goes to the pipeline that asked first (the lower number on a tie) and stays with
// it for one phase.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/sl/program.hpp"
#include "models/sl/unit/core_account.hpp"
#include "models/sl/unit/core_control.hpp"
#include "models/sl/unit/run_ahead.hpp"
#include "models/sl/unit/texture_reader.hpp"
#include "models/sl/vm.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::sl::unit {

struct CoreConfig {
  unsigned pipelines = 4;
  unsigned programWords = 4096;  ///< instructions the program store holds, 1..kMaxProgramWords
  unsigned cacheLines = 256;     ///< texture cache; 0 = none
  std::array<std::uint32_t, kForms> cycles = defaultCycles();  ///< per instruction, by Form
  bool ahead = true;  ///< compute runs many at once before their time (a speed setting)

  static constexpr std::array<std::uint32_t, kForms> defaultCycles() {
    std::array<std::uint32_t, kForms> cycles{};
    for (unsigned i = 0; i < kForms; ++i) cycles[i] = kInstructions[i].cycles;
    return cycles;
  }
};

/// Why a request could not run; the number is the FAULT register's KIND.
enum class Fault : std::uint8_t { None, Surface, Program, Texture, Request, Bus, Queue };

/// What a pipeline did, in clocks; idle is the rest of the time.
struct PipelineCounters {
  Clock busy = 0;          ///< instructions
  Clock stallRequest = 0;  ///< taking requests, surfaces, saved runs and answers from memory
  Clock stallTexture = 0;  ///< fetching texels
  Clock stallResult = 0;   ///< writing results and setting runs aside
  Clock stallPort = 0;     ///< waiting for another pipeline to leave the bus port
  std::uint64_t runs = 0;
  std::uint64_t instructions = 0;

  [[nodiscard]] Clock worked() const {
    return busy + stallRequest + stallTexture + stallResult + stallPort;
  }
};

/// Where the host put things, from the register block.
struct CoreAddresses {
  std::uint64_t surfaces = 0;
  std::uint32_t surfaceCount = 0;
  std::uint64_t slots = 0;
  std::uint64_t requests = 0;
  std::uint64_t results = 0;
  std::uint32_t entries = 0;  ///< of both queues
};

/// Sees requests from taking to answering; for recorders.
class RunProbe {
 public:
  RunProbe() = default;
  RunProbe(const RunProbe&) = delete;
  RunProbe& operator=(const RunProbe&) = delete;
  virtual ~RunProbe() = default;
  struct Begin {
    std::uint32_t slot = 0, kind = 0, surface = 0;  ///< the request's words
    Clock took = 0;                                 ///< to read it
  };
  virtual void begins(const Begin& request) = 0;
  /// A transfer of the slot's request, texels apart.
  virtual void moved(std::uint32_t slot, bool write, std::uint64_t address,
                     std::span<const std::uint32_t> words, Clock took) = 0;
  virtual void texel(std::uint32_t slot, std::uint64_t address, Clock took) = 0;
  struct End {
    std::uint32_t slot = 0;
    std::span<const std::uint32_t> result;  ///< result::kWords
    PipelineCounters spent;                 ///< by the request
    const Vm* vm = nullptr;                 ///< null: it could not run
  };
  virtual void ends(const End& end) = 0;
};

struct Surface;

class ShadingCore {
 public:
  /// Throws std::invalid_argument on a configuration out of range.
  explicit ShadingCore(const CoreConfig& config);

  /// Program store: writes instruction words from `first` on; false if they do not fit.
  bool store(std::uint32_t first, std::span<const std::uint64_t> words);
  [[nodiscard]] std::uint64_t stored(std::uint32_t index) const { return programStore_.at(index); }
  [[nodiscard]] std::uint32_t programWords() const { return config_.programWords; }
  /// Forgets cached surfaces, programs and texels.
  void flush();
  /// Queues empty, fault cleared; program store and counters stay.
  void reset();

  /// Takes requests head()..tail and works until all are answered; returns the clock after the last
  /// piece of work, or `now` if there was none. Requests of one call may be answered in any order.
  Clock run(const CoreAddresses& at, std::uint32_t tail, MemoryPort& port, Clock now);

  /// Sees every request end; for cost maps.
  struct RequestReport {
    std::uint32_t slot;
    std::uint64_t instructions;
    Clock clocks;  ///< of its pipeline, waits included
  };
  void setRequestObserver(std::function<void(const RequestReport&)> observer) {
    observer_ = std::move(observer);
  }

  /// Null: nobody listens. Must outlive the work.
  void setRunProbe(RunProbe* probe);
  [[nodiscard]] const CoreConfig& config() const { return config_; }
  /// Where the host put things, of the run() under way or the last one.
  [[nodiscard]] const CoreAddresses& addresses() const { return at_; }
  /// Keeps account of every clock that a pipeline works, from here on. It changes none.
  void keepAccounts() { accounts_.assign(config_.pipelines, CoreAccount(config_.programWords)); }
  /// By pipeline; empty if none are kept.
  [[nodiscard]] const std::vector<CoreAccount>& accounts() const { return accounts_; }

  /// From here on the debugger decides when work begins. Must outlive the work.
  void control(CoreControl& control) { control_ = &control; }
  /// What a pipeline executes.
  struct Run {
    Vm* vm = nullptr;
    std::uint32_t start = 0;  ///< of its program in the store
    std::uint32_t slot = 0, surface = 0;
  };
  /// Empty: no run, or one that has executed its last instruction.
  [[nodiscard]] std::optional<Run> runOf(unsigned pipeline) const;
  /// Up to where the work of the pipeline that is furthest ahead is known.
  [[nodiscard]] Clock furthest() const;

  /// For checkpoints, with no request under way.
  void state(common::StateArchive& a);

  [[nodiscard]] std::uint32_t head() const { return head_; }           ///< requests taken
  [[nodiscard]] std::uint32_t resultTail() const { return results_; }  ///< results written
  [[nodiscard]] Fault fault() const { return fault_; }                 ///< the first one
  [[nodiscard]] std::uint32_t faultSlot() const { return faultSlot_; }
  [[nodiscard]] const std::vector<PipelineCounters>& pipelines() const { return counters_; }
  [[nodiscard]] const Counters& counters() const { return totals_; }
  [[nodiscard]] const TextureCounters& textures() const { return reader_.counters(); }
  [[nodiscard]] std::uint64_t resumes() const { return resumes_; }
  /// Runs, resumed ones too, that were computed before their time.
  [[nodiscard]] std::uint64_t runsAhead() const { return runsAhead_; }
  /// Executions by Form, up to the last run().
  [[nodiscard]] const std::array<std::uint64_t, kForms>& executed() const { return executed_; }

 private:
  struct Pipeline;

  void cachedSurface(common::StateArchive& a, Pipeline& p);
  void begin(Pipeline& p);
  void takeRequest(Pipeline& p);
  [[nodiscard]] bool loadSurface(Pipeline& p, std::uint32_t number);
  [[nodiscard]] bool loadRun(Pipeline& p);
  [[nodiscard]] bool loadSaved(Pipeline& p);
  [[nodiscard]] std::shared_ptr<const Program> program(std::uint32_t start, std::uint32_t count,
                                                       OffsetBase base);
  /// Computes the runs of the next requests if those before are through.
  void lookAhead();
  void forgetAhead(bool programs);
  void lookAtRequest(std::span<const std::uint32_t, request::kWords> entry);
  [[nodiscard]] const Surface* lookAtSurface(std::uint32_t number);
  void lookAtRun(const Surface& surface, std::uint64_t address);
  [[nodiscard]] std::optional<std::size_t> lookedAt(std::uint32_t number) const;
  /// Somebody wants to see each instruction, or where each word went.
  [[nodiscard]] bool isWatched() const {
    return control_ != nullptr || probe_ != nullptr || !accounts_.empty();
  }
  [[nodiscard]] auto programs() {
    return [this](std::uint32_t start, std::uint32_t count, OffsetBase base) {
      return program(start, count, base);
    };
  }
  void beginRun(Pipeline& p, const Samples& samples);
  void compute(Pipeline& p);
  [[nodiscard]] RunAhead::Outcome execute(Pipeline& p);
  void lookup(Pipeline& p);
  void setAside(Pipeline& p);
  void finish(Pipeline& p, std::uint32_t kind);
  void fail(Pipeline& p, Fault fault);
  void tellEnd(const Pipeline& p, std::span<const std::uint32_t> result) const;
  /// Bus phases: the clock they begin at, and what they cost.
  void enterPort(Pipeline& p);
  void leavePort(Pipeline& p, Clock PipelineCounters::*cause, SlSpent spent);
  [[nodiscard]] bool isLooked() const { return looked_ && control_->stepping(); }
  [[nodiscard]] CoreAccount* accountOf(const Pipeline& p);
  [[nodiscard]] bool read(Pipeline& p, std::uint64_t address, std::span<std::uint32_t> words);
  [[nodiscard]] bool write(Pipeline& p, std::uint64_t address,
                           std::span<const std::uint32_t> words);
  [[nodiscard]] std::uint64_t slotAddress(std::uint32_t slot) const {
    return at_.slots + std::uint64_t{4} * slot::kWords * slot;
  }

  CoreConfig config_;
  std::vector<std::uint64_t> programStore_;
  struct CachedProgram {
    std::uint32_t start;
    std::uint32_t count;
    OffsetBase base;
    std::shared_ptr<const Program> program;
  };
  std::vector<CachedProgram> programs_;
  std::uint64_t generation_ = 0;  ///< of cached surfaces; a flush begins a new one
  std::vector<std::unique_ptr<Pipeline>> pipelines_;
  std::vector<PipelineCounters> counters_;
  std::vector<CoreAccount> accounts_;
  TextureReader reader_;
  static constexpr unsigned kLookLines = 256;
  TextureReader lookReader_;  ///< of texels that are only looked at
  RunAhead ahead_;
  std::uint32_t aheadFirst_ = 0, aheadEnd_ = 0;  ///< numbers of the requests it has
  std::uint64_t runsAhead_ = 0;
  std::vector<std::unique_ptr<Surface>> lookedSurfaces_;
  CoreAddresses at_;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t results_ = 0;
  Fault fault_ = Fault::None;
  std::uint32_t faultSlot_ = 0;
  Counters totals_;
  std::uint64_t resumes_ = 0;
  std::array<std::uint64_t, kForms> executed_{};
  Clock portFree_ = 0;
  MemoryPort* port_ = nullptr;
  std::function<void(const RequestReport&)> observer_;
  RunProbe* probe_ = nullptr;
  CoreControl* control_ = nullptr;
  bool looked_ = false, armed_ = false;  ///< as the control said when it was asked last
  std::uint32_t sampling_ = 0;           ///< slot whose texels are fetched

 public:
  ~ShadingCore();
  ShadingCore(const ShadingCore&) = delete;
  ShadingCore& operator=(const ShadingCore&) = delete;
};

}  // namespace rtvp::sl::unit
