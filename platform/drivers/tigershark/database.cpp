#include "platform/drivers/tigershark/database.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "models/c32/float40.hpp"
#include "models/tigershark/protocol.hpp"

namespace rtvp::host {
namespace {

using scene::Bounds;
using scene::Element;
using scene::Scene;
using scene::Vec3;
using tigershark::RecordType;

constexpr int kBins = 16;
constexpr int kMaxDepth =
    48;  ///< below it a node is halved by count, so that no scene makes a deep tree
constexpr double kWidening = 1.0 / 65536;  ///< of the scene diagonal, design.md section 10
/// The firmware reads the word behind a terminator before it knows what it is: it must be memory.
constexpr std::uint32_t kEndReserve = tigershark::kEndWords + 1;

std::uint32_t header(RecordType type, std::uint32_t element) {
  return static_cast<std::uint32_t>(type) << tigershark::kRecordTypeShift | element;
}

/// Largest single word not above x, within an ulp; and the smallest not below.
std::uint32_t singleBelow(double x) {
  const std::uint32_t word = c32::singleFromDouble(x);
  return c32::doubleFromSingle(word) <= x ? word
                                          : c32::singleFromDouble(x - std::ldexp(std::abs(x), -22));
}
std::uint32_t singleAbove(double x) {
  const std::uint32_t word = c32::singleFromDouble(x);
  return c32::doubleFromSingle(word) >= x ? word
                                          : c32::singleFromDouble(x + std::ldexp(std::abs(x), -22));
}

/// The declared record of a surface f = 0, which checkOptions() has seen to.
const DeclaredRecord& declaredType(const Scene& scene, const Element& element,
                                   const DatabaseOptions& options) {
  return *options.records->find(scene.implicits[element.index]);
}

std::uint32_t elementWords(const Scene& scene, const Element& element,
                           const DatabaseOptions& options) {
  switch (element.kind) {
    case Element::Kind::Triangle:
      return tigershark::kTriangleWords;
    case Element::Kind::Sphere:
      return tigershark::kSphereWords;
    case Element::Kind::Implicit:
      break;
  }
  return declaredType(scene, element, options).size();
}

double elementCycles(const Scene& scene, const Element& element, const DatabaseOptions& options) {
  switch (element.kind) {
    case Element::Kind::Triangle:
      return options.triangleCycles;
    case Element::Kind::Sphere:
      return options.sphereCycles;
    case Element::Kind::Implicit:
      break;
  }
  return declaredType(scene, element, options).cycles;
}

Bounds elementBounds(const Scene& scene, const Element& element, const DatabaseOptions& options) {
  Bounds box = scene.bounds(element);
  if (element.kind != Element::Kind::Implicit) return box;
  const double margin = declaredType(scene, element, options).margin;
  box.lo += Vec3{-margin, -margin, -margin};
  box.hi += Vec3{margin, margin, margin};
  return box;
}

/// A binary tree over elements; a leaf owns a range of Tree::order.
struct Node {
  Bounds bounds;
  std::size_t first = 0;
  std::size_t count = 0;
  int left = -1;  ///< -1: leaf
  int right = -1;
  double inside = 0;        ///< expected cycles once a ray is known to meet the box
  std::uint64_t words = 0;  ///< with every box kept
};

class Tree {
 public:
  Tree(const Scene& scene, const DatabaseOptions& options, std::vector<std::uint32_t> elements)
      : scene_(scene), options_(options), order_(std::move(elements)) {
    const Bounds all = scene.bounds();
    beam_ = all.diagonal() * options.beam;
    bounds_.reserve(scene.elements.size());
    for (const Element& e : scene.elements) bounds_.push_back(elementBounds(scene, e, options));
    if (!order_.empty()) root_ = build(0, order_.size(), 0);
  }

  [[nodiscard]] int root() const { return root_; }
  /// What it took to build it.
  void countWork(Database::Statistics& statistics) const {
    statistics.binned += binned_;
    statistics.cuts += cuts_;
  }
  [[nodiscard]] const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool leaf(int i) const { return node(i).left < 0; }
  [[nodiscard]] std::span<const std::uint32_t> elements(int i) const {
    return std::span(order_).subspan(node(i).first, node(i).count);
  }
  /// Chance that a bundle that meets `outer` meets `inner`, which lies in it.
  [[nodiscard]] double chance(const Bounds& inner, const Bounds& outer) const {
    const double whole = area(outer);
    return whole > 0 ? std::min(1.0, area(inner) / whole) : 1.0;
  }
  /// Does a box around node `i` inside `outer` save more than it costs?
  [[nodiscard]] bool boxPays(int i, const Bounds& outer) const {
    return options_.boxCycles < (1 - chance(node(i).bounds, outer)) * node(i).inside;
  }

 private:
  struct Split {
    int axis = -1;
    double position = 0;
    double cost = 0;
  };

  [[nodiscard]] double cycles(std::uint32_t element) const {
    return elementCycles(scene_, scene_.elements[element], options_);
  }
  [[nodiscard]] Vec3 centre(std::uint32_t element) const {
    return (bounds_[element].lo + bounds_[element].hi) * 0.5;
  }
  [[nodiscard]] double area(const Bounds& b) const {
    if (b.empty()) return 0;
    const Vec3 d = b.hi - b.lo + Vec3{beam_, beam_, beam_};
    return d.x * d.y + d.y * d.z + d.z * d.x;
  }

  int build(std::size_t first, std::size_t count, int depth);
  [[nodiscard]] Split bestSplit(std::size_t first, std::size_t count, const Bounds& box,
                                const Bounds& centres) const;
  [[nodiscard]] Split bestOnAxis(std::size_t first, std::size_t count, const Bounds& box,
                                 const Bounds& centres, int axis) const;
  std::size_t halve(std::size_t first, std::size_t count, const Bounds& centres);

  const Scene& scene_;
  const DatabaseOptions& options_;
  std::vector<std::uint32_t> order_;
  std::vector<Bounds> bounds_;
  std::vector<Node> nodes_;
  double beam_ = 0;
  int root_ = -1;
  std::uint64_t binned_ = 0, cuts_ = 0;
};

Tree::Split Tree::bestOnAxis(std::size_t first, std::size_t count, const Bounds& box,
                             const Bounds& centres, int axis) const {
  const double lo = centres.lo[axis];
  const double extent = centres.hi[axis] - lo;
  if (!(extent > 0)) return {};
  struct Bin {
    Bounds bounds;
    double cycles = 0;
  };
  std::array<Bin, kBins> bins{};
  for (std::size_t i = first; i < first + count; ++i) {
    const double place = (centre(order_[i])[axis] - lo) / extent * kBins;
    Bin& bin = bins[static_cast<std::size_t>(std::clamp(place, 0.0, kBins - 1.0))];
    bin.bounds.include(bounds_[order_[i]]);
    bin.cycles += cycles(order_[i]);
  }
  std::array<Bin, kBins> above{};
  Bin sum;
  for (std::size_t i = kBins - 1; i > 0; --i) {
    sum.bounds.include(bins[i].bounds);
    sum.cycles += bins[i].cycles;
    above[i] = sum;
  }
  Split best;
  Bin below;
  const double whole = area(box);
  for (std::size_t i = 1; i < kBins; ++i) {
    below.bounds.include(bins[i - 1].bounds);
    below.cycles += bins[i - 1].cycles;
    if (below.cycles <= 0 || above[i].cycles <= 0) continue;
    const double cost =
        2 * options_.boxCycles +
        (area(below.bounds) * below.cycles + area(above[i].bounds) * above[i].cycles) / whole;
    if (best.axis < 0 || cost < best.cost)
      best = {axis, lo + extent * static_cast<double>(i) / kBins, cost};
  }
  return best;
}

Tree::Split Tree::bestSplit(std::size_t first, std::size_t count, const Bounds& box,
                            const Bounds& centres) const {
  Split best;
  for (int axis = 0; axis < 3; ++axis) {
    const Split split = bestOnAxis(first, count, box, centres, axis);
    if (split.axis >= 0 && (best.axis < 0 || split.cost < best.cost)) best = split;
  }
  return best;
}

/// Halves by count along the longest axis of the centres; ties go by element number.
std::size_t Tree::halve(std::size_t first, std::size_t count, const Bounds& centres) {
  const Vec3 d = centres.hi - centres.lo;
  const int axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto middle = begin + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(begin, middle, begin + static_cast<std::ptrdiff_t>(count),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return std::tuple(centre(a)[axis], a) < std::tuple(centre(b)[axis], b);
                   });
  return first + count / 2;
}

int Tree::build(std::size_t first, std::size_t count, int depth) {
  const auto self = nodes_.size();
  nodes_.emplace_back();
  Node result;
  result.first = first;
  result.count = count;
  Bounds centres;
  double all = 0;
  std::uint64_t words = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    result.bounds.include(bounds_[order_[i]]);
    centres.include(centre(order_[i]));
    all += cycles(order_[i]);
    words += elementWords(scene_, scene_.elements[order_[i]], options_);
  }
  const bool cut = depth < kMaxDepth && count > 1;
  const Split split = cut ? bestSplit(first, count, result.bounds, centres) : Split{};
  cuts_ += cut ? 1U : 0U;
  binned_ += cut ? 3 * count : 0U;
  const bool asLeaf =
      count == 1 || (count <= options_.maxLeaf && (split.axis < 0 || split.cost >= all));
  if (asLeaf) {
    // Elements of a leaf in file order: the same picture gives the same bytes whatever the split
    // left behind.
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(first),
              order_.begin() + static_cast<std::ptrdiff_t>(first + count));
    result.inside = all;
    result.words = words + tigershark::kBoxWords;
    nodes_[self] = result;
    return static_cast<int>(self);
  }
  std::size_t middle = 0;
  if (split.axis >= 0) {
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto at = std::stable_partition(
        begin, begin + static_cast<std::ptrdiff_t>(count),
        [&](std::uint32_t e) { return centre(e)[split.axis] < split.position; });
    middle = static_cast<std::size_t>(at - order_.begin());
  }
  if (middle <= first || middle >= first + count) middle = halve(first, count, centres);
  result.left = build(first, middle - first, depth + 1);
  result.right = build(middle, first + count - middle, depth + 1);
  result.words = tigershark::kBoxWords;
  for (const int child : {result.left, result.right}) {
    const Node& c = node(child);
    result.words += c.words;
    result.inside +=
        std::min(c.inside, options_.boxCycles + chance(c.bounds, result.bounds) * c.inside);
  }
  nodes_[self] = result;
  return static_cast<int>(self);
}

/// Writes the records of one page.
class PageWriter {
 public:
  PageWriter(const Scene& scene, const DatabaseOptions& options, double widening,
             Database::Statistics& statistics)
      : scene_(scene), options_(options), widening_(widening), statistics_(statistics) {}

  void element(std::uint32_t number) {
    const Element& e = scene_.elements[number];
    if (e.kind == Element::Kind::Triangle) {
      const auto& v = scene_.triangles[e.index].v;
      put(header(RecordType::Triangle, number));
      put(v[0] - options_.origin);
      put(v[1] - v[0]);
      put(v[2] - v[0]);
      ++statistics_.triangles;
    } else if (e.kind == Element::Kind::Implicit) {
      declared(number, scene_.implicits[e.index]);
    } else {
      const scene::Sphere& s = scene_.spheres[e.index];
      put(header(RecordType::Sphere, number));
      put(s.center - options_.origin);
      page_.words.push_back(c32::singleFromDouble(s.radius * s.radius));
      ++statistics_.spheres;
    }
    ++page_.elements;
  }

  /// Returns the place of the skip link, for close().
  std::size_t open(const Bounds& box) {
    put(header(RecordType::Box, 0));
    for (int axis = 0; axis < 3; ++axis) {
      page_.words.push_back(singleBelow(box.lo[axis] - options_.origin[axis] - widening_));
      page_.words.push_back(singleAbove(box.hi[axis] - options_.origin[axis] + widening_));
    }
    put(0);
    ++page_.boxes;
    ++statistics_.boxes;
    return page_.words.size() - 1;
  }
  void close(std::size_t link) {
    page_.words[link] = options_.baseAddress + static_cast<std::uint32_t>(page_.words.size());
  }

  void subtree(const Tree& tree, int index, const Bounds& outer) {
    const Node& node = tree.node(index);
    const bool boxed = tree.boxPays(index, outer);
    const std::size_t link = boxed ? open(node.bounds) : 0;
    if (tree.leaf(index)) {
      for (const std::uint32_t e : tree.elements(index)) element(e);
    } else {
      subtree(tree, node.left, boxed ? node.bounds : outer);
      subtree(tree, node.right, boxed ? node.bounds : outer);
    }
    if (boxed) close(link);
  }

  [[nodiscard]] std::size_t size() const { return page_.words.size(); }
  Database::Page finish() {
    put(header(RecordType::End, 0));
    statistics_.words += page_.words.size();
    return std::exchange(page_, {});
  }

 private:
  void declared(std::uint32_t number, const scene::Implicit& surface) {
    const DeclaredRecord& type = *options_.records->find(surface);
    const std::uint32_t here =
        options_.baseAddress + static_cast<std::uint32_t>(page_.words.size());
    for (const std::uint32_t word :
         encodeRecord(type, {surface, number, options_.origin, here, here + type.size()})) {
      put(word);
    }
    ++statistics_.declared;
  }
  void put(std::uint32_t word) { page_.words.push_back(word); }
  void put(const Vec3& v) {
    for (int axis = 0; axis < 3; ++axis) page_.words.push_back(c32::singleFromDouble(v[axis]));
  }

  const Scene& scene_;
  const DatabaseOptions& options_;
  double widening_;
  Database::Statistics& statistics_;
  Database::Page page_;
};

/// Subtrees small enough for a page, in preorder.
void cutIntoPieces(const Tree& tree, int index, std::uint64_t capacity, std::vector<int>& pieces) {
  if (tree.node(index).words <= capacity || tree.leaf(index)) {
    pieces.push_back(index);
    return;
  }
  cutIntoPieces(tree, tree.node(index).left, capacity, pieces);
  cutIntoPieces(tree, tree.node(index).right, capacity, pieces);
}

void writeTreePages(const Tree& tree, PageWriter& writer, Database& database,
                    const DatabaseOptions& options) {
  const std::uint64_t capacity = options.pageWords - tigershark::kBoxWords - kEndReserve;
  std::vector<int> pieces;
  cutIntoPieces(tree, tree.root(), capacity, pieces);
  for (std::size_t first = 0; first < pieces.size();) {
    std::uint64_t words = 0;
    std::size_t last = first;
    Bounds box;
    while (last < pieces.size() && words + tree.node(pieces[last]).words <= capacity) {
      words += tree.node(pieces[last]).words;
      box.include(tree.node(pieces[last]).bounds);
      ++last;
    }
    const std::size_t link = writer.open(box);
    for (; first < last; ++first) {
      // A single subtree fills the page: its own box is the root box, and the box test in subtree()
      // leaves it out.
      writer.subtree(tree, pieces[first], box);
      database.statistics.expectedCycles += tree.node(pieces[first]).inside;
    }
    writer.close(link);
    database.pages.push_back(writer.finish());
    database.statistics.expectedCycles += options.boxCycles;
  }
}

void writeFlatPages(const Scene& scene, std::span<const std::uint32_t> elements, PageWriter& writer,
                    Database& database, const DatabaseOptions& options) {
  for (const std::uint32_t e : elements) {
    if (writer.size() + elementWords(scene, scene.elements[e], options) + kEndReserve >
        options.pageWords) {
      database.pages.push_back(writer.finish());
    }
    writer.element(e);
    database.statistics.expectedCycles += elementCycles(scene, scene.elements[e], options);
  }
  database.pages.push_back(writer.finish());
}

/// Leaves in preorder are dealt to the boards like cards, so that every board has its share of
/// every region and none waits long for another.
std::vector<std::vector<std::uint32_t>> deal(const Scene& scene, const DatabaseOptions& options,
                                             Database::Statistics& work) {
  std::vector<std::uint32_t> all(scene.elements.size());
  std::iota(all.begin(), all.end(), 0U);
  const auto boards = static_cast<std::size_t>(options.boards);
  if (boards == 1) return {std::move(all)};
  std::vector<std::vector<std::uint32_t>> hands(boards);
  if (all.empty()) return hands;
  const Tree tree(scene, options, std::move(all));
  tree.countWork(work);
  std::size_t next = 0;
  std::vector<int> stack{tree.root()};
  while (!stack.empty()) {
    const int index = stack.back();
    stack.pop_back();
    if (!tree.leaf(index)) {
      stack.push_back(tree.node(index).right);
      stack.push_back(tree.node(index).left);
      continue;
    }
    for (const std::uint32_t e : tree.elements(index)) hands[next].push_back(e);
    next = (next + 1) % boards;
  }
  for (auto& hand : hands) std::sort(hand.begin(), hand.end());
  return hands;
}

void checkOptions(const Scene& scene, const DatabaseOptions& options) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (options.boards < 1) throw std::invalid_argument("database: at least one board");
  if (options.maxLeaf < 1 || options.maxLeaf > 256)
    throw std::invalid_argument("database: leaf of 1..256 elements");
  if (!positive(options.boxCycles) || !positive(options.triangleCycles) ||
      !positive(options.sphereCycles)) {
    throw std::invalid_argument("database: costs must be positive");
  }
  if (!(options.beam >= 0 && options.beam <= 1))
    throw std::invalid_argument("database: beam must lie in 0..1");
  if (options.pageWords < minimumPageWords(options)) {
    throw std::invalid_argument("database: a page needs at least " +
                                std::to_string(minimumPageWords(options)) + " words, " +
                                std::to_string(options.pageWords) + " are free");
  }
  if (std::uint64_t{options.baseAddress} + options.pageWords > 0x1000000) {
    throw std::invalid_argument("database: the page area ends beyond the 24-bit address space");
  }
  if (scene.elements.size() > tigershark::kElementMask) {
    throw std::invalid_argument("database: element numbers have 30 bits");
  }
  if (scene.implicits.empty()) return;
  if (scene.elements.size() > kDeclaredElementMask) {
    throw std::invalid_argument("database: element numbers of declared records have 24 bits");
  }
  for (const scene::Implicit& surface : scene.implicits) {
    if (options.records == nullptr || options.records->find(surface) == nullptr) {
      throw std::invalid_argument("database: no record is declared for a surface of the scene");
    }
  }
}

}  // namespace

scene::Vec3 machineOrigin(const Scene& scene) {
  constexpr double kFar = 8;  // scene diagonals: three of the 24 bits
  const Bounds bounds = scene.bounds();
  if (bounds.empty()) return {};
  const Vec3 centre = (bounds.lo + bounds.hi) * 0.5;
  return length(centre) > kFar * bounds.diagonal() ? centre : Vec3{};
}

std::uint32_t minimumPageWords(const DatabaseOptions& options) {
  const std::uint32_t declared = options.records != nullptr ? options.records->largest() : 0;
  return 2 * tigershark::kBoxWords +
         options.maxLeaf * std::max(tigershark::kTriangleWords, declared) + kEndReserve;
}

std::vector<Database> buildDatabases(const Scene& scene, const DatabaseOptions& options) {
  checkOptions(scene, options);
  std::vector<Database> databases;
  Database::Statistics dealing;
  for (auto& hand : deal(scene, options, dealing)) {
    Database database;
    if (databases.empty()) database.statistics = dealing;
    database.statistics.widening = scene.bounds().diagonal() * kWidening;
    PageWriter writer(scene, options, database.statistics.widening, database.statistics);
    if (!options.vote || hand.empty()) {
      writeFlatPages(scene, hand, writer, database, options);
    } else {
      const Tree tree(scene, options, std::move(hand));
      tree.countWork(database.statistics);
      writeTreePages(tree, writer, database, options);
    }
    databases.push_back(std::move(database));
  }
  return databases;
}

}  // namespace rtvp::host
