// What a user may set of a run, whatever machine it is on: the picture, the scene, limits, files.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "models/common/core/host_threads.hpp"
#include "models/common/param.hpp"
#include "platform/options/settings.hpp"
#include "platform/raytree/ray_tree.hpp"
#include "platform/report/tone_mapping.hpp"
#include "platform/scene/load.hpp"

namespace rtvp::platform {

struct RunOptions {
  std::string engine = "tigershark";
  std::string machines, computer;  ///< a list of machines, or a file; empty = the engine alone
  std::string assign;              ///< parsePolicy()
  std::size_t strands = 0;         ///< of the ray tree; 0 = by the number of machines
  int hosts = 1;
  common::PictureSize size;
  common::CropBox crop;
  report::ToneMapping tone;      ///< of 8-bit pictures
  std::string camera, lookFrom;  ///< scene::ViewWish; empty = the scene's own, or fitted
  std::string shade = "host";
  double limitMs = 0;       ///< of simulated time; 0 = none
  std::size_t threads = 0;  ///< of this computer, for one simulation; 0 = threadsOf()
  std::string shaderPath;   ///< folder; empty = none
};

enum class ProfileUnits : std::uint8_t { Together, Each };
enum class Verbosity : std::uint8_t { Quiet, Normal, Verbose };

struct OutputOptions {
  std::string image, stats, hits, costMap, disagreements, trace;  ///< files; empty = none
  std::string costMeasure = "all";                                ///< of the cost map
  double traceFromUs = 0;
  double traceToUs = 0;  ///< 0 = with the run
  std::string traceModules = "all";
  std::string profile, coverage;  ///< files; empty = none
  ProfileUnits profileUnits = ProfileUnits::Together;
  bool setup = false;  ///< statistics also as they stand before the first ray
  bool progress = true;
  bool autopsy = true;  ///< of a run that failed on boards (platform/debug/autopsy.hpp)
  Verbosity verbosity = Verbosity::Normal;
};

/// Built-in words of `engine` and `render.shade`; a registry may say others.
inline constexpr std::array<std::string_view, 5> kEngineWords{"tigershark", "theia", "xphmg",
                                                              "implicit", "reference"};
inline constexpr std::array<std::string_view, 4> kShadeWords{"host", "sl", "theia", "tigershark"};

inline constexpr std::array kOrderNames{
    common::Named<host::PixelOrder>{"hilbert", host::PixelOrder::Hilbert},
    common::Named<host::PixelOrder>{"tiles", host::PixelOrder::Tiles},
    common::Named<host::PixelOrder>{"scanline", host::PixelOrder::Scanline},
};
inline constexpr std::array kToneNames{
    common::Named<report::ToneCurve>{"clamp", report::ToneCurve::Clamp},
    common::Named<report::ToneCurve>{"reinhard", report::ToneCurve::Reinhard},
    common::Named<report::ToneCurve>{"filmic", report::ToneCurve::Filmic},
};
inline constexpr std::array kTessellateNames{common::Named<bool>{"needed", false},
                                             common::Named<bool>{"all", true}};
inline constexpr std::array kProfileUnitsNames{
    common::Named<ProfileUnits>{"together", ProfileUnits::Together},
    common::Named<ProfileUnits>{"each", ProfileUnits::Each},
};
inline constexpr std::array kVerbosityNames{
    common::Named<Verbosity>{"quiet", Verbosity::Quiet},
    common::Named<Verbosity>{"normal", Verbosity::Normal},
    common::Named<Verbosity>{"verbose", Verbosity::Verbose},
};

/// Rows of RunOptions, host::RenderOptions and scene::LoadOptions.
inline constexpr std::array kRunParams{
    // ---- what to simulate
    common::word<&RunOptions::engine>(
        "engine", kEngineWords,
        "which machine finds the hits; implicit = for scenes of implicit surfaces alone, which "
        "every other machine has the unit for; reference = double precision, no machine")
        .onCommandLine("engine"),
    common::text<&RunOptions::machines>(
        "computer.machines",
        "machines on one interconnect, instead of an engine: NAME or NAME:COUNT separated by "
        "commas (tigershark:2,theia)")
        .onCommandLine("machines"),
    common::param<&RunOptions::computer>(
        "computer.file", "description of a computer: its machines, their places and settings, JSON")
        .ofHost()
        .onCommandLine("computer"),
    common::text<&RunOptions::assign>(
        "computer.assign",
        "which machine gets which rays: share, race:A,B or eye=A,shadow=B,secondary=C")
        .onCommandLine("assign"),
    common::param<&RunOptions::strands>(
        "computer.strands", "strands", {0, 64},
        "parts of the ray tree that grow side by side, so that several machines have rays at "
        "once; 0 = 8 with several machines that find hits, else 1"),
    common::param<&RunOptions::hosts>(
        "system.hosts", {}, {1, 64},
        "host computers; the picture is divided among them, each has its own boards")
        .onCommandLine("hosts"),
    // ---- the picture
    common::param<&RunOptions::size>("render.size", "pixels", {1, 16384}, "picture size")
        .onCommandLine("size"),
    common::param<&RunOptions::crop>("render.crop", "pixels", {0, 16384},
                                     "render this part only; the picture keeps its perspective")
        .onCommandLine("crop"),
    common::text<&RunOptions::camera>(
        "render.camera",
        "camera EYE:TARGET:FOV[:UP], places as x,y,z, FOV the vertical angle in degrees "
        "(1,2,3:0,0,0:40); empty = the scene's own, or one that sees all")
        .onCommandLine("camera"),
    common::text<&RunOptions::lookFrom>(
        "render.look_from",
        "camera from this side, DIRECTION[:UP] as x,y,z, as near as the whole scene fits")
        .onCommandLine("look-from"),
    common::param<&host::RenderOptions::samples>("render.spp", "samples", {1, 256},
                                                 "samples a pixel")
        .onCommandLine("spp"),
    common::param<&host::RenderOptions::depth>(
        "render.depth", "levels", {1, 32},
        "longest chain of rays; 1 = eye rays and their shadow rays")
        .onCommandLine("depth"),
    common::choice<kOrderNames, &host::RenderOptions::order>(
        "render.order",
        "order in which eye rays reach the machine; coherent orders skip more boxes"),
    common::param<&host::RenderOptions::rayOffset>(
        "render.ray_offset", "scene diagonals", {0, 0.1},
        "how far a secondary ray starts off the surface"),
    common::word<&RunOptions::shade>(
        "render.shade", kShadeWords,
        "who shades; surfaces with a shader: the SL unit; theia = its own microcode writes the "
        "colours, no shadows; tigershark = its boards run the shaders, translated to C32 code")
        .onCommandLine("shade"),
    common::param<&host::RenderOptions::seedCompat>(
        "render.seed_compat",
        "near threshold 0.1 and the 1996 program's edge rule, errors included")
        .bareOption("seed-compat", "on"),
    common::choice<kToneNames, &RunOptions::tone, &report::ToneMapping::curve>(
        "render.tone_map",
        "from light to the levels of a .png or .ppm: clamp cuts at 1, reinhard and filmic keep "
        "what "
        "is brighter apart; .exr and .pfm hold the light itself")
        .onCommandLine("tone-map"),
    common::param<&RunOptions::tone, &report::ToneMapping::exposure>(
        "render.exposure", "stops", {-20, 20}, "light times two to this before tone mapping")
        .onCommandLine("exposure"),
    // ---- how the scene is read
    common::param<&scene::LoadOptions::strict>(
        "scene.strict", "read .shk exactly as in 1996, refuse the extensions"),
    common::param<&scene::LoadOptions::segments>("scene.segments", "sides", {3, 1024},
                                                 "sides of a tessellated cone, cylinder or sphere"),
    common::choice<kTessellateNames, &scene::LoadOptions::tessellateAll>(
        "scene.tessellate", "all = spheres become triangles too"),
};

/// Where surface shaders are found; listed among what runs them.
inline constexpr std::array kShaderParams{
    common::param<&RunOptions::shaderPath>(
        "sl.shader_path", "folder of surface shaders, after the scene's own and its shaders folder")
        .listedAfter("sl.word_clocks"),
};

inline constexpr std::array kLimitParams{
    common::param<&RunOptions::limitMs>(
        "run.limit_ms", "ms", {0, 1e9},
        "end with status 4 after so much simulated time; 0 = no limit"),
    common::param<&RunOptions::threads>(
        "run.threads", "threads", {0, 64},
        "threads of this computer that simulate boards side by side, trace the implicit unit's "
        "rays, find the reference's hits and build its tree and XPHMG_RT's; they change no byte; "
        "0 = its cores, divided among the hosts")
        .ofHost(),
};

/// Output and host settings: not part of the configuration's hash.
inline constexpr std::array kOutputParams{
    common::param<&OutputOptions::image>("output.image",
                                         "image, .png or .ppm, or .exr or .pfm with the light "
                                         "itself (default: the scene's name, .png, current folder)")
        .ofHost()
        .onCommandLine("output", 'o'),
    common::param<&OutputOptions::stats>("output.stats", "statistics, JSON")
        .ofHost()
        .onCommandLine("stats"),
    common::param<&OutputOptions::setup>(
        "output.setup", "statistics have a second set, `setup`: as they stood before the first ray")
        .ofHost(),
    common::param<&OutputOptions::hits>("output.hits", "primary hits, CSV: x,y,prim,t,u,v")
        .ofHost()
        .onCommandLine("hits"),
    common::param<&OutputOptions::costMap>(
        "output.cost_map",
        "what each pixel costs its machines, docs/costs.md: an image, or figures as .json or .csv")
        .ofHost()
        .onCommandLine("cost-map"),
    common::names<&OutputOptions::costMeasure>(
        "output.cost_measure",
        "of the cost map: cycles, tests, box_tests, node_visits, evaluations, instructions, bytes")
        .ofHost()
        .onCommandLine("cost-measure"),
    common::param<&OutputOptions::disagreements>(
        "output.disagreements",
        "pixels whose hits the machines of a race disagree about, with the cause, CSV")
        .ofHost()
        .onCommandLine("disagreements"),
    common::param<&OutputOptions::trace>("output.trace",
                                         "signals of the machines over time: .vcd for GTKWave, "
                                         ".json for Perfetto, either with .gz behind")
        .ofHost()
        .onCommandLine("trace"),
    common::param<&OutputOptions::traceFromUs>("trace.from_us", "us", {0, 1e12},
                                               "the trace begins at this simulated time")
        .ofHost(),
    common::param<&OutputOptions::traceToUs>(
        "trace.to_us", "us", {0, 1e12}, "the trace ends at this simulated time; 0 = with the run")
        .ofHost(),
    common::names<&OutputOptions::traceModules>(
        "trace.modules", "modules to trace, each with what is in it: board0.pld,board0.dsp1*")
        .ofHost(),
    common::param<&OutputOptions::profile>(
        "output.profile",
        "where the processors' cycles went, by symbol, source line and cause: .txt, .callgrind for "
        "KCachegrind, .svg a flame graph; of the processors in trace.modules")
        .ofHost()
        .onCommandLine("profile"),
    common::choice<kProfileUnitsNames, &OutputOptions::profileUnits>(
        "profile.units", "together = all processors of a machine added up; each = one by one")
        .ofHost(),
    common::param<&OutputOptions::coverage>(
        "output.coverage", "source lines that the processors executed, and how often: lcov's .info")
        .ofHost()
        .onCommandLine("coverage"),
    common::param<&OutputOptions::progress>("host.progress",
                                            "the progress line that a terminal gets")
        .ofHost()
        .bareOption("no-progress", "off"),
    common::param<&OutputOptions::autopsy>(
        "host.autopsy",
        "a run that fails on TigerSHARK boards runs once more under the debugger, "
        "which says more of its DSPs")
        .ofHost(),
    common::choice<kVerbosityNames, &OutputOptions::verbosity>(
        "host.output", "quiet = errors only; verbose = every device step")
        .ofHost()
        .bareOption("quiet", "quiet", 'q')
        .bareOption("verbose", "verbose"),
};

[[nodiscard]] inline RunOptions runOptions(const Settings& settings) {
  return settings.read<RunOptions>(kRunParams, kShaderParams, kLimitParams);
}
/// Threads that each of the hosts may use: all together no more than cores, unless so many are
/// asked for.
[[nodiscard]] inline unsigned threadsOf(const RunOptions& run) {
  if (run.threads != 0) return static_cast<unsigned>(run.threads);
  return std::max(1U, common::hostThreads(0) / static_cast<unsigned>(std::max(1, run.hosts)));
}
[[nodiscard]] inline host::RenderOptions renderOptions(const Settings& settings) {
  return settings.read<host::RenderOptions>(kRunParams);
}
[[nodiscard]] inline OutputOptions outputOptions(const Settings& settings) {
  return settings.read<OutputOptions>(kOutputParams);
}

}  // namespace rtvp::platform
