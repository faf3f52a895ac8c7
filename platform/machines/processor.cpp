// See processor.hpp.
#include "platform/machines/processor.hpp"

#include <cmath>

#include "models/common/contention_params.hpp"
#include "platform/machines/processor_params.hpp"

namespace rtvp::platform {
namespace {

using host::Work;

// By the number of the kind: additions, products, divisions, roots, powers, conversions, accesses,
// integers. Counted in the sources that docs/processor.md names; what a loop does not change is
// counted as moved out of it.
constexpr std::array<Operations, host::kWorkKinds> kOperations = {{
    {15, 14, 2, 1, 0, 3, 30, 15},        // eye_ray
    {15, 19, 1, 1, 0, 0, 38, 10},        // secondary_ray
    {22, 18, 1, 2, 0, 0, 20, 10},        // light
    {11, 24, 1, 0, 1, 0, 26, 10},        // shadow_ray
    {0, 0, 0, 0, 0, 0, 40, 12},          // order_ray
    {12, 9, 0, 0, 0, 3, 16, 20},         // merge_hit
    {54, 66, 4, 2, 0, 0, 80, 30},        // surface
    {95, 131, 5, 1, 0, 0, 250, 60},      // shading_point
    {3, 1, 0, 0, 0, 1, 3, 8},            // encode_word
    {1, 1, 0, 0, 0, 1, 3, 6},            // decode_word
    {30, 36, 2, 2, 1, 0, 60, 20},        // tessellate
    {60, 40, 0, 0, 0, 0, 40, 20},        // project_triangle
    {13, 3, 0, 0, 0, 1, 24, 8},          // bin_triangle
    {1080, 360, 3, 0, 0, 0, 1260, 360},  // tree_node
    {26, 6, 9, 0, 0, 0, 14, 8},          // tile_test
    {0, 0, 0, 0, 0, 0, 3, 3},            // tile_entry
    {},                                  // copy_byte
    {},                                  // submit
    {},                                  // interrupt
}};

constexpr std::array<ProcessorProfile, 3> kProfiles = {{
    {"none", 1e9, {}},
    {"pentium133", 133e6, {3, 3, 39, 70, 200, 6, 1.5, 1}, 3.3, 400, 1600},
    {"modern", 4e9, {1, 1, 8, 12, 100, 2, 1, 0.5}, 0.25, 1000, 8000},
}};

}  // namespace

const Operations& operationsOf(Work kind) {
  return kOperations[static_cast<std::size_t>(kind)];
}

std::span<const ProcessorProfile> processorProfiles() {
  return kProfiles;
}

double cyclesOf(const ProcessorProfile& profile, Work kind) {
  switch (kind) {
    case Work::CopyByte:
      return profile.copyByte;
    case Work::Submit:
      return profile.submit;
    case Work::Interrupt:
      return profile.interrupt;
    default:
      break;
  }
  const Operations& n = operationsOf(kind);
  const Operations& each = profile.cycles;
  return n.additions * each.additions + n.products * each.products + n.divisions * each.divisions +
         n.roots * each.roots + n.powers * each.powers + n.conversions * each.conversions +
         n.accesses * each.accesses + n.integers * each.integers;
}

host::WorkCosts workCosts(const Settings& settings) {
  const auto options = settings.read<ProcessorOptions>(kProcessorParams, kWorkParams);
  const ProcessorProfile& profile = kProfiles[static_cast<std::size_t>(options.profile)];
  host::WorkCosts costs;
  costs.port.widthBytes = options.uploadWidth;
  costs.port.periodPs =
      settings.read<common::ContentionConfig>(common::kContentionParams).bus.periodPs;
  costs.clockHz = options.clockHz > 0 ? options.clockHz : profile.clockHz;
  for (std::size_t kind = 0; kind < host::kWorkKinds; ++kind) {
    const double own = options.ns[kind];
    const double ns =
        own >= 0 ? own : cyclesOf(profile, static_cast<Work>(kind)) * 1e9 / costs.clockHz;
    costs.ps[kind] = static_cast<std::uint64_t>(std::llround(ns * 1000));
  }
  return costs;
}

}  // namespace rtvp::platform
