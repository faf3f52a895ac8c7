/* Eratosthenes' sieve over bytes: loads and stores at strides, branches that are mostly foretold. */
#include "bench.h"

enum { kRounds = 150, kLimit = 200000 };

static uint64_t work(void) {
  static uint8_t composite[kLimit];
  uint64_t sum = 0;
  for (uint32_t round = 0; round < kRounds; ++round) {
    for (uint32_t n = 0; n < kLimit; ++n) composite[n] = 0;
    for (uint32_t n = 2; n < kLimit; ++n) {
      if (composite[n]) continue;
      sum = sum * 31 + n + round;
      for (uint64_t m = (uint64_t)n * n; m < kLimit; m += n) composite[m] = 1;
    }
  }
  return sum;
}

BENCH(work, 0x6ab58db6659f17cau)
