// The golden renderer as a machine without hardware: double precision on this computer.
#include <array>
#include <memory>

#include "platform/machines/kinds.hpp"
#include "platform/reference/reference_finder.hpp"
#include "platform/reference/seed_finder.hpp"

namespace rtvp::platform {
namespace {

constexpr std::array<Cost, 3> kCosts{
    {{Measure::Tests, "", "triangles, spheres and surfaces of the leaves that the ray enters"},
     {Measure::BoxTests, "", "the root's box and both boxes below a node that the ray enters"},
     {Measure::NodeVisits, "",
      "nodes of the reference's tree that the ray enters, leaves included"}}};

constexpr MachineInfo kInfo{
    .name = "reference",
    .help = "double precision, no machine",
    .primitives = {.triangles = true, .spheres = true, .functions = true},
    .hardware = false,
    .rule1996 = true,
    .costs = kCosts,
    .uncounted =
        "cycles, instructions, bytes: it is no machine and has no time; evaluations: it "
        "bounds f over intervals, as no machine does"};

/// The 1996 rule: no tree, every ray meets everything.
class ChargedSeedFinder final : public host::HitFinder {
 public:
  ChargedSeedFinder(const scene::Scene& scene, CostAccount& costs)
      : finder_(scene), elements_(scene.elements.size()), costs_(costs) {}
  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override {
    finder_.trace(rays, hits);
    for (const host::Ray& ray : rays) costs_.charge(ray.pixel, Measure::Tests, elements_);
  }

 private:
  reference::SeedFinder finder_;
  std::uint64_t elements_;
  CostAccount& costs_;
};

class Reference final : public Machine {
 public:
  using Machine::Machine;

  void prepare(const Job& job) override {
    if (job.options.seedCompat && job.costs != nullptr) {
      finder_ = std::make_unique<ChargedSeedFinder>(job.scene, *job.costs);
      for (const Measure none : {Measure::BoxTests, Measure::NodeVisits}) {
        job.costs->withdraw(none, std::string(infoOf(none).title) + ": the 1996 rule has no tree");
      }
    } else if (job.options.seedCompat) {
      finder_ = std::make_unique<reference::SeedFinder>(job.scene);
    } else {
      finder_ = treeFinder(job);
    }
  }
  void start(host::HostBus& /*bus*/) override {}
  [[nodiscard]] host::HitFinder* finder() override { return finder_.get(); }

 private:
  static std::unique_ptr<host::HitFinder> treeFinder(const Job& job) {
    auto finder = std::make_unique<reference::ReferenceFinder>(
        job.scene, reference::ReferenceFinder::Mode::Bvh, job.threads);
    if (job.costs != nullptr) {
      finder->setObserver(
          [costs = job.costs](const host::Ray& ray, const reference::WalkCounts& n) {
            costs->charge(ray.pixel, Measure::Tests, n.elements);
            costs->charge(ray.pixel, Measure::BoxTests, n.boxes);
            costs->charge(ray.pixel, Measure::NodeVisits, n.nodes);
          });
    }
    return finder;
  }

  std::unique_ptr<host::HitFinder> finder_;
};

}  // namespace

const MachineKind& referenceKind() {
  static const KindOf<Reference, kInfo> kKind;
  return kKind;
}

}  // namespace rtvp::platform
