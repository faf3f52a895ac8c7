#include "models/common/core/version.hpp"

namespace rtvp::common {

const char* version() {
  return RTVP_VERSION;  // given to this source by CMakeLists.txt
}

}  // namespace rtvp::common
