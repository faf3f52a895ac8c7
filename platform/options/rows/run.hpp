// Rows of the option table: what to simulate, the picture, how the scene is read.
#pragma once

#include <array>

#include "platform/options/option_table.hpp"

namespace rtvp::platform::rows {

using enum OptionType;

inline constexpr std::array kRunOptions = {
    // ---- what to simulate
    OptionSpec{
        .key = "engine",
        .type = Choice,
        .fallback = "tigershark",
        .choices = "tigershark|theia|xphmg|implicit|reference",
        .help =
            "which machine finds the hits; implicit = for scenes of implicit surfaces alone, which "
            "every other machine has the unit for; reference = double precision, no machine",
        .flag = "engine"},
    OptionSpec{
        .key = "computer.machines",
        .type = Text,
        .help = "machines on one interconnect, instead of an engine: NAME or NAME:COUNT separated "
                "by commas (tigershark:2,theia)",
        .flag = "machines"},
    OptionSpec{.key = "computer.file",
               .type = Path,
               .help = "description of a computer: its machines, their places and settings, JSON",
               .flag = "computer",
               .host = true},
    OptionSpec{
        .key = "computer.assign",
        .type = Text,
        .help = "which machine gets which rays: share, race:A,B or eye=A,shadow=B,secondary=C",
        .flag = "assign"},
    OptionSpec{.key = "computer.strands",
               .type = Integer,
               .unit = "strands",
               .fallback = "0",
               .lo = 0,
               .hi = 64,
               .help =
                   "parts of the ray tree that grow side by side, so that several machines have "
                   "rays at once; 0 = 4 with several machines that find hits, else 1"},
    OptionSpec{.key = "system.hosts",
               .type = Integer,
               .fallback = "1",
               .lo = 1,
               .hi = 64,
               .help = "host computers; the picture is divided among them, each has its own boards",
               .flag = "hosts"},
    // ---- the picture
    OptionSpec{.key = "render.size",
               .type = Size,
               .unit = "pixels",
               .fallback = "scene",
               .lo = 1,
               .hi = 16384,
               .help = "picture size",
               .flag = "size"},
    OptionSpec{.key = "render.crop",
               .type = Crop,
               .unit = "pixels",
               .fallback = "all",
               .lo = 0,
               .hi = 16384,
               .help = "render this part only; the picture keeps its perspective",
               .flag = "crop"},
    OptionSpec{.key = "render.spp",
               .type = Integer,
               .unit = "samples",
               .fallback = "1",
               .lo = 1,
               .hi = 256,
               .help = "samples a pixel",
               .flag = "spp"},
    OptionSpec{.key = "render.depth",
               .type = Integer,
               .unit = "levels",
               .fallback = "5",
               .lo = 1,
               .hi = 32,
               .help = "longest chain of rays; 1 = eye rays and their shadow rays",
               .flag = "depth"},
    OptionSpec{
        .key = "render.order",
        .type = Choice,
        .fallback = "hilbert",
        .choices = "hilbert|tiles|scanline",
        .help = "order in which eye rays reach the machine; coherent orders skip more boxes"},
    OptionSpec{.key = "render.ray_offset",
               .type = Number,
               .unit = "scene diagonals",
               .fallback = "1e-05",
               .lo = 0,
               .hi = 0.1,
               .help = "how far a secondary ray starts off the surface"},
    OptionSpec{.key = "render.shade",
               .type = Choice,
               .fallback = "host",
               .choices = "host|sl|theia|tigershark",
               .help = "who shades; surfaces with a shader: the SL unit; theia = its own microcode "
                       "writes the colours, no shadows; tigershark = its boards run the shaders, "
                       "translated to C32 code",
               .flag = "shade"},
    OptionSpec{.key = "render.seed_compat",
               .type = Flag,
               .fallback = "off",
               .help = "near threshold 0.1 and the 1996 program's edge rule, errors included",
               .flag = "seed-compat",
               .flagValue = "on"},
    // ---- how the scene is read
    OptionSpec{.key = "scene.strict",
               .type = Flag,
               .fallback = "off",
               .help = "read .shk exactly as in 1996, refuse the extensions"},
    OptionSpec{.key = "scene.segments",
               .type = Integer,
               .unit = "sides",
               .fallback = "24",
               .lo = 3,
               .hi = 1024,
               .help = "sides of a tessellated cone, cylinder or sphere"},
    OptionSpec{.key = "scene.tessellate",
               .type = Choice,
               .fallback = "needed",
               .choices = "needed|all",
               .help = "all = spheres become triangles too"},
};

}  // namespace rtvp::platform::rows
