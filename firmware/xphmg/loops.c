/* Two loops that measure the hart: integers and bytes as Dhrystone mixes them (arithmetic, calls,
 * string copies and comparisons, branches), and double precision (a Horner polynomial, divisions and
 * square roots). The counters must agree with what was executed: each loop reports instructions and
 * cycles, and the program fails if a cycle is not an instruction.
 *
 * The exit code is 0, or 1 when a checksum or a counter is wrong. */
#include "console.h"

enum { kRounds = 200000 };

/* The same code compiled for another machine gives these; -ffp-contract=off makes them portable. */
#define INTEGER_SUM 352972584u
#define DOUBLE_SUM 0x411e115ee0961057u

static uint64_t instret(void) {
  uint64_t n;
  __asm__ volatile("csrr %0, instret" : "=r"(n));
  return n;
}
static uint64_t cycles(void) {
  uint64_t n;
  __asm__ volatile("csrr %0, cycle" : "=r"(n));
  return n;
}

struct record {
  struct record *next;
  int discriminator, component, integer;
  char text[32];
};

static char *copy(char *to, const char *from) {
  char *out = to;
  while ((*out++ = *from++) != 0) {
  }
  return to;
}

static int compare(const char *a, const char *b) {
  while (*a != 0 && *a == *b) {
    ++a;
    ++b;
  }
  return *a - *b;
}

static __attribute__((noinline)) int step(struct record *r, int i) {
  r->next->integer = r->integer + (i & 7);
  r->next->component = r->component * 3 + i;
  if (r->next->component & 1) r->next->discriminator ^= i;
  copy(r->next->text, (i & 1) ? "DHRYSTONE-LIKE, 1ST STRING" : "DHRYSTONE-LIKE, 2ND STRING");
  return compare(r->text, r->next->text) < 0 ? r->next->integer : r->next->discriminator;
}

static uint32_t integer_loop(void) {
  static struct record a, b;
  a.next = &b;
  b.next = &a;
  uint32_t sum = 0;
  for (int i = 0; i < kRounds / 2; ++i) {
    sum = sum * 31 + (uint32_t)step(&a, i);
    sum = sum * 31 + (uint32_t)step(&b, i + 1);
  }
  return sum;
}

static double root(double x) {
  double y;
  __asm__("fsqrt.d %0, %1" : "=f"(y) : "f"(x));
  return y;
}

static double double_loop(void) {
  double sum = 0;
  for (int i = 1; i <= kRounds * 5; ++i) {
    const double x = (double)i * (1.0 / (kRounds * 5));
    const double p = ((((x * 0.2 + 1.5) * x - 0.7) * x + 3.1) * x - 1.9) * x + 0.3;
    sum += root(p * p + 1.0) / (x + 2.0);
  }
  return sum;
}

static int report(const char *name, uint64_t instructions, uint64_t elapsed, int good) {
  put_text(name);
  put_number(instructions);
  put_text(" instructions, ");
  put_number(elapsed);
  put_text(good ? " cycles\n" : " cycles: WRONG\n");
  return !good;
}

int main(void) {
  uint64_t i0 = instret(), c0 = cycles();
  const uint32_t integer_sum = integer_loop();
  uint64_t i1 = instret(), c1 = cycles();
  int wrong = report("integer: ", i1 - i0, c1 - c0, integer_sum == INTEGER_SUM && i1 - i0 == c1 - c0);
  i0 = instret(), c0 = cycles();
  union { double d; uint64_t u; } sum = {double_loop()};
  i1 = instret(), c1 = cycles();
  wrong |= report("double: ", i1 - i0, c1 - c0, sum.u == DOUBLE_SUM && i1 - i0 == c1 - c0);
  return wrong;
}
