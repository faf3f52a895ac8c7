// The kernels for one instruction set (avx512). Compiled with this instruction set's flags; nothing
// but the table leaves the file.
#include <immintrin.h>

#include "models/c32/simt/kernel_tables.hpp"

namespace rtvp::c32::simt::avx512 {
namespace {

#include "models/c32/simt/vec_avx512.hpp"
// The kernels come after their Vec.
#include "models/c32/simt/kernels_body.hpp"

}  // namespace

const Kernels& table() {
  return kTable;
}

}  // namespace rtvp::c32::simt::avx512
