// See traversal.hpp: what needs no memory port.
#include "models/xphmg/traversal.hpp"

#include <algorithm>
#include <bit>

namespace rtvp::xphmg {

Traversal::Traversal(const TraversalSetup& setup)
    : setup_(setup),
      layout_(tileLayout(setup.precision.elementBytes(), setup.literal88)),
      width_(setup.precision.elementBytes()),
      slab_(Ray{}),
      shear_(Ray{}) {
  const unsigned format = walk::walkOf(setup.precision.format);
  if (setup.plain || setup.literal88 || setup.precision.ftz || setup.triangleFault ||
      format == walk::kNoWalk) {
    return;
  }
  walk_ = walk::kernels(setup.isa).walk[format][setup.node8 ? 1 : 0];
  if (walk_ == nullptr) return;
  order_.heap = setup.heap;
  order_.triBase = setup.triBase;
  order_.cullBack = setup.cullBack;
  order_.anyHit = setup.anyHit;
  order_.exact = &Traversal::testExactly;
  list_.resize(walk::kMostVisits);
}

std::span<const Visit> Traversal::walk(const Ray& ray, const Window& window) {
  if (window.size == 0 || ray.ends()) return {};
  order_.window = window;
  order_.ray = reinterpret_cast<const float*>(&ray);
  order_.context = this;
  order_.tlo = setup_.epsilon == 0 ? double{ray.tmin} : lowerBound(ray.tmin, setup_.epsilon);
  sheared_ = false;
  return {list_.data(), walk_(order_, list_.data(), result_)};
}

/// For triangles of which a walk does not see at once on which side of the ray they lie.
walk::Exact Traversal::testExactly(void* self, const std::uint8_t* bytes, walk::Candidate& found) {
  Traversal& t = *static_cast<Traversal*>(self);
  if (!t.sheared_) {
    const walk::Order& order = t.order_;
    Ray ray;
    std::copy_n(order.ray, 3, ray.o.begin());
    std::copy_n(order.ray + 3, 3, ray.d.begin());
    ray.tmin = order.ray[6];
    ray.tmax = order.ray[7];
    t.shear_ = ShearRay(ray);
    t.options_ = {order.cullBack, t.setup_.edgeInclusive, order.tlo};
    t.sheared_ = true;
  }
  // A NaN raises flags, which a walk cannot take back. The origin is finite: nothing else does.
  Stickies none;
  const Triangle triangle = decodeTriangle(t.setup_.precision, bytes, none);
  if (triangle.nan) return walk::Exact::Declined;
  const TriResult hit = intersectTriangle(t.shear_, triangle, t.options_, none);
  if (!hit.hit) return walk::Exact::Missed;
  found = {hit.t, hit.u, hit.v, hit.front};
  return walk::Exact::Hit;
}

void Traversal::start(const Ray& ray) {
  result_ = {};
  visits_ = 0;
  depth_ = 0;
  if (ray.ends()) {
    result_.nanConsumed = ray.nan;
    return;
  }
  slab_ = SlabRay(ray);
  sheared_ = false;
  options_ = {setup_.cullBack, setup_.edgeInclusive, lowerBound(ray.tmin, setup_.epsilon)};
  vector_ = !setup_.plain && !setup_.literal88 && fast::suits(setup_.precision, ray);
  if (vector_) fast_.assign(slab_);
  stack_[0] = {0, ray.tmin, ChildKind::Node};
  depth_ = 1;
  result_.maxDepth = 1;
}

bool Traversal::testTile(const std::uint8_t* bytes) {
  if (!vector_) return testTilePlain(bytes);
  fast::Lanes tn;
  const unsigned boxes = fast::testTile(fast_, setup_.precision.format, bytes, tn);
  if (boxes == fast::kDeclined) return testTilePlain(bytes);
  const std::uint32_t flags = loadU32(bytes + layout_.flags);
  if ((flags & (flags >> 1U) & 0x55U) != 0) return false;
  for (unsigned left = boxes; left != 0; left &= left - 1U) {
    const unsigned c = static_cast<unsigned>(std::countr_zero(left));
    const auto kind = static_cast<ChildKind>((flags >> 2U * c) & 3U);
    if (kind == ChildKind::Empty) continue;
    const std::uint32_t index =
        c == 3 ? flags >> 8U : loadU32(bytes + layout_.indices + std::size_t{4} * c);
    found_[foundCount_++] = {index, tn.v[c], kind};
  }
  return true;
}

bool Traversal::testTilePlain(const std::uint8_t* bytes) {
  const Tile tile = decodeTile(bytes, width_, layout_);
  for (const TileChild& child : tile.child) {
    if (child.kind == ChildKind::Reserved) return false;
  }
  for (const TileChild& child : tile.child) {
    if (child.kind == ChildKind::Empty) continue;
    const Box box = decodeBox(setup_.precision, child.box, stickies_);
    result_.nanConsumed = result_.nanConsumed || box.nan;
    const SlabResult slab = intersectBox(slab_, box, stickies_);
    if (slab.hit) found_[foundCount_++] = {child.index, slab.tn, child.kind};
  }
  return true;
}

bool Traversal::pushFound() {
  if (depth_ + foundCount_ > kMaxStackDepth) return false;
  // Insertion from the last child down: of equal distances the lowest child id ends on top.
  const unsigned bottom = depth_;
  for (unsigned n = foundCount_; n-- > 0;) {
    unsigned at = depth_;
    while (at > bottom && stack_[at - 1].tn < found_[n].tn) {
      stack_[at] = stack_[at - 1];
      --at;
    }
    stack_[at] = found_[n];
    ++depth_;
  }
  if (depth_ > result_.maxDepth) result_.maxDepth = depth_;
  return true;
}

void Traversal::shear() {
  shear_ = ShearRay(slab_.ray);
  if (vector_) fastShear_.assign(shear_);
  sheared_ = true;
}

void Traversal::testTriangle(const std::uint8_t* bytes, std::uint32_t prim, std::uint32_t leaf) {
  if (setup_.triangleFault) return;
  if (!sheared_) shear();
  Triangle triangle;
  auto verdict = fast::Verdict::Unknown;
  if (vector_) verdict = fast::screen(fastShear_, setup_.precision.format, bytes, triangle);
  if (verdict == fast::Verdict::Missed || shear_.zeroDirection) return;
  if (verdict == fast::Verdict::Unknown)
    triangle = decodeTriangle(setup_.precision, bytes, stickies_);
  result_.nanConsumed = result_.nanConsumed || triangle.nan;
  const TriResult hit = intersectTriangle(shear_, triangle, options_, stickies_);
  if (hit.hit) offer(hit, prim, leaf);
}

void Traversal::offer(const TriResult& hit, std::uint32_t prim, std::uint32_t leaf) {
  TraversalResult& best = result_;
  const bool nearer =
      !best.hit || hit.t < best.t ||
      (hit.t == best.t && (prim < best.primId || (prim == best.primId && leaf < best.leafIndex)));
  if (!nearer) return;
  best.hit = true;
  best.front = hit.front;
  best.primId = prim;
  best.leafIndex = leaf;
  best.t = hit.t;
  best.u = hit.u;
  best.v = hit.v;
}

bool Traversal::fail(TraversalError error, std::uint64_t address) {
  result_.error = error;
  result_.faultAddress = address;
  depth_ = 0;
  return false;
}

}  // namespace rtvp::xphmg
