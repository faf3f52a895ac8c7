// The kernels for one instruction set (scalar). No vector instructions: the fallback.
#include "models/c32/simt/kernel_tables.hpp"

namespace rtvp::c32::simt::scalar {
namespace {

#include "models/c32/simt/vec_scalar.hpp"
// The kernels come after their Vec.
#include "models/c32/simt/kernels_body.hpp"

}  // namespace

const Kernels& table() {
  return kTable;
}

}  // namespace rtvp::c32::simt::scalar
