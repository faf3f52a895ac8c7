// The kernels of an instruction set.
#include "models/c32/simt/kernels.hpp"

#include "models/c32/simt/kernel_tables.hpp"

namespace rtvp::c32::simt {

Isa bestIsa(unsigned lanes) {
  if (lanes > 4 && isaUsable(Isa::Avx512)) return Isa::Avx512;
  if (lanes > 2 && isaUsable(Isa::Avx2)) return Isa::Avx2;
  return isaUsable(Isa::Sse42) ? Isa::Sse42 : Isa::Scalar;
}

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
  return scalar::table();
}

const Kernels& kernelsFor(Isa isa, unsigned lanes) {
  const bool narrow = isa == Isa::Avx512 && lanes <= 4 && isaUsable(Isa::Avx2);
  return kernels(narrow ? Isa::Avx2 : isa);
}

}  // namespace rtvp::c32::simt
