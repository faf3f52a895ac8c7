// What a user may set of THEIA's computer beside what models/theia/params.hpp has.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/param.hpp"
#include "platform/drivers/theia/driver.hpp"

namespace rtvp::platform {

/// Sets of microcode routines for eye frames (theia.md section 8).
enum class TheiaMicrocode : std::uint8_t { Original, Hits, Flat, Textured, Improved };

struct TheiaOptions {
  TheiaMicrocode microcode = TheiaMicrocode::Improved;
  bool fixedBilinear = false;
  std::string userCode;  ///< an assembly file; empty = none
};

inline constexpr std::array kMicrocodeNames{
    common::Named<TheiaMicrocode>{"original", TheiaMicrocode::Original},
    common::Named<TheiaMicrocode>{"hits", TheiaMicrocode::Hits},
    common::Named<TheiaMicrocode>{"flat", TheiaMicrocode::Flat},
    common::Named<TheiaMicrocode>{"textured", TheiaMicrocode::Textured},
    common::Named<TheiaMicrocode>{"improved", TheiaMicrocode::Improved},
};

/// Rows of TheiaOptions and host::TheiaDriverConfig.
inline constexpr std::array kTheiaParams{
    common::choice<kMicrocodeNames, &TheiaOptions::microcode>(
        "theia.microcode",
        "original = hits: the routines of 2011, which draw hits at and behind the eye; improved = "
        "textured, or flat without textures")
        .renamed("default", "original")
        .listedAfter("theia.cores"),
    common::param<&host::TheiaDriverConfig::tile>(
        "theia.tile", "pixels", {0, 1024},
        "eye rays in tiles of this side, each with its own triangle list; 0 = off")
        .listedAfter("theia.store_clocks"),
    common::param<&host::TheiaDriverConfig::boxTest>(
        "theia.box_test",
        "eye rays that pass the scene's box test no triangle; improved microcode"),
    common::param<&TheiaOptions::fixedBilinear>(
        "theia.fixed_bilinear",
        "original microcode: no exchange of two texels in the texture filter")
        .listedAfter("theia.strict_isa"),
    common::param<&TheiaOptions::userCode>(
        "theia.user_code", "THEIA assembly whose entry points replace those of the microcode set")
        .listedAfter("theia.honour_pixel_shader_slot"),
};

}  // namespace rtvp::platform
