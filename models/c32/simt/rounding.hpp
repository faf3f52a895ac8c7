// Host rounding mode "down" for as long as an object lives. The exactness proofs of the vector
// arithmetic need it; nothing outside the engine may see it, because a coroutine switch does not
// save it (performance.md 8.2). Hence also RoundNearest for callbacks.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace rtvp::c32::simt {

#if defined(__SSE2__)
/// MXCSR only: the x87 unit is not used, and fesetround would change it too.
class RoundDown {
 public:
  RoundDown() : saved_(_mm_getcsr()) { _mm_setcsr((saved_ & ~0x6000u) | 0x2000u); }
  ~RoundDown() { _mm_setcsr(saved_); }
  RoundDown(const RoundDown&) = delete;
  RoundDown& operator=(const RoundDown&) = delete;

 private:
  unsigned saved_;
};

/// The default mode inside a RoundDown: around a callback.
class RoundNearest {
 public:
  RoundNearest() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ & ~0x6000u); }
  ~RoundNearest() { _mm_setcsr(saved_); }
  RoundNearest(const RoundNearest&) = delete;
  RoundNearest& operator=(const RoundNearest&) = delete;

 private:
  unsigned saved_;
};
#else
template <int Mode>
class RoundingMode {
 public:
  RoundingMode() : saved_(std::fegetround()) { std::fesetround(Mode); }
  ~RoundingMode() { std::fesetround(saved_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int saved_;
};
using RoundDown = RoundingMode<FE_DOWNWARD>;
using RoundNearest = RoundingMode<FE_TONEAREST>;
#endif

}  // namespace rtvp::c32::simt
