// The kernels for one instruction set (sse42). Compiled with this instruction set's flags; nothing
// but the table leaves the file.
#include <immintrin.h>

#include "models/c32/simt/kernel_tables.hpp"

namespace rtvp::c32::simt::sse42 {
namespace {

#include "models/c32/simt/vec_sse42.hpp"
// The kernels come after their Vec.
#include "models/c32/simt/kernels_body.hpp"

}  // namespace

const Kernels& table() {
  return kTable;
}

}  // namespace rtvp::c32::simt::sse42
