// The kernels of an instruction set.
#include "models/implicit/registers/batch/kernels.hpp"

#include "models/implicit/registers/batch/kernel_tables.hpp"

namespace rtvp::implicit::registers::batch {

const Kernels& kernels(common::Isa isa) {
#if defined(RTVP_X86_KERNELS)
  switch (isa) {
    case common::Isa::Scalar:
      break;
    case common::Isa::Sse42:
      return sse42::table();
    case common::Isa::Avx2:
      return avx2::table();
    case common::Isa::Avx512:
      return avx512::table();
  }
#else
  (void)isa;
#endif
  return scalar::table();
}

}  // namespace rtvp::implicit::registers::batch
