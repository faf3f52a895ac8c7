// Lights of formats whose light falls off with distance, for a model in which it does not.
#pragma once

#include <vector>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// Collects the lights of a file and adds them to the scene at its end, when its size is known.
///
/// Light of ours does not grow weaker with distance, so strengths are compared after their fall-off
/// at the centre of the scene; then all are scaled alike, so that together they light a surface at
/// the centre once (sum of the largest channels 1.2). The kMost strongest are kept.
class ImportedLights {
 public:
  /// `strength`: linear, at distance 1.
  void addPoint(const Vec3& position, const Vec3& strength);
  /// From where `direction` points at, `strength` everywhere.
  void addDistant(const Vec3& direction, const Vec3& strength);
  [[nodiscard]] bool empty() const { return lights_.empty(); }
  /// `file`: whose lights they are, for the warning that says what was done to them.
  void place(Builder& builder, const TextFile& file);

  static constexpr std::size_t kMost = 16;

 private:
  struct Imported {
    Vec3 place;  // or direction
    Vec3 strength;
    bool distant = false;
  };
  std::vector<Imported> lights_;
};

}  // namespace rtvp::scene
