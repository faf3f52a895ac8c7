/* What the benchmark programs share. Each has one function, and the sum that it must come to: the
 * same source, compiled for the host, printed it (cc -O2 -DHOST -ffp-contract=off NAME.c -lm). */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef HOST
#include <stdio.h>
#define BENCH(work, expected)                                \
  int main(void) {                                           \
    printf("0x%llx\n", (unsigned long long)(work)());        \
    return 0;                                                \
  }
#else
#define BENCH(work, expected) \
  int main(void) { return (work)() != (expected); }

/* The compiler may ask for these. */
void *memset(void *to, int value, size_t size) {
  unsigned char *bytes = to;
  while (size-- > 0) *bytes++ = (unsigned char)value;
  return to;
}
void *memcpy(void *to, const void *from, size_t size) {
  unsigned char *bytes = to;
  const unsigned char *source = from;
  while (size-- > 0) *bytes++ = *source++;
  return to;
}
#endif

static inline uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

#endif
