// The tables of kernels, one per translation unit that an instruction set gets.
#pragma once

#include "models/c32/simt/kernels.hpp"

namespace rtvp::c32::simt {

namespace scalar {
const Kernels& table();
}
namespace sse42 {
const Kernels& table();
}
namespace avx2 {
const Kernels& table();
}
namespace avx512 {
const Kernels& table();
}

}  // namespace rtvp::c32::simt
