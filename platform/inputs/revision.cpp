// See revision.hpp.
#include "platform/inputs/revision.hpp"

namespace rtvp::platform {

const char* sourceRevision() {
  return
#include "revision.inc"  // written by cmake/revision.cmake
      ;
}

}  // namespace rtvp::platform
