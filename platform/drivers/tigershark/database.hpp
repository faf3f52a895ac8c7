// Object database of the TigerSHARK board: a scene as pages of records that the firmware walks
// (protocol.hpp).
//
// A page is a tree of its own: a root box, then boxes, triangles and spheres in preorder, each box
// with the address of the record behind its contents, then a terminator. Scenes larger than a page
// become several pages of neighbouring subtrees (TS-046); several boards share the elements
// (TS-051).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "platform/drivers/tigershark/records.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

/// How to build. Costs are the firmware's measured H1 cycles (firmware/tigershark/README.md); they
/// decide where a box saves more tests than it costs.
struct DatabaseOptions {
  std::uint32_t baseAddress = 0;  ///< SRAM word address of a page's first record
  std::uint32_t pageWords = 0;    ///< capacity of the page area
  bool vote = true;               ///< false: no boxes, every ray meets every element (brute force)
  int boards = 1;                 ///< elements are dealt to this many boards
  unsigned maxLeaf = 8;           ///< most elements in one leaf, 1..256
  double boxCycles = 56;          ///< a box record: test, barrier, vote
  double triangleCycles = 63;     ///< most are missed by every node: 60; a hit costs 101
  double sphereCycles = 50;       ///< 34 missed, 91 hit
  double beam = 0.01;  ///< width of a batch's bundle of rays in scene diagonals: what a box test
                       ///< must not miss grows by it
  scene::Vec3 origin;  ///< scene point that the machine calls (0, 0, 0), see machineOrigin()
  /// Records of the user's own, for every surface f = 0 of the scene; null: there are none.
  /// Outlives the building.
  const RecordLayout* records = nullptr;
};

/// Where the machine's coordinates count from. Its numbers have 24 bits: a scene far from (0, 0, 0)
/// compared to its own size would lose its shape, so there the host counts from the centre of the
/// bounds. (0, 0, 0) for every other scene.
[[nodiscard]] scene::Vec3 machineOrigin(const scene::Scene& scene);

struct Database {
  struct Page {
    std::vector<std::uint32_t> words;
    std::uint32_t elements = 0;
    std::uint32_t boxes = 0;
  };
  std::vector<Page>
      pages;  ///< at least one; a board without elements has a page with a terminator only

  struct Statistics {
    std::uint64_t words = 0;  ///< all pages, terminators included
    std::uint32_t triangles = 0;
    std::uint32_t spheres = 0;
    std::uint32_t declared = 0;  ///< records of the user's own
    std::uint32_t boxes = 0;
    std::uint64_t binned = 0;   ///< elements put into bins, once an axis
    std::uint64_t cuts = 0;     ///< nodes for which a cut was looked for
    double widening = 0;        ///< by how much each box was widened on each side
    double expectedCycles = 0;  ///< of one random ray through the root box, by the cost model
  } statistics;
};

/// Fewest words a page may have: a root box, a leaf's box, one full leaf, the terminator and the
/// word behind it, which the firmware reads and ignores (a page never fills the last word of its
/// area).
[[nodiscard]] std::uint32_t minimumPageWords(const DatabaseOptions& options);

/// One database per board. Deterministic. Throws std::invalid_argument when an option is out of
/// range, the page area is smaller than minimumPageWords(), the scene has 2^30 elements or more
/// (2^24 with records of the user's own) or a surface f = 0 for which none is declared.
[[nodiscard]] std::vector<Database> buildDatabases(const scene::Scene& scene,
                                                   const DatabaseOptions& options);

/// What an independent walk of pages found.
struct PageCheck {
  std::string
      error;  ///< empty: every rule of protocol.hpp is kept; otherwise page, address and rule
  std::uint32_t triangles = 0;
  std::uint32_t spheres = 0;
  std::uint32_t declared = 0;
  std::uint32_t boxes = 0;
  std::vector<std::uint32_t> elements;  ///< sorted, repeated if a page or two hold an element twice
};

/// Walks pages as the firmware does and checks record types, skip links (forward, nested, on a
/// record), that each triangle and sphere lies inside every box around it, and the terminator.
/// Never reads outside a page. `records`: what else may be there, or null.
[[nodiscard]] PageCheck validatePages(std::span<const Database::Page> pages,
                                      std::uint32_t baseAddress,
                                      const RecordLayout* records = nullptr);

}  // namespace rtvp::host
