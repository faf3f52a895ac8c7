// The kernels for one instruction set (avx512). Compiled with this instruction set's flags; nothing
// but the table leaves the file.
#include "models/common/elementary.hpp"
#include "models/sl/batch/kernel_tables.hpp"
#include "models/sl/math_constants.hpp"

namespace rtvp::sl::batch::avx512 {
namespace {

#include "models/sl/batch/kernels_body.hpp"

}  // namespace

const Kernels& table() {
  return kTable;
}

}  // namespace rtvp::sl::batch::avx512
