/* The driver of the offload queue that `platform --set xphmg.driver=hart` runs: a host puts rays and
 * descriptors into memory and posts the descriptors' addresses in a mailbox; this program hands them
 * to the unit with XSUBMIT.RT, several at a time, waits for them in order with XFENCE.WAIT, and
 * reports each to the host. It never ends.
 */
#include "mailbox.h"
#include "xphmg_rt.h"

/* Jobs with the unit, oldest first: a ring. */
enum { kMost = 64, kIllegal = 1 };
static struct {
  uint64_t ticket, descriptor;
} flight[kMost];
static unsigned oldest, in_flight;

/* LAST_EC, bits 7:2 of RTSTAT. */
static uint64_t last_error(void) { return XPHMG_CSR_READ(0x8a1) >> 2 & 0x3f; }

static void submit(uint64_t descriptor) {
  if (descriptor % 8 != 0) { /* would trap */
    mailbox_report(descriptor, kIllegal);
    return;
  }
  const uint64_t ticket = xphmg_submit((const xphmg_desc *)descriptor);
  if (ticket == 0) { /* refused */
    mailbox_report(descriptor, last_error());
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
  const uint64_t failed = UNIT[UNIT_ERR_TICKET];
  mailbox_report(flight[oldest].descriptor, failed == ticket ? last_error() : 0);
  oldest = (oldest + 1) % kMost;
  --in_flight;
}

int main(void) {
  mailbox_open();
  configure((struct parameters *)mailbox_take_or_sleep());
  /* A full queue would hold the hart at the submit instruction: reports would come late. */
  uint64_t places = UNIT[UNIT_QUEUE] & 0xffff;
  if (places > kMost) places = kMost;
  for (;;) {
    uint64_t post;
    while (in_flight < places && (post = mailbox_take()) != 0) submit(post);
    if (in_flight > 0) {
      finish_oldest();
    } else {
      submit(mailbox_take_or_sleep());
    }
  }
}
