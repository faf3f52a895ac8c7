/* The hart's console. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdint.h>

#define CONSOLE_DATA ((volatile uint8_t *)0x20100000)

static inline void put_text(const char *text) {
  while (*text) *CONSOLE_DATA = (uint8_t)*text++;
}

static inline void put_number(uint64_t n) {
  if (n >= 10) put_number(n / 10);
  *CONSOLE_DATA = (uint8_t)('0' + n % 10);
}

/* Three digits after the point; for numbers that fit. */
static inline void put_float(float value) {
  if (value < 0) {
    put_text("-");
    value = -value;
  }
  const uint64_t thousandths = (uint64_t)(value * 1000.0f + 0.5f);
  put_number(thousandths / 1000);
  put_text(".");
  *CONSOLE_DATA = (uint8_t)('0' + thousandths / 100 % 10);
  *CONSOLE_DATA = (uint8_t)('0' + thousandths / 10 % 10);
  *CONSOLE_DATA = (uint8_t)('0' + thousandths % 10);
}

#endif
