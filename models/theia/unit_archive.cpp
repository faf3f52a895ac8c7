// State of the GPU on its bus as bytes, and back.
#include "models/common/core/state.hpp"
#include "models/theia/theia_unit.hpp"

namespace rtvp::theia {

bool TheiaUnit::quiescent() const {
  return edges_.empty() && !gpu_.fault();
}

void TheiaUnit::state(common::StateArchive& a) {
  a(gpu_, file_, now_, hdl_, rcommit_, transactions_, errors_, main_clocks_, frames_, offers_,
    pixels_);
}

}  // namespace rtvp::theia
