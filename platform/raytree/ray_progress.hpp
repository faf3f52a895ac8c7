// How far a ray tree is: rays answered, and how many there will be, guessed at first and learned
// from what came of the rays so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "platform/scene/scene.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::host {

/// Rays of all kinds that are answered, and all that there will be as far as is known.
using ProgressFn = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Rays that a machine has answered since the run began.
using AnsweredFn = std::function<void(std::uint64_t rays)>;

class RayProgress {
 public:
  /// For a tree of `eyeRays` rays and paths of at most `depth` rays. The first guess of what comes
  /// of them: most rays hit something, and of the hits as many reflect or let light through as
  /// there are such elements. Copies nothing of the scene. `sink` may be empty.
  RayProgress(const scene::Scene& scene, int depth, std::uint64_t eyeRays, ProgressFn sink);

  /// Nothing will come of the eye rays.
  void eyeRaysOnly() { shadows_.first = children_.first = 0; }

  // ---- of the tree; `generation`: 0 = eye rays
  /// Rays go to the machines.
  void begin(std::size_t generation, std::uint64_t rays);
  /// They are answered, and this has come of them.
  void followed(std::size_t generation, std::uint64_t rays, std::uint64_t shadows,
                std::uint64_t children);
  /// So many of those shadow rays are not sent: the light is behind the surface.
  void unsent(std::uint64_t shadows);
  /// Shadow rays are answered.
  void shadows(std::uint64_t rays);

  // ---- of a machine that knows
  /// Rays that it has answered so far, perhaps some that the tree has not asked for yet.
  void machine(std::uint64_t rays);

  /// For checkpoints, between two batches.
  void state(common::StateArchive& a);
  [[nodiscard]] std::uint64_t done() const;
  /// Never below done().
  [[nodiscard]] std::uint64_t total() const;

 private:
  /// What comes of a ray: measured, as soon as there is something.
  struct Rate {
    double first = 0;  ///< guess
    double seen = 0, of = 0;
    [[nodiscard]] double value() const { return of > 0 ? seen / of : first; }
  };
  /// Rays that a ray of each generation stands for, with all that comes of it.
  [[nodiscard]] std::vector<double> worth() const;
  [[nodiscard]] double toCome() const;
  void tell() const;

  ProgressFn sink_;
  Rate shadows_, children_;
  double eyeLeft_;
  std::vector<double> queued_, flying_;  ///< by generation
  double shadowsDue_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t ahead_ = 0;  ///< by the machine's count, beyond answered_
};

}  // namespace rtvp::host
