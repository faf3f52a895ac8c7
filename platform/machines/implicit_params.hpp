// What a user may set of rendering implicit surfaces, beside what models/implicit/params.hpp has of
// the unit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/common/param_time.hpp"
#include "models/implicit/render/settings.hpp"
#include "platform/drivers/implicit/driver.hpp"

namespace rtvp::platform {

/// The mode, and what the user wants otherwise than the mode has it.
struct ImplicitOptions {
  implicit::render::Mode mode = implicit::render::Settings{}.mode;
  std::optional<implicit::render::Stepping> stepping;
  double relaxation = 0;  ///< 0 = the mode's, or the usual one of the stepping
  std::optional<implicit::render::Normals> normals;
  std::optional<bool> prune, smoothPrune, earlyDepth;
  std::optional<bool> compact;  ///< leaves store programs, not masks
  std::optional<bool> trim, frontToBack, exactExit, frontFaces, nearPatch, carry, lastStep,
      bestCandidate, slopes;
  std::uint64_t memoryBytes = std::uint64_t{256} << 20U;
  sc_core::sc_time memoryLatency = sc_core::sc_time(60, sc_core::SC_NS);
};

inline constexpr std::array kModeNames{
    common::Named<implicit::render::Mode>{"improved", implicit::render::Mode::Improved},
    common::Named<implicit::render::Mode>{"seed", implicit::render::Mode::Seed},
    common::Named<implicit::render::Mode>{"brute", implicit::render::Mode::Brute},
};
using SteppingChoice = common::Named<std::optional<implicit::render::Stepping>>;
inline constexpr std::array kSteppingNames{
    SteppingChoice{"mode", std::nullopt},
    SteppingChoice{"plain", implicit::render::Stepping::Plain},
    SteppingChoice{"relaxed", implicit::render::Stepping::Relaxed},
    SteppingChoice{"planar", implicit::render::Stepping::Planar},
};
using NormalsChoice = common::Named<std::optional<implicit::render::Normals>>;
inline constexpr std::array kNormalsNames{
    NormalsChoice{"mode", std::nullopt},
    NormalsChoice{"forward", implicit::render::Normals::Forward},
    NormalsChoice{"tetrahedron", implicit::render::Normals::Tetrahedron},
    NormalsChoice{"derivative", implicit::render::Normals::Derivative},
};
using SwitchChoice = common::Named<std::optional<bool>>;
inline constexpr std::array kSwitchNames{SwitchChoice{"mode", std::nullopt},
                                         SwitchChoice{"on", true}, SwitchChoice{"off", false}};
inline constexpr std::array kCodeNames{SwitchChoice{"mode", std::nullopt},
                                       SwitchChoice{"programs", true},
                                       SwitchChoice{"masks", false}};

/// How to render: rows of ImplicitOptions and implicit::render::Settings.
inline constexpr std::array kImplicitParams{
    common::choice<kModeNames, &ImplicitOptions::mode>(
        "implicit.mode",
        "how the unit renders: seed = the report's pipeline, all layers, masks; brute = no hull, "
        "from the object's box"),
    common::param<&implicit::render::Settings::eps>("implicit.eps", "object units", {1e-9, 1e3},
                                                    "a ray hits where f is at most this"),
    common::param<&implicit::render::Settings::step_limit>(
        "implicit.steps", "evaluations", {1, 65535},
        "step limit of a trace through a leaf, or through the box"),
    common::param<&implicit::render::Settings::slope_steps>(
        "implicit.slope_steps", "evaluations", {1, 65535},
        "step limit of a trace through a leaf whose slopes were found"),
    common::choice<kSteppingNames, &ImplicitOptions::stepping>(
        "implicit.stepping",
        "steps of f, longer ones with a test for overlap (Keinert), or by the plane through two "
        "samples (Balint); mode = as implicit.mode has it"),
    common::param<&ImplicitOptions::relaxation>(
        "implicit.relaxation", {}, {0, 1.999},
        "relaxed: steps times this, 1 to 2; planar: weight of the next sphere, up to 1; 0 = as the "
        "mode has it, 1.4 for relaxed"),
    common::choice<kNormalsNames, &ImplicitOptions::normals>(
        "implicit.normals",
        "differences along the axes, or to four corners; derivatives in one run, corners where "
        "there are none; mode = as implicit.mode has it"),
    common::param<&implicit::render::Settings::near>("implicit.near", "scene units", {1e-9, 1e6},
                                                     "near plane of eye rays"),
    common::choice<kSwitchNames, &ImplicitOptions::prune>(
        "implicit.prune", "cells leave out what min and max decide"),
    common::choice<kSwitchNames, &ImplicitOptions::smoothPrune>(
        "implicit.smooth_prune", "smooth min and max too; off needs implicit.code = masks"),
    common::choice<kSwitchNames, &ImplicitOptions::earlyDepth>(
        "implicit.early_depth", "leaves behind what is known are not traced"),
    common::choice<kCodeNames, &ImplicitOptions::compact>(
        "implicit.code",
        "what a leaf stores: a short program in register form, or a mask of the tape"),
    common::choice<kSwitchNames, &ImplicitOptions::trim>(
        "implicit.trim", "a third stage draws the box around the parts of a leaf with surface"),
    common::choice<kSwitchNames, &ImplicitOptions::frontToBack>(
        "implicit.front_to_back", "leaves are drawn from near to far; off = in the grid's order"),
    common::choice<kSwitchNames, &ImplicitOptions::exactExit>(
        "implicit.exact_exit", "a trace ends where its cuboid does; off = after its diagonal"),
    common::choice<kSwitchNames, &ImplicitOptions::frontFaces>(
        "implicit.front_faces", "faces that face the camera; off = always three"),
    common::choice<kSwitchNames, &ImplicitOptions::nearPatch>(
        "implicit.near_patch", "leaves cut by the near plane are entered there"),
    common::choice<kSwitchNames, &ImplicitOptions::carry>(
        "implicit.carry",
        "a ray goes on from where it is known to be clear; needs exact_exit and front_to_back"),
    common::choice<kSwitchNames, &ImplicitOptions::slopes>(
        "implicit.slopes",
        "objects without a Lipschitz bound: a stage finds how steep f is in each leaf, and hits "
        "are changes of sign; off = f is taken for a distance"),
    common::choice<kSwitchNames, &ImplicitOptions::lastStep>(
        "implicit.last_step", "a hit moves on by its last step, which cannot pass the surface"),
    common::choice<kSwitchNames, &ImplicitOptions::bestCandidate>(
        "implicit.best_candidate",
        "a trace that runs out of steps ends at its nearest sample within the pixel's cone"),
    common::param<&implicit::render::Settings::materials>(
        "implicit.materials", "colours of tapes (.material); off: the scene's material alone"),
};

/// Around the unit: rows of ImplicitOptions and host::ImplicitDriverConfig.
inline constexpr std::array kImplicitMemoryParams{
    common::paramAs<common::MebibyteCodec, &ImplicitOptions::memoryBytes>(
        "implicit.memory_mib", "MiB", {1, 4096},
        "the unit's memory: tapes, hulls, depth buffer, hits"),
    common::nanoseconds<&ImplicitOptions::memoryLatency>(
        "implicit.memory_ns", {0, 1e6}, "latency of a transfer from or to that memory"),
    common::param<&host::ImplicitDriverConfig::jobRays>(
        "implicit.job_rays", "rays", {1, 1'048'576},
        "rays of a list that the driver gives the unit as one job"),
};

}  // namespace rtvp::platform
