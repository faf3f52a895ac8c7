// A THEIA unit of a host computer: configuration, microcode, wiring, driver, words of the summary.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <systemc>
#include <tuple>
#include <vector>

#include "firmware/theia/firmware.hpp"
#include "models/common/core/file_io.hpp"
#include "models/common/core/shared_files.hpp"
#include "models/common/core/state.hpp"
#include "models/common/core/unreadable.hpp"
#include "models/common/report_ids.hpp"
#include "models/theia/assembler.hpp"
#include "models/theia/debug/program.hpp"
#include "models/theia/params.hpp"
#include "models/theia/unit_registers.hpp"
#include "platform/debug/theia_cores.hpp"
#include "platform/drivers/theia/driver.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/kinds.hpp"
#include "platform/machines/theia_params.hpp"
#include "platform/options/run_params.hpp"

namespace rtvp::platform {
namespace {

/// What the user wants.
struct Wishes {
  explicit Wishes(const Settings& settings)
      : options(settings.read<TheiaOptions>(kTheiaParams)),
        unit(settings.read<theia::TheiaUnitConfig>(theia::kUnitParams)),
        driver(settings.read<host::TheiaDriverConfig>(kTheiaParams)),
        shadesItself(runOptions(settings).shade == "theia"),
        samples(renderOptions(settings).samples),
        quiet(outputOptions(settings).verbosity == Verbosity::Quiet) {}

  /// One of the improved sets, not the original's routines (which leave the plane of hits).
  [[nodiscard]] bool improved() const {
    return options.microcode != TheiaMicrocode::Original &&
           options.microcode != TheiaMicrocode::Hits;
  }
  /// Its intersection, where no routine of the user's stands in for it, knows enlarged triangles.
  [[nodiscard]] host::TheiaCorners corners() const {
    return improved() && options.userCode.empty() ? host::TheiaCorners::Enlarged
                                                  : host::TheiaCorners::AsTheyAre;
  }
  void warn(const std::string& text) const {
    if (!quiet) std::fprintf(stderr, "platform: warning: %s\n", text.c_str());
  }

  TheiaOptions options;
  theia::TheiaUnitConfig unit;
  host::TheiaDriverConfig driver;
  std::string userCode;  ///< what stands in options.userCode
  bool shadesItself;
  int samples;
  bool quiet;
};

host::TheiaProgram program(const char* set) {
  const theia::Microcode* const microcode = theia::findMicrocode(set);
  if (microcode == nullptr) throw std::logic_error(std::string("no microcode set ") + set);
  return {microcode->table.begin(), microcode->table.end()};
}

/// The microcode set of eye frames; every one of them leaves the plane of hits.
const char* eyeSet(const Wishes& wishes, const host::TheiaTextures& textures) {
  if (!wishes.improved()) return "hits";
  const TheiaMicrocode set = wishes.options.microcode;
  if (set == TheiaMicrocode::Flat) return "flat";
  return set == TheiaMicrocode::Textured || textures.count > 0 ? "textured" : "flat";
}
/// The original's routines know one texture only, and `flat` none.
bool takesTextures(const std::string& set, const host::TheiaTextures& textures) {
  return set == "textured" ? textures.count > 0 : set == "hits" && textures.count == 1;
}

// ---- the user's routines

std::string readUserCode(const std::string& file, InputFiles& files) {
  constexpr std::uint64_t kLargest = 16U << 20U;
  try {
    const std::vector<std::uint8_t> bytes =
        files.read("theia.user_code", common::inputFile(file, "firmware"), kLargest);
    return {bytes.begin(), bytes.end()};
  } catch (const std::system_error&) {
    throw InputError("theia.user_code: " + file + ": " +
                     common::unreadable(common::inputFile(file, "firmware"), "a THEIA source"));
  }
}

/// Entry points of the user's that nothing calls. The control unit calls INITIAL, CPPU,
/// USERCONSTANTS and MAIN; a set's MAIN the rest of what it needs; and for PIXELSHADER the
/// hardware goes to row 314 of the ROM itself (theia.md 3.1).
void warnOfEntries(const theia::Program& program, const Wishes& wishes) {
  using theia::Entry;
  const auto defined = [&](Entry e) { return program.defined[static_cast<std::size_t>(e)]; };
  const auto idle = [&](Entry e) {
    if (e == Entry::PixelShader) return !wishes.unit.gpu.core.honourPixelShaderSlot;
    if (defined(Entry::Main)) return false;  // the user's may call it
    return e == Entry::Aabbiu || e == Entry::Psu || (e == Entry::Psu2 && wishes.improved());
  };
  for (const Entry e : {Entry::Aabbiu, Entry::Psu, Entry::Psu2, Entry::PixelShader}) {
    if (!defined(e) || !idle(e)) continue;
    const std::string name(theia::kEntryTable[static_cast<std::size_t>(e)].name);
    wishes.warn(wishes.options.userCode + ": the entry point ENTRYPOINT_ADRR_" + name +
                " has no effect: " +
                (e == Entry::PixelShader
                     ? "MAIN calls row 314 of the ROM, not the table's slot "
                       "(theia.honour_pixel_shader_slot = on changes the hardware)"
                     : "no routine of this microcode calls it, expected a MAIN that does"));
  }
}

/// Rows of `theia.user_code` and its entry points over those of the set. True for each entry point
/// that it defines.
std::array<bool, theia::kEntries> addUserCode(host::TheiaProgram& program, const Wishes& wishes) {
  const std::string& file = wishes.options.userCode;
  if (file.empty()) return {};
  const theia::AssemblyResult result = theia::assemble(file, wishes.userCode);
  if (!result.program) throw InputError(result.report());
  if (!result.diagnostics.empty()) wishes.warn(result.report());
  if (result.program->rom) {
    throw InputError("theia.user_code: found microcode (.rom), expected a user program");
  }
  warnOfEntries(*result.program, wishes);
  for (std::size_t i = 0; i < theia::kEntries; ++i) {
    if (result.program->defined[i]) program[i] = result.program->table[i];
  }
  const std::vector<theia::Instruction> image = result.program->image();
  for (std::size_t row = theia::kUserFirstRow; row < image.size(); ++row) {
    program.push_back(image[row].word);
  }
  return result.program->defined;
}

// ---- the unit's own shading

/// C1 to C6 of improved.tasm, set by a routine of ours (theia.md section 8).
void addUserConstants(host::TheiaProgram& program, const std::array<scene::Vec3, 6>& constants) {
  constexpr std::uint64_t kSetX = 65;
  constexpr std::uint64_t kReturn = 64;
  const auto entry = static_cast<std::size_t>(theia::Entry::UserConstants);
  program[entry] = theia::kUserCode | program.size();
  constexpr std::size_t kRows = 3 * std::tuple_size_v<std::array<scene::Vec3, 6>> + 1;
  if (program.size() + kRows > theia::CoreConfig{}.instructionWords) {
    throw InputError("theia.user_code: found " + std::to_string(program.size()) +
                     " rows, expected at most " +
                     std::to_string(theia::CoreConfig{}.instructionWords - kRows) +
                     " beside the lights' constants, or USERCONSTANTS of its own");
  }
  for (std::size_t i = 0; i < constants.size(); ++i) {
    for (int lane = 0; lane < 3; ++lane) {
      program.push_back((kSetX + static_cast<std::uint64_t>(lane)) << 48U |
                        (theia::reg("C1") + i) << 32U | host::toFixed(constants[i][lane]));
    }
  }
  program.push_back(kReturn << 48U | std::uint64_t{1} << 32U | 1U);
}

/// Lights in camera space; the original's machine has room for two.
std::array<scene::Vec3, 6> constants(const scene::Scene& scene, const Wishes& wishes) {
  const host::TheiaCamera camera = host::theiaCamera(scene);
  const host::TheiaView view = host::theiaEyeView(scene, camera, wishes.corners());
  std::array<scene::Vec3, 6> c{};
  c[0] = scene.background;
  const scene::Material& material = scene.materials[scene.elements.front().material];
  const double ambient = material.kdiff > 0 ? material.kamb / material.kdiff : 0;
  c[1] = {ambient, ambient, ambient};
  if (scene.lights.size() > 2) {
    wishes.warn("THEIA's microcode knows two lights, the scene has " +
                std::to_string(scene.lights.size()) + ": the others are dark");
  }
  constexpr double kFarLight = 4000;  // the normalising routine halves what is beyond 16
  for (std::size_t i = 0; i < std::min<std::size_t>(2, scene.lights.size()); ++i) {
    const scene::Vec3 p = scene.lights[i].position - camera.eye;
    scene::Vec3 position = scene::Vec3{dot(p, camera.right), dot(p, camera.up) * camera.stretchY,
                                       -dot(p, camera.forward)} *
                           view.scale;
    const double reach = length(position);
    if (reach > kFarLight) position = position * (kFarLight / reach);
    c[2 + 2 * i] = position;
    c[3 + 2 * i] = scene.lights[i].color;
  }
  return c;
}

host::TheiaDriverConfig driverConfig(const scene::Scene& scene, const host::TheiaTextures& textures,
                                     const host::Crop& crop, const Wishes& wishes) {
  host::TheiaDriverConfig config = wishes.driver;
  const theia::GpuConfig& gpu = wishes.unit.gpu;
  config.cores = static_cast<int>(gpu.cores);
  config.corners = wishes.corners();
  config.crop = crop;
  const char* const set = eyeSet(wishes, textures);
  config.eyeProgram = program(set);
  const auto defined = addUserCode(config.eyeProgram, wishes);
  if (wishes.shadesItself && wishes.improved() &&
      !defined[static_cast<std::size_t>(theia::Entry::UserConstants)]) {
    addUserConstants(config.eyeProgram, constants(scene, wishes));
  }
  if (takesTextures(set, textures)) config.textures = &textures;
  config.rayProgram = program("rays");
  config.alu = gpu.core.alu;
  config.outputWords = gpu.core.outputWords;
  config.textureWords = gpu.textureWords;
  return config;
}

/// The scene's textures, if the unit can draw them: all or, when the host shades and needs none of
/// them, none.
host::TheiaTextures texturesOf(const scene::Scene& scene, const host::TheiaView& view,
                               const Wishes& wishes) {
  try {
    host::TheiaTextures textures = host::theiaTextures(scene, wishes.unit.gpu.textureWords);
    for (const host::TheiaPiece& piece : view.pieces) (void)textures.coordinates(scene, piece);
    return textures;
  } catch (const std::invalid_argument& e) {
    if (wishes.shadesItself) throw InputError(e.what());
    return {};
  }
}

/// Refuses and warns of what concerns the unit's own pictures.
void checkTextures(const host::TheiaTextures& textures, const Wishes& wishes) {
  const std::string set = eyeSet(wishes, textures);
  if (set == "hits" && textures.count > 1) {
    throw InputError("render.shade: the original's routines know one texture, the scene has " +
                     std::to_string(textures.count) + ": expected theia.microcode = improved");
  }
  if (set == "hits" && textures.count == 0 && wishes.options.userCode.empty()) {
    wishes.warn(
        "the original's routines know no light and the scene has no texture: what is "
        "hit shows empty texture memory, black (theia.microcode = improved shades)");
  }
  if (textures.resampled > 0 && takesTextures(set, textures)) {
    wishes.warn("THEIA's textures are square and of one size: " +
                std::to_string(textures.resampled) + " were resampled to " +
                std::to_string(textures.side) + " x " + std::to_string(textures.side));
  }
  if (textures.ignored > 0) {
    wishes.warn("THEIA draws plain textures only: materials with another kind are drawn without, " +
                std::to_string(textures.ignored) + " of them");
  }
}

void checkTheia(const scene::Scene& scene, const host::Crop& crop, const Wishes& wishes) {
  const std::int64_t cores = wishes.unit.gpu.cores;
  if (!std::has_single_bit(static_cast<std::uint64_t>(cores))) {
    throw InputError("theia.cores: found " + std::to_string(cores) + ", expected 1, 2, 4, 8 or 16");
  }
  if (crop.height % cores != 0) {
    throw InputError("the height of each host's part of the picture, " +
                     std::to_string(crop.height) +
                     ", must divide by theia.cores = " + std::to_string(cores));
  }
  if (const std::int64_t tile = wishes.driver.tile; tile % cores != 0) {
    throw InputError("theia.tile: found " + std::to_string(tile) +
                     ", expected a multiple of theia.cores = " + std::to_string(cores));
  }
  if (wishes.driver.boxTest && !wishes.improved()) {
    throw InputError(
        "theia.box_test: the original's microcode has none, expected theia.microcode = improved");
  }
  if (wishes.shadesItself && wishes.samples != 1) {
    throw InputError("render.shade: theia takes one sample a pixel, expected render.spp = 1");
  }
  const auto refuse = [](std::size_t count) {
    if (count <= host::kTheiaMaxTriangles) return;
    throw InputError("THEIA counts to " + std::to_string(host::kTheiaMaxTriangles) +
                     " triangles, the scene has " + std::to_string(count));
  };
  refuse(scene.elements.size());
  try {
    const host::TheiaView view =
        host::theiaEyeView(scene, host::theiaCamera(scene), wishes.corners());
    refuse(view.pieces.size());
    if (wishes.shadesItself) checkTextures(texturesOf(scene, view, wishes), wishes);
    if (view.precisionAtRisk) {
      wishes.warn("THEIA's number range leaves its smallest triangles few bits (a scale of " +
                  std::to_string(view.scale) + "): hits on them may be wrong");
    }
  } catch (const std::invalid_argument& e) {
    throw InputError(e.what());
  }
}

constexpr std::array<std::string_view, 1> kFaults = {report_ids::kTheiaFault};

constexpr std::array<Cost, 2> kCosts{
    {{Measure::Cycles,
      "core.main_busy + core.main_divider + core.main_texture_stall + core.host_stall",
      "of the core that the pixel or ray is on, from the one before it to its own end: MAIN, waits "
      "for textures and for triangles; rays that fill a frame up are no pixel's"},
     {Measure::Tests, "driver.triangles * theia.cores",
      "triangles that the host offers while the pixel or ray is on a core: the core meets each of "
      "them, whatever its microcode then makes of it"}}};
constexpr std::string_view kUncounted =
    "box tests and node visits: every ray meets every triangle of its list; evaluations: it knows "
    "no f; instructions: cores count them by opcode and not by pixel; bytes: the host port gives "
    "each word to all cores at once";

constexpr std::array<RegisterSpace, 1> kRegisterSpaces{{
    {"theia", "THEIA, control registers of the unit",
     []() -> std::span<const common::RegisterDescriptor> { return theia::unit::kRegisterTable; },
     theia::unit::kRegisterBlockEnd, "theia"},
}};

constexpr MachineInfo kInfo{.name = "theia",
                            .help = "THEIA, a multi-core fixed-point ray-casting GPU (2011)",
                            .primitives = {.triangles = true},
                            .shades = Shades::Picture,
                            .faults = kFaults,
                            .costs = kCosts,
                            .uncounted = kUncounted,
                            .registers = kRegisterSpaces};

class Theia final : public Machine, public InstructionSource, public DebuggedCores {
 public:
  Theia(const MachineInfo& info, std::string name, const Settings& settings)
      : Machine(info, std::move(name), settings), wishes_(settings) {}

  void load(InputFiles& files) override {
    const std::string& file = wishes_.options.userCode;
    if (!file.empty()) wishes_.userCode = readUserCode(file, files);
  }

  void prepare(const Job& job) override {
    if (job.shades && !job.whole.implicits.empty()) {
      throw InputError(
          job.whole.implicits.front().where +
          "THEIA's microcode draws no implicit surfaces, expected render.shade = host");
    }
    checkTheia(job.scene, job.options.crop, wishes_);
    job_.emplace(job);
    textures_ = texturesOf(
        job.scene, host::theiaEyeView(job.scene, host::theiaCamera(job.scene), wishes_.corners()),
        wishes_);
    config_ = driverConfig(job.scene, textures_, job.options.crop, wishes_);
    // A surface's shader asks for rays that are no part of the picture's tree.
    if (job.whole.surfaces.empty()) config_.progress = job.answered;
  }

  /// Every ray meets every triangle.
  [[nodiscard]] Estimate estimate() const override {
    constexpr double kClocksATriangle = 100;
    const auto triangles = static_cast<double>(job_->scene.elements.size());
    const auto cores = static_cast<double>(config_.cores);
    Estimate e;
    e.perRay = kClocksATriangle * triangles / cores * wishes_.unit.period.to_seconds();
    e.perBatch = 1e-5;
    e.setUp = 1e-5;
    e.grain = static_cast<std::size_t>(config_.cores);
    return e;
  }

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.lines = 1;
    return needs;
  }

  void build(Computer& computer) override {
    unit_ = std::make_unique<theia::TheiaUnit>("theia", wishes_.unit,
                                               theia::microcodeRom(wishes_.options.fixedBilinear));
    config_.base = computer.attach(*this, unit_->host_tsock,
                                   {"theia", theia::unit::kSize, Region::Registers, 0x8000'0000});
    (void)computer.connectPort(*this, unit_->rcommit_o, "committed");
    config_.instance = computer.instance(*this);
    config_.log = log();
    observePixels();
  }

  void declare(const common::TraceScope& scope) override { unit_->trace(scope.module("theia")); }

  [[nodiscard]] std::unique_ptr<Debuggee> debuggee(const DebugSurroundings& around) override {
    return std::make_unique<TheiaCores>(*unit_, name(), program(), around);
  }
  bool keepProfile() override {
    unit_->gpu().keepAccount();
    return true;
  }
  [[nodiscard]] std::vector<debug::Profile> profiles() override {
    unit_->finish();
    return {coreProfile(*unit_, name(), program())};
  }
  bool logInstructions(const InstructionWish& wish) override {
    log_ = watchCores(*unit_, name(), program(), wish);
    return log_ != nullptr;
  }
  void finishInstructions() override {}
  [[nodiscard]] bool logsText() const override { return true; }

  [[nodiscard]] bool dump(const NodeOrder& order) override;
  [[nodiscard]] std::string dumpable() const override { return "theia[@frame=K]"; }

  void start(host::HostBus& bus) override {
    driver_ = std::make_unique<host::TheiaDriver>(bus, job_->scene, config_);
    driver_->start();
  }
  [[nodiscard]] host::HitFinder* finder() override { return driver_.get(); }
  [[nodiscard]] std::span<const scene::Vec3> colors() override { return driver_->colors(0.5, 0.5); }

  [[nodiscard]] std::string noCheckpoint() const override { return {}; }
  [[nodiscard]] bool quiescent() const override { return unit_->quiescent(); }
  void state(common::StateArchive& a) override { a(*unit_, *driver_); }

  void reportDriver(common::StatGroup& stats) const override {
    (driver_ ? driver_->counters() : host::TheiaDriver::Counters{})
        .report(stats.group("driver", "device driver of the THEIA unit"));
  }
  void report(common::StatGroup& stats) override {
    unit_->finish();
    unit_->report(stats.group("theia", "the THEIA unit"));
  }
  /// Sums of the unit that its statistics do not carry as `cycles`.
  [[nodiscard]] std::vector<std::string> problems() const override {
    std::vector<std::string> found;
    for (unsigned i = 0; i < unit_->gpu().cores(); ++i) {
      const theia::Clock sum = unit_->gpu().controlClocks(i).sum();
      if (sum != unit_->gpu().portFree()) {
        found.push_back("theia.core" + std::to_string(i) + ": " + std::to_string(sum) +
                        " clocks have a cause, " + std::to_string(unit_->gpu().portFree()) +
                        " passed");
      }
    }
    return found;
  }

  static std::vector<report::SummaryLine> summary(const report::RunFigures& run);
  static std::vector<std::string> warnings(const report::RunFigures& run);
  static std::optional<std::string> tooLittle(const report::RunFigures& run);
  static report::MachineFigures comparison(const report::RunFigures& run);
  /// 15.17 fixed point: design.md's acceptance rule.
  static double distanceTolerance() { return 5e-4; }

 private:
  void writeFrame(const NodeOrder& order, theia::Frame frame) const;
  [[nodiscard]] debug::Program program() const;
  /// Charges eye rays and others to their pixels, if somebody wants to know.
  void observePixels() {
    if (!job_ || job_->costs == nullptr) return;
    job_->costs->setClock(wishes_.unit.period.value());
    unit_->setPixelObserver([this](const theia::TheiaUnit::PixelReport& done) {
      const std::uint32_t pixel = driver_->pixelOf(done.core, done.pixel);
      job_->costs->charge(pixel, Measure::Cycles, done.clocks);
      job_->costs->charge(pixel, Measure::Tests, driver_->trianglesAPixel());
    });
  }

  Wishes wishes_;
  std::optional<Job> job_;
  host::TheiaTextures textures_;
  host::TheiaDriverConfig config_;
  std::unique_ptr<theia::TheiaUnit> unit_;
  std::vector<theia::Word> texture_;  ///< of the frame that is recorded, at its begin
  std::unique_ptr<host::TheiaDriver> driver_;
  std::unique_ptr<theia::InstructionLog> log_;
};

/// Microcode and the user's routines. Entry points are those of eye frames.
debug::Program Theia::program() const {
  std::vector<theia::CodeSource> code = theia::microcodeCode(wishes_.options.fixedBilinear);
  if (const std::string& file = wishes_.options.userCode; !file.empty()) {
    const theia::AssemblyResult result = theia::assemble(file, wishes_.userCode);
    if (result.program) code.insert(code.begin(), theia::sourceOf(file, *result.program));
  }
  std::vector<std::uint16_t> table;
  for (std::size_t slot = 0; slot < theia::kEntries && slot < config_.eyeProgram.size(); ++slot)
    table.push_back(static_cast<std::uint16_t>(config_.eyeProgram[slot]));
  return theia::debugProgram(code, table);
}

bool Theia::dump(const NodeOrder& order) {
  if (order.unit != "theia" && order.unit != name() && !order.unit.starts_with("core"))
    return false;
  if (!order.what.empty() && order.what != "frame") {
    throw InputError("--dump-node: found " + order.unit + "@" + order.what +
                     ", expected @frame=N, the unit's frames counted from 0 on");
  }
  config_.atFrame = [this, order](std::uint64_t number, const theia::Frame* frame) {
    if (number != order.number) return;
    if (frame != nullptr) return writeFrame(order, *frame);
    theia::Gpu& gpu = unit_->gpu();
    texture_.assign(gpu.texture().begin(), gpu.texture().end());
    // What frames before it have left there is none of its results. The run ends with this frame.
    for (unsigned core = 0; core < gpu.cores(); ++core)
      std::ranges::fill(gpu.outputStorage(core), theia::Word{0});
  };
  return true;
}

/// The folder for theia-run, with the words that the unit has put out.
void Theia::writeFrame(const NodeOrder& order, theia::Frame frame) const {
  frame.texture = texture_;
  const theia::FrameTexts texts = theia::formatFrame(frame);
  common::replaceFile(order.folder / "config.tsv", texts.config);
  common::replaceFile(order.folder / "triangles.tsv", texts.triangles);
  common::replaceFile(order.folder / "texture.tsv", texts.texture);
  common::replaceFile(order.folder / "instructions.tsv", texts.instructions);
  common::replaceFile(order.folder / "output.tsv", theia::outputText(unit_->gpu(), frame));
  const theia::GpuConfig& gpu = wishes_.unit.gpu;
  std::string options;
  if (gpu.core.alu.exactMath) options += " --exact-math";
  if (gpu.core.alu.strictIsa) options += " --strict-isa";
  if (gpu.core.honourPixelShaderSlot) options += " --honour-pixel-shader-slot";
  if (gpu.arbiterOrder == theia::ArbiterOrder::Descending) options += " --descending-arbiters";
  if (wishes_.options.fixedBilinear) options += " --fixed-bilinear";
  order.done(name() + ", frame " + std::to_string(order.number) + ": " +
             std::to_string(frame.width) + " x " + std::to_string(frame.height) + " pixels, " +
             std::to_string(frame.triangles.size()) + " triangles, " +
             std::to_string(frame.instructions.size()) + " rows of code\ntheia-run --frame " +
             order.folder.string() + options + " -o - | cmp - " +
             (order.folder / "output.tsv").string() + "\n");
}

std::vector<report::SummaryLine> Theia::summary(const report::RunFigures& run) {
  const double clocks = run.mean("core0", "clocks");
  const auto share = [&](const char* figure) {
    return report::percent(clocks > 0 ? run.mean("core0", figure) / clocks : 0);
  };
  return {{"THEIA",
           report::scaled(run.sum("host_port", "triangles"), "triangles over the host port, ") +
               report::scaled(clocks, "clocks")},
          {"core 0", "executing " + share("main_busy") + ", dividing " + share("main_divider") +
                         ", waiting for texture " + share("main_texture_stall") +
                         ", for triangles " + share("host_stall") + ", idle " + share("idle")}};
}

std::vector<std::string> Theia::warnings(const report::RunFigures& run) {
  const auto pixels = [&](const char* figure) {
    return std::to_string(static_cast<std::uint64_t>(run.sum("driver", figure)));
  };
  if (run.sum("driver", "hits_behind_eye") + run.sum("driver", "hits_at_eye") <= 0) return {};
  return {"THEIA took hits where no surface is: behind the eye for " + pixels("hits_behind_eye") +
          ", before the scene begins for " + pixels("hits_at_eye") + " of " + pixels("pixels") +
          " pixels; the original's routines do (theia.microcode = improved does not)"};
}

std::optional<std::string> Theia::tooLittle(const report::RunFigures& run) {
  constexpr double kMuch = 0.1;
  const double fillers = run.sum("driver", "fillers");
  const double all = run.sum("driver", "pixels") + run.sum("driver", "rays") + fillers;
  if (all <= 0 || fillers <= kMuch * all) return std::nullopt;
  return report::percent(fillers / all) +
         " of the rays only filled up frames: there are too few for so many cores, expected a "
         "larger picture";
}

report::MachineFigures Theia::comparison(const report::RunFigures& run) {
  const auto cores = [&](const char* figure) { return run.sumOfNumbered("theia", "core", figure); };
  const double clocks = std::max(1.0, cores("clocks"));
  const auto port = [&](const char* figure) { return run.sum("host_port", figure); };
  report::MachineFigures f;
  f.cycles = run.mean("core0", "clocks");
  // Every triangle on the host port meets a ray on each core; rays that fill up a frame meet all of
  // the scene and do not count.
  const double count = clocks / std::max(1.0, *f.cycles);
  f.tests = run.sum("driver", "triangles") * count -
            run.sum("driver", "fillers") * run.scene("triangles");
  constexpr double kWordBytes = 4;
  f.traffic = {
      {"host port", kWordBytes * (port("words") + cores("output_words"))},
      {"texture memory", kWordBytes * run.sumOfNumbered("theia", "texture_bank", "words"), true}};
  const double busy = cores("configuration") + cores("initial") + cores("cppu") +
                      cores("user_constants") + cores("main_busy") + cores("main_divider");
  f.resources = {{"cores", busy / clocks, "executing, divisions included, mean of all cores"},
                 {"dividers", cores("main_divider") / clocks, "a core waits for its division"},
                 {"host port", run.mean("host_port", "bus_share"), "the host writes"},
                 {"triangles", cores("host_stall") / clocks,
                  "a core waits for the next triangle: streaming, slower cores"},
                 {"textures", cores("main_texture_stall") / clocks,
                  "a core waits for the arbiters of texture memory"}};
  f.idle = cores("idle") / clocks;
  return f;
}

}  // namespace

const MachineKind& theiaKind() {
  static const KindOf<Theia, kInfo> kKind;
  return kKind;
}

}  // namespace rtvp::platform
