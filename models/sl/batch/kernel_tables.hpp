// The tables of kernels, one per translation unit that an instruction set gets.
#pragma once

#include "models/sl/batch/kernels.hpp"

namespace rtvp::sl::batch {

namespace baseline {
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

}  // namespace rtvp::sl::batch
