// The kernels for one instruction set (avx2). Compiled with this instruction set's flags; nothing
// but the table leaves the file.
#include "models/implicit/arithmetic.hpp"
#include "models/implicit/elementary.hpp"
#include "models/implicit/range_arithmetic.hpp"
#include "models/implicit/registers/batch/kernel_tables.hpp"

namespace rtvp::implicit::registers::batch::avx2 {
namespace {

using Lanes = range::Vectors4;

#include "models/implicit/registers/batch/kernels_body.hpp"

}  // namespace

const Kernels& table() {
  return kTable;
}

}  // namespace rtvp::implicit::registers::batch::avx2
