// The kernels of an instruction set.
#include "models/sl/batch/kernels.hpp"

#include "models/sl/batch/kernel_tables.hpp"

namespace rtvp::sl::batch {

const Kernels& kernels(Isa isa) {
#if defined(RTVP_X86_KERNELS)
  switch (isa) {
    case Isa::Scalar:
      break;
    case Isa::Sse42:
      return sse42::table();
    case Isa::Avx2:
      return avx2::table();
    case Isa::Avx512:
      return avx512::table();
  }
#else
  (void)isa;
#endif
  return baseline::table();
}

}  // namespace rtvp::sl::batch
