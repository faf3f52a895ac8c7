/* Double precision: five bodies that attract each other (products, square roots, divisions, memory)
 * and a polynomial. */
#include "bench.h"

enum { kSteps = 60000, kBodies = 5, kTerms = 1000000 };

struct body {
  double x[3], v[3], mass;
};

static double root(double x) {
#ifdef HOST
  return __builtin_sqrt(x);
#else
  double y;
  __asm__("fsqrt.d %0, %1" : "=f"(y) : "f"(x));
  return y;
#endif
}

static void step(struct body *bodies, double dt) {
  for (int i = 0; i < kBodies; ++i) {
    for (int j = i + 1; j < kBodies; ++j) {
      struct body *a = &bodies[i], *b = &bodies[j];
      double d[3], square = 0;
      for (int k = 0; k < 3; ++k) {
        d[k] = a->x[k] - b->x[k];
        square += d[k] * d[k];
      }
      const double pull = dt / (square * root(square));
      for (int k = 0; k < 3; ++k) {
        a->v[k] -= d[k] * b->mass * pull;
        b->v[k] += d[k] * a->mass * pull;
      }
    }
  }
  for (int i = 0; i < kBodies; ++i) {
    for (int k = 0; k < 3; ++k) bodies[i].x[k] += dt * bodies[i].v[k];
  }
}

static uint64_t work(void) {
  static struct body bodies[kBodies];
  for (int i = 0; i < kBodies; ++i) {
    for (int k = 0; k < 3; ++k) {
      bodies[i].x[k] = i * (k + 1) - 1.5 * k;
      bodies[i].v[k] = 0.05 * ((i + k) % 3 - 1);
    }
    bodies[i].mass = 1.0 / (i + 1);
  }
  for (int n = 0; n < kSteps; ++n) step(bodies, 0.001);
  double sum = 0;
  for (int i = 1; i <= kTerms; ++i) {
    const double x = (double)i * (1.0 / kTerms);
    sum += ((((x * 0.2 + 1.5) * x - 0.7) * x + 3.1) * x - 1.9) * x + 0.3;
  }
  for (int i = 0; i < kBodies; ++i) sum += bodies[i].x[0] * bodies[i].v[1];
  union {
    double number;
    uint64_t bits;
  } result = {sum};
  return result.bits;
}

BENCH(work, 0x412087c5ef7b0faeu)
