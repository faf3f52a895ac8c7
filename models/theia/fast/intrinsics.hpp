// The host's vector intrinsics, where it has some.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif
