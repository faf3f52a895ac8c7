// Whoever runs cores instead of the GPU: a debugger.
#pragma once

#include "models/theia/core.hpp"

namespace rtvp::theia {

class CoreControl {
 public:
  virtual ~CoreControl() = default;
  /// As Core::run(), of a routine that began at GPU clock `began`: the core's stop, never
  /// Stop::Place. Whatever this does in between must leave words and clocks alone. May throw to end
  /// the run.
  virtual Stop run(Core& core, Clock began) = 0;
};

}  // namespace rtvp::theia
