/* The driver of the offload queue that `platform --set xphmg.driver=hart` runs: a host puts rays and
 * descriptors into memory and posts the descriptors' addresses in a mailbox; this program hands them
 * to the unit with XSUBMIT.RT, several at a time, waits for them in order with XFENCE.WAIT, and
 * reports each to the host.
 *
 * Protocol: the first post is the address of a block of parameters, below; every later one that of a
 * descriptor. Each is reported with an error code, 0 if there was none. The program never ends.
 */
#include "xphmg_rt.h"

/* Mailbox registers: 8-byte accesses. */
#define MAILBOX ((volatile uint64_t *)0x200f0000)
enum { POST = 0, TAKE = 1, CODE = 2, DONE = 3 };

/* Registers of unit 0 that have no CSR number. */
#define UNIT ((volatile uint64_t *)0x20000000)
enum { ERR_TICKET = 0x98 / 8, QUEUE = 0xa0 / 8, CONTROL = 0xb8 / 8 };

/* What the host asks of the unit's registers, and what the unit made of it. */
struct parameters {
  uint64_t precision_mode; /* CAP.PREC.MODE with APPLY */
  uint64_t domain;         /* CAP.XMEM.DOM */
  uint64_t streaming;      /* CAP.XMEM.SPROF1 */
  uint64_t rtcfg;
  uint64_t precision_status; /* answer: CAP.PREC.STAT */
};

/* Jobs with the unit, oldest first: a ring. */
enum { kMost = 64 };
static struct {
  uint64_t ticket, descriptor;
} flight[kMost];
static unsigned oldest, in_flight;

static void report(uint64_t address, uint64_t code) {
  MAILBOX[CODE] = code;
  __asm__ volatile("fence" ::: "memory");
  MAILBOX[DONE] = address;
}

/* LAST_EC, bits 7:2 of RTSTAT. */
static uint64_t last_error(void) { return XPHMG_CSR_READ(0x8a1) >> 2 & 0x3f; }

/* The next post; 0: there is none. */
static uint64_t take(void) { return MAILBOX[TAKE]; }

/* Sleeps until the mailbox asks for attention. Interrupts stay disabled in mstatus: WFI ends when
 * one is pending, and no handler is needed. */
static uint64_t take_or_sleep(void) {
  for (;;) {
    const uint64_t post = take();
    if (post != 0) return post;
    __asm__ volatile("wfi" ::: "memory");
  }
}

static void configure(struct parameters *p) {
  UNIT[CONTROL] = 1; /* whatever was there before */
  XPHMG_CSR_WRITE(0x7d0, p->precision_mode);
  XPHMG_CSR_WRITE(0x7e6, p->domain);
  XPHMG_CSR_WRITE(0x7e9, p->streaming);
  XPHMG_CSR_WRITE(0x8a0, p->rtcfg);
  p->precision_status = XPHMG_CSR_READ(0x7d2);
  report((uint64_t)p, 0);
}

static void submit(uint64_t descriptor) {
  if (descriptor % 8 != 0) { /* would trap */
    report(descriptor, 1);
    return;
  }
  const uint64_t ticket = xphmg_submit((const xphmg_desc *)descriptor);
  if (ticket == 0) { /* refused */
    report(descriptor, last_error());
    return;
  }
  const unsigned place = (oldest + in_flight++) % kMost;
  flight[place].ticket = ticket;
  flight[place].descriptor = descriptor;
}

/* Waits for the oldest job. LAST_EC belongs to the last job that failed, ERR_TICKET names it. */
static void finish_oldest(void) {
  const uint64_t ticket = flight[oldest].ticket;
  xphmg_wait(ticket);
  const uint64_t failed = UNIT[ERR_TICKET];
  report(flight[oldest].descriptor, failed == ticket ? last_error() : 0);
  oldest = (oldest + 1) % kMost;
  --in_flight;
}

int main(void) {
  const uint64_t external = 1u << 11;
  __asm__ volatile("csrs mie, %0" : : "r"(external));
  configure((struct parameters *)take_or_sleep());
  /* A full queue would hold the hart at the submit instruction; the reports would come late. */
  uint64_t places = UNIT[QUEUE] & 0xffff;
  if (places > kMost) places = kMost;
  for (;;) {
    uint64_t post;
    while (in_flight < places && (post = take()) != 0) submit(post);
    if (in_flight > 0) {
      finish_oldest();
    } else {
      submit(take_or_sleep());
    }
  }
}
