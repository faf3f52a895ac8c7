// Which instruction set so many lanes use.
#include "models/c32/simt/kernels.hpp"

namespace rtvp::c32::simt {

Isa bestIsa(unsigned lanes) {
  if (lanes > 4 && isaUsable(Isa::Avx512)) return Isa::Avx512;
  if (lanes > 2 && isaUsable(Isa::Avx2)) return Isa::Avx2;
  return isaUsable(Isa::Sse42) ? Isa::Sse42 : Isa::Scalar;
}

const Kernels& kernelsFor(Isa isa, unsigned lanes) {
  const bool narrow = isa == Isa::Avx512 && lanes <= 4 && isaUsable(Isa::Avx2);
  return kernels(narrow ? Isa::Avx2 : isa);
}

}  // namespace rtvp::c32::simt
