// What a user may set of the THEIA unit.
#pragma once

#include <array>

#include "models/common/param_time.hpp"
#include "models/theia/theia_unit.hpp"

namespace rtvp::theia {

inline constexpr std::array kArbiterNames{
    common::Named<ArbiterOrder>{"ascending", ArbiterOrder::Ascending},
    common::Named<ArbiterOrder>{"descending", ArbiterOrder::Descending},
};

inline constexpr std::array kUnitParams{
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::cores>(
        "theia.cores", {}, {1, 16},
        "cores and texture banks: 1, 2, 4, 8 or 16; the height must divide by them"),
    common::clockParam<&TheiaUnitConfig::period>("theia.clock_hz", {1e6, 1e10},
                                                 "clock of the unit; the original names none"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::storeTriangles>(
        "theia.store_triangles", "triangles", {0, 16383},
        "triangle store on the chip: these are streamed once a frame (original: 0)"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::storeClocks>(
        "theia.store_clocks", "clocks", {1, 77}, "what a triangle from the store costs"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::core, &CoreConfig::alu,
                  &AluProfile::exactMath>(
        "theia.exact_math", "DIV and MAG of the generations before: true root, 31-bit quotient"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::core, &CoreConfig::alu,
                  &AluProfile::exactDivideClocks>(
        "theia.exact_divide_clocks", "clocks", {4, 70},
        "of exact_math's divider when it iterates; its law is not recorded"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::core, &CoreConfig::alu,
                  &AluProfile::strictIsa>(
        "theia.strict_isa",
        "the manual's reading where the hardware differs: jumps, swizzles, INTP, MULP"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::core, &CoreConfig::honourPixelShaderSlot>(
        "theia.honour_pixel_shader_slot",
        "a call of the ROM's pixel shader goes through the entry table"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::core, &CoreConfig::outputWords>(
        "theia.output_words", "words", {1024, 16777216},
        "output memory of a core; larger pictures are drawn in bands"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::textureWords>(
        "theia.texture_words", "words", {1024, 16777216},
        "texture memory, all banks; bounds a batch of shadow and secondary rays"),
    common::choice<kArbiterNames, &TheiaUnitConfig::gpu, &GpuConfig::arbiterOrder>(
        "theia.arbiter", "which way the texture arbiters' pointers walk over the cores"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::arbiterTiming, &ArbiterTiming::service>(
        "theia.arbiter_service_clocks", "clocks", {1, 64}, "a texture arbiter's grant to the data"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::arbiterTiming, &ArbiterTiming::hold>(
        "theia.arbiter_hold_clocks", "clocks", {1, 64},
        "its grant until the pointer moves on; 1 gives the measured mean of TMREAD"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::registerClocks>(
        "theia.register_clocks", "clocks", {1, 64},
        "a register write of the host port; a triangle is seven"),
    common::param<&TheiaUnitConfig::gpu, &GpuConfig::instructionClocks>(
        "theia.instruction_clocks", "clocks", {1, 64}, "an instruction write of the host port"),
};

}  // namespace rtvp::theia
