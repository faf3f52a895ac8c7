/* A driver program without the queue: it takes the same posts as queue_driver.c, but works each
 * descriptor off itself, ray by ray with RT.BBOX and RT.TRI. What it writes into the rings is what
 * the unit's queue writes there, so a picture tells whether both find the same hits:
 *
 *   platform SCENE --engine xphmg --set xphmg.driver=hart --set xphmg.hart_elf=inline_trace.elf
 *
 * FP32 only; other formats and options are reported as unsupported (2).
 */
#include "mailbox.h"
#include "xphmg_rt.h"

enum { kUnsupported = 2, kFp32 = 4, kAnyHit = 1 << 9, kStack = 64 };

/* Child c of a tile. */
static unsigned kind_of(const xphmg_tile *tile, unsigned c) { return tile->flags >> 2 * c & 3; }
static uint32_t index_of(const xphmg_tile *tile, unsigned c) {
  return c == 3 ? tile->flags >> 8 : tile->child[c];
}

/* All leaves whose boxes the ray meets, in any order: of two hits the nearer counts, of equally near
 * ones the one with the smaller number, as in the unit. */
static xphmg_result trace(uint64_t heap, const xphmg_ray *ray, int any, uint32_t *leaf) {
  struct {
    uint32_t index, kind;
  } stack[kStack];
  unsigned depth = 0;
  xphmg_result best = {.hit = 0};
  stack[depth].index = 0;
  stack[depth++].kind = XPHMG_NODE;
  while (depth > 0) {
    const uint32_t index = stack[--depth].index;
    if (stack[depth].kind == XPHMG_LEAF) {
      const xphmg_result r = xphmg_tri((const xphmg_range *)(heap + 16ull * index), ray);
      if (r.hit && (!best.hit || r.t < best.t || (r.t == best.t && r.prim < best.prim))) {
        best = r;
        *leaf = index;
      }
      if (any && best.hit) break;
      continue;
    }
    const xphmg_tile *tile = (const xphmg_tile *)(heap + sizeof(xphmg_tile) * index);
    const uint32_t met = xphmg_bbox(tile, ray);
    for (unsigned c = 0; c < 4; ++c) {
      if ((met >> c & 1) == 0 || depth == kStack) continue;
      stack[depth].index = index_of(tile, c);
      stack[depth++].kind = kind_of(tile, c);
    }
  }
  return best;
}

static uint32_t next(const xphmg_queue *ring, uint32_t index) {
  return index + 1 == ring->cap ? 0 : index + 1;
}

/* One descriptor: every ray of its ring becomes an entry of the hits or of the misses. */
static uint64_t work_off(const xphmg_desc *desc) {
  if ((desc->opts & ~(uint32_t)kAnyHit) != 0) return kUnsupported;
  if (XPHMG_CSR_READ(0x7d2) >> 28 != kFp32) return kUnsupported;
  xphmg_queue *rays = (xphmg_queue *)desc->rays;
  xphmg_queue *hits = (xphmg_queue *)desc->hits;
  xphmg_queue *misses = (xphmg_queue *)desc->misses;
  XPHMG_CSR_WRITE(0x8a3, desc->triangles); /* RTBASE: where inline ranges with base 0 begin */
  for (; rays->head != rays->tail; rays->head = next(rays, rays->head)) {
    const xphmg_ray *ray = (const xphmg_ray *)rays->base + rays->head;
    uint32_t leaf = 0;
    const xphmg_result r = trace(desc->bvh, ray, (desc->opts & kAnyHit) != 0, &leaf);
    if (r.hit) {
      xphmg_hit *hit = (xphmg_hit *)hits->base + hits->tail;
      *hit = (xphmg_hit){ray->tag, r.prim, leaf, r.t, r.u, r.v, 0};
      hit->flags = 1u | (uint32_t)r.front << 1 | kFp32 << 8 | rays->head << 16;
      hits->tail = next(hits, hits->tail);
    } else {
      xphmg_miss *miss = (xphmg_miss *)misses->base + misses->tail;
      *miss = (xphmg_miss){ray->tag, rays->head, 0};
      misses->tail = next(misses, misses->tail);
    }
  }
  return 0;
}

int main(void) {
  mailbox_open();
  configure((struct parameters *)mailbox_take_or_sleep());
  for (;;) {
    const uint64_t descriptor = mailbox_take_or_sleep();
    mailbox_report(descriptor, work_off((const xphmg_desc *)descriptor));
  }
}
