// The tables of kernels, one per translation unit that an instruction set gets.
#pragma once

#include "models/implicit/registers/batch/kernels.hpp"

namespace rtvp::implicit::registers::batch {

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

}  // namespace rtvp::implicit::registers::batch
