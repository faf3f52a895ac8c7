// The golden renderer as a machine without hardware: double precision on this computer.
#include <memory>

#include "platform/machines/kinds.hpp"
#include "platform/reference/reference_finder.hpp"
#include "platform/reference/seed_finder.hpp"

namespace rtvp::platform {
namespace {

constexpr MachineInfo kInfo{.name = "reference",
                            .help = "double precision, no machine",
                            .primitives = {.triangles = true, .spheres = true, .functions = true},
                            .hardware = false,
                            .rule1996 = true};

class Reference final : public Machine {
 public:
  using Machine::Machine;

  void prepare(const Job& job) override {
    if (job.options.seedCompat) {
      finder_ = std::make_unique<reference::SeedFinder>(job.scene);
    } else {
      finder_ = std::make_unique<reference::ReferenceFinder>(job.scene);
    }
  }
  void start(host::HostBus& /*bus*/) override {}
  [[nodiscard]] host::HitFinder* finder() override { return finder_.get(); }

 private:
  std::unique_ptr<host::HitFinder> finder_;
};

}  // namespace

const MachineKind& referenceKind() {
  static const KindOf<Reference, kInfo> kKind;
  return kKind;
}

}  // namespace rtvp::platform
