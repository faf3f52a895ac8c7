// The host's vector operations, for the kernels whose instruction set has written ones.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif
