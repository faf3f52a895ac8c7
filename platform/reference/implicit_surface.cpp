// See implicit_surface.hpp.
#include "platform/reference/implicit_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace rtvp::reference {
namespace {

using implicit::Bounds;
using scene::Vec3;

constexpr int kDepth = 5;                      // 32 cells along each axis
constexpr std::size_t kFewEnough = 8;          // clauses that need no further pruning
constexpr int kLeastDepth = 3;                 // but cells this small at least
constexpr double kResolution = 1e-5;           // of the diagonal: shortest span looked into
constexpr double kUndefinedResolution = 1e-3;  // the same where f may have no value
constexpr double kPrecision = 1e-9;            // of the diagonal: of a hit

float below(double x) {
  return std::nextafter(static_cast<float>(x), -std::numeric_limits<float>::infinity());
}
float above(double x) {
  return std::nextafter(static_cast<float>(x), std::numeric_limits<float>::infinity());
}

Bounds around(const Vec3& a, const Vec3& b) {
  Bounds box;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    box.min[k] = below(std::min(a[axis], b[axis]));
    box.max[k] = above(std::max(a[axis], b[axis]));
  }
  return box;
}

bool mayChange(const implicit::Interval& range) {
  return range.undefined || !(range.lo > 0 || range.hi < 0);
}

}  // namespace

ImplicitSurface::ImplicitSurface(const scene::Implicit& object)
    : object_(object), diagonal_(length(object.hi - object.lo)) {
  cells_.push_back({around(object.lo, object.hi), 0, 0, *object.model->program});
  divide(0, 0);
}

void ImplicitSurface::divide(std::uint32_t number, int depth) {
  if (depth == kDepth ||
      (depth >= kLeastDepth && cells_[number].program.clauses().size() <= kFewEnough)) {
    return;
  }
  const Cell parent = cells_[number];
  const auto first = static_cast<std::uint32_t>(cells_.size());
  for (unsigned octant = 0; octant < 8; ++octant) {
    Bounds box = parent.box;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const float middle = box.min[axis] + (box.max[axis] - box.min[axis]) * 0.5F;
      ((octant >> axis & 1U) != 0 ? box.min : box.max)[axis] = middle;
    }
    implicit::registers::IntervalResult range = implicit::registers::prune(parent.program, box);
    if (mayChange(range.value)) cells_.push_back({box, 0, 0, std::move(range.program)});
  }
  const auto end = static_cast<std::uint32_t>(cells_.size());
  cells_[number].first = first;
  cells_[number].count = end - first;
  // A cell in which nothing remained is a leaf without spans: it keeps count 0, and its own range
  // is looked into again, to the same end.
  for (std::uint32_t cell = first; cell < end; ++cell) divide(cell, depth + 1);
}

std::optional<double> ImplicitSurface::hit(const host::Ray& ray, double limit) const {
  const Line line{object_.placement.toObject(ray.origin),
                  object_.placement.directionToObject(ray.direction)};
  const std::optional<Span> span = clip(line, cells_[0].box, {0, limit});
  if (!span) return std::nullopt;
  const bool cut = inside(line, span->from);
  // Where the box cuts through the inside, its face is the surface.
  if (cut && span->from > 0) return span->from;
  if (const auto t = walk(0, line, *span); t && *t > 0 && *t <= limit) return t;
  if (inside(line, span->to) && span->to < limit) return span->to;
  return std::nullopt;
}

std::optional<ImplicitSurface::Span> ImplicitSurface::clip(const Line& line, const Bounds& box,
                                                           Span span) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    const double d = line.direction[axis];
    const double o = line.origin[axis];
    if (d == 0) {
      if (o < double{box.min[k]} || o > double{box.max[k]}) return std::nullopt;
      continue;
    }
    const double a = (double{box.min[k]} - o) / d;
    const double b = (double{box.max[k]} - o) / d;
    span.from = std::max(span.from, std::min(a, b));
    span.to = std::min(span.to, std::max(a, b));
  }
  if (!(span.from <= span.to)) return std::nullopt;
  return span;
}

std::optional<double> ImplicitSurface::walk(std::uint32_t number, const Line& line,
                                            Span span) const {
  const Cell& cell = cells_[number];
  if (cell.count == 0) return change(cell, line, span);
  struct Entry {
    Span span;
    std::uint32_t cell;
  };
  std::array<Entry, 8> entries{};
  std::size_t count = 0;
  for (std::uint32_t k = cell.first; k < cell.first + cell.count; ++k) {
    const auto part = clip(line, cells_[k].box, span);
    if (!part) continue;
    std::size_t place = count++;
    for (; place > 0 && entries[place - 1].span.from > part->from; --place) {
      entries[place] = entries[place - 1];
    }
    entries[place] = {*part, k};
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto t = walk(entries[i].cell, line, entries[i].span)) return t;
  }
  return std::nullopt;
}

/// The first change of side within the span, which lies in the leaf.
std::optional<double> ImplicitSurface::change(const Cell& leaf, const Line& line, Span span) const {
  const Bounds box = around(line.at(span.from), line.at(span.to));
  const implicit::Interval range = implicit::registers::evaluate(leaf.program, box);
  if (!mayChange(range)) return std::nullopt;
  const double span_length = length(line.direction) * (span.to - span.from);
  if (span_length <= (range.undefined ? kUndefinedResolution : kResolution) * diagonal_) {
    if (inside(line, span.from) == inside(line, span.to)) return std::nullopt;
    return bisect(line, span);
  }
  const double middle = span.from + (span.to - span.from) / 2;
  if (const auto t = change(leaf, line, {span.from, middle})) return t;
  return change(leaf, line, {middle, span.to});
}

double ImplicitSurface::bisect(const Line& line, Span span) const {
  const bool start = inside(line, span.from);
  const double enough = kPrecision * diagonal_ / length(line.direction);
  while (span.to - span.from > enough) {
    const double middle = span.from + (span.to - span.from) / 2;
    if (!(middle > span.from && middle < span.to)) break;
    (inside(line, middle) == start ? span.from : span.to) = middle;
  }
  return span.to;
}

/// A point without a value is outside: a domain error is no surface.
bool ImplicitSurface::inside(const Line& line, double t) const {
  return object_.model->value(line.at(t)) <= 0;
}

}  // namespace rtvp::reference
