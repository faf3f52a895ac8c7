// The host's vector operations, for the kernels whose instruction set has written ones.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif
