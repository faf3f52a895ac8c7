// One ray of a list over all objects, one after the other, evaluation by evaluation: whoever drives
// it evaluates f where it is due, alone (traceRay()) or side by side with that of other rays
// (RayBatch). Private to the render stages.
#pragma once

#include <optional>

#include "models/implicit/render/pipeline.hpp"

namespace rtvp::implicit::render {

/// The cells of the leaf lattice along a ray, in order.
class LatticeWalk {
 public:
  /// `span` is that of the ray within the bounds, from its start; not empty. The hull must outlive
  /// the walk.
  LatticeWalk(const Hull& hull, const ObjectRay& ray, Span span);

  [[nodiscard]] std::uint32_t leaf() const {
    return hull_->leafAt(static_cast<unsigned>(at_[0]), static_cast<unsigned>(at_[1]),
                         static_cast<unsigned>(at_[2]));
  }
  /// The ray's part in the cell.
  [[nodiscard]] Span span() const { return {t_, std::min(next_[axis()], end_)}; }
  /// False: the ray has left the lattice, or the span.
  bool step();

 private:
  [[nodiscard]] double plane(unsigned n, unsigned index) const { return hull_->planes[n][index]; }
  [[nodiscard]] double crossing(unsigned n) const;
  [[nodiscard]] unsigned axis() const {
    const unsigned low = next_[1] < next_[0] ? 1 : 0;
    return next_[2] < next_[low] ? 2 : low;
  }

  const Hull* hull_;
  Vec origin_, direction_;
  double end_, t_;
  std::array<int, 3> at_{};
  std::array<double, 3> next_{};
};

/// Keeps the nearest hit.
class RayPass {
 public:
  /// What the ray waits for.
  enum class Due : std::uint8_t {
    Side,      ///< f of the whole tape at point()
    Trace,     ///< tracer() at its end
    Gradient,  ///< f with its derivatives at point()
    Normal,    ///< f at the corners of stencil()
    Nothing,   ///< the ray is done
  };

  /// All of these must outlive it; `target` is the ray's number in events.
  RayPass(std::span<const Placed> objects, const Settings& settings, Counters& counters,
          Observer& observer, const WorldRay& ray, std::uint32_t target)
      : pipeline_(settings, counters, observer),
        objects_(objects),
        world_(ray),
        target_(target),
        nearest_(ray.tmax) {}
  RayPass(const RayPass&) = delete;
  RayPass& operator=(const RayPass&) = delete;

  /// Goes to the first evaluation that is due.
  void start();
  [[nodiscard]] Due due() const { return due_; }
  /// What is due: with its code, for sample 0.
  [[nodiscard]] Evaluation evaluation() const;
  /// Its code alone.
  [[nodiscard]] const Code* code() const;
  [[nodiscard]] std::array<float, 3> point() const { return singleOf(point_); }
  Tracer& tracer() { return *tracer_; }
  [[nodiscard]] const NormalStencil& stencil() const { return stencil_; }

  // What was due has been found; the ray goes on to what is due next.
  void takeSide(float f);
  void traced();
  void takeGradient(const registers::Gradient& gradient);
  void takeNormal(const std::array<float, 4>& f);

  [[nodiscard]] const HitRecord& record() const { return record_; }

 private:
  [[nodiscard]] const Placed& placed() const { return objects_[object_]; }
  void nextObject();
  bool enterObject();
  void askSide(Due what, const Vec& point);
  void chooseSide(double f);
  bool enterCells();
  bool walkCells(bool step);
  void openLeaf(std::uint32_t leaf, const Span& span);
  bool closeLeaf();
  void shade();
  void takeNormal(const Vec& normal);
  void finish();

  Pipeline pipeline_;
  std::span<const Placed> objects_;
  WorldRay world_;
  std::uint32_t target_;
  Due due_ = Due::Nothing;
  Vec point_{};
  HitRecord record_;

  // In the object at hand.
  std::uint32_t object_ = 0;
  double scale_ = 1;
  ObjectRay ray_;
  Span span_;
  Walk walk_;
  bool ahead_ = false;  ///< the second side evaluation is due: f a little further
  double side_value_ = 0;
  std::optional<LatticeWalk> cells_;
  std::uint32_t leaf_ = 0;
  std::optional<Tracer> tracer_;

  // The nearest hit.
  float nearest_;
  bool hit_ = false;
  std::uint32_t hit_object_ = 0, hit_leaf_ = 0;
  ObjectRay hit_ray_;
  double hit_t_ = 0;
  NormalStencil stencil_;
};

}  // namespace rtvp::implicit::render
