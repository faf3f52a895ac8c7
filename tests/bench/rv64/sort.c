/* Random numbers sorted twice: by partition with insertion for short pieces, and by a heap.
 * Branches that nobody foretells, calls, recursion. */
#include "bench.h"

enum { kRounds = 24, kCount = 40000, kShort = 12 };

static void insertion_sort(int32_t *v, int count) {
  for (int i = 1; i < count; ++i) {
    const int32_t x = v[i];
    int j = i;
    for (; j > 0 && v[j - 1] > x; --j) v[j] = v[j - 1];
    v[j] = x;
  }
}

static __attribute__((noinline)) void quick_sort(int32_t *v, int count) {
  while (count > kShort) {
    const int32_t a = v[0], b = v[count / 2], c = v[count - 1];
    const int32_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
    int i = 0, j = count - 1;
    while (i <= j) {
      while (v[i] < pivot) ++i;
      while (v[j] > pivot) --j;
      if (i > j) break;
      const int32_t t = v[i];
      v[i++] = v[j];
      v[j--] = t;
    }
    quick_sort(v, j + 1);
    v += i;
    count -= i;
  }
  insertion_sort(v, count);
}

static void sink(int32_t *v, int at, int count) {
  const int32_t x = v[at];
  for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && v[child + 1] > v[child]) ++child;
    if (v[child] <= x) break;
    v[at] = v[child];
    at = child;
  }
  v[at] = x;
}

static void heap_sort(int32_t *v, int count) {
  for (int n = count / 2; n-- > 0;) sink(v, n, count);
  while (--count > 0) {
    const int32_t t = v[0];
    v[0] = v[count];
    v[count] = t;
    sink(v, 0, count);
  }
}

static uint64_t work(void) {
  static int32_t v[kCount];
  uint64_t sum = 0;
  uint32_t random = 1;
  for (int round = 0; round < kRounds; ++round) {
    for (int n = 0; n < kCount; ++n) v[n] = (int32_t)next_random(&random) - 0x800000;
    if (round % 2 == 0) {
      quick_sort(v, kCount);
    } else {
      heap_sort(v, kCount);
    }
    for (int n = 0; n < kCount; ++n) sum = sum * 31 + (uint32_t)v[n];
  }
  return sum;
}

BENCH(work, 0xba2cdc47cfc5b320u)
