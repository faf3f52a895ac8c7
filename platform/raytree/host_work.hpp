// The work that the host's processor does itself: kinds, and to whom it is told. Ray tree and
// drivers count what they do; the processor (drivers/host_process.hpp) knows what it costs
// (docs/processor.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rtvp::host {

enum class Work : std::uint8_t {
  EyeRay,
  SecondaryRay,
  Light,
  ShadowRay,
  OrderRay,
  MergeHit,
  Surface,
  ShadingPoint,
  EncodeWord,
  DecodeWord,
  Tessellate,
  ProjectTriangle,
  BinTriangle,
  TreeNode,
  TileTest,
  TileEntry,
  CopyByte,
  Submit,
  Interrupt,
};
inline constexpr std::size_t kWorkKinds = 19;

struct WorkInfo {
  std::string_view key;   ///< in options (processor.KEY_ns) and statistics
  std::string_view unit;  ///< what is counted
  std::string_view help;  ///< one of them
};

/// By the number of the kind.
inline constexpr std::array<WorkInfo, kWorkKinds> kWorkInfo = {{
    {"eye_ray", "rays", "an eye ray made: position in the picture, direction"},
    {"secondary_ray", "rays", "a mirror, refracted or shader's ray made"},
    {"light", "pairs", "a hit and a light: direction, distance, side of the surface"},
    {"shadow_ray", "rays", "a shadow ray made, and the light that it stands for"},
    {"order_ray", "rays", "an eye or secondary ray put into its place in a batch"},
    {"merge_hit", "hits", "an answer checked and its light added to the pixel"},
    {"surface", "hits", "point, normals and colour at a hit"},
    {"shading_point", "runs", "the registers that a surface program starts with"},
    {"encode_word", "words", "a word of rays, points or databases put into a machine's format"},
    {"decode_word", "words", "a word of a machine's answers read"},
    {"tessellate", "triangles", "a triangle cut from a curved or many-sided primitive"},
    {"project_triangle", "triangles", "a triangle or sphere brought into a machine's coordinates"},
    {"bin_triangle", "triangles", "an element put into a bin of one axis, to cut a tree's node"},
    {"tree_node", "nodes", "a tree's node: the best cut looked for among the bins"},
    {"tile_test", "triangles", "a triangle projected and held against a tile of the picture"},
    {"tile_entry", "entries", "an entry of a tile's list of triangles"},
    {"copy_byte", "bytes", "a byte moved between the processor's memory and the bus"},
    {"submit", "batches", "a batch, frame or page handed to a device"},
    {"interrupt", "interrupts", "an interrupt taken, its driver woken"},
}};

/// Who is told of the work, and pays for it.
class WorkMeter {
 public:
  virtual ~WorkMeter() = default;
  /// `count` pieces of work of one kind were done, or are done now: may take simulated time.
  virtual void work(Work kind, std::uint64_t count) = 0;
};

}  // namespace rtvp::host
