/* The mailbox between a host and a driver program on the hart, and how the program begins.
 *
 * Protocol: the first post is the address of a block of parameters, below; every later one that of a
 * descriptor. Each is reported once, with an error code, 0 if there was none.
 */
#ifndef MAILBOX_H
#define MAILBOX_H

#include "xphmg_rt.h"

/* Mailbox registers: 8-byte accesses. */
#define MAILBOX ((volatile uint64_t *)0x200f0000)
enum { MAILBOX_TAKE = 1, MAILBOX_CODE = 2, MAILBOX_DONE = 3 };

/* Registers of unit 0 that have no CSR number. */
#define UNIT ((volatile uint64_t *)0x20000000)
enum { UNIT_ERR_TICKET = 0x98 / 8, UNIT_QUEUE = 0xa0 / 8, UNIT_CONTROL = 0xb8 / 8 };

/* What the host asks of the unit's registers, and what the unit made of it. */
struct parameters {
  uint64_t precision_mode; /* CAP.PREC.MODE with APPLY */
  uint64_t domain;         /* CAP.XMEM.DOM */
  uint64_t streaming;      /* CAP.XMEM.SPROF1 */
  uint64_t rtcfg;
  uint64_t precision_status; /* answer: CAP.PREC.STAT */
};

/* Lets the mailbox's interrupt end WFI. Interrupts stay disabled in mstatus: no handler is needed. */
static inline void mailbox_open(void) {
  const uint64_t external = 1u << 11;
  __asm__ volatile("csrs mie, %0" : : "r"(external));
}

/* The next post; 0: there is none. */
static inline uint64_t mailbox_take(void) { return MAILBOX[MAILBOX_TAKE]; }

static inline uint64_t mailbox_take_or_sleep(void) {
  for (;;) {
    const uint64_t post = mailbox_take();
    if (post != 0) return post;
    __asm__ volatile("wfi" ::: "memory");
  }
}

static inline void mailbox_report(uint64_t address, uint64_t code) {
  MAILBOX[MAILBOX_CODE] = code;
  __asm__ volatile("fence" ::: "memory");
  MAILBOX[MAILBOX_DONE] = address;
}

static inline void configure(struct parameters *p) {
  UNIT[UNIT_CONTROL] = 1; /* whatever was there before */
  XPHMG_CSR_WRITE(0x7d0, p->precision_mode);
  XPHMG_CSR_WRITE(0x7e6, p->domain);
  XPHMG_CSR_WRITE(0x7e9, p->streaming);
  XPHMG_CSR_WRITE(0x8a0, p->rtcfg);
  p->precision_status = XPHMG_CSR_READ(0x7d2);
  mailbox_report((uint64_t)p, 0);
}

#endif
