// The one place that knows which machines ship.
#include "platform/machines/kinds.hpp"

namespace rtvp::platform {

const Registry& builtinMachines() {
  static const Registry kRegistry = [] {
    Registry all;
    for (const MachineKind* const kind : {&tigersharkKind(), &theiaKind(), &xphmgKind(),
                                          &implicitKind(), &referenceKind(), &slKind()}) {
      all.add(*kind);
    }
    return all;
  }();
  return kRegistry;
}

}  // namespace rtvp::platform
