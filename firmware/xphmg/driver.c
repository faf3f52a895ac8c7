/* The offload queue in a hundred lines: two leaves under one root, four rays, one job. Then the same
 * rays again with inline instructions; both ways must agree to the last bit.
 *
 *   xphmg-run build/release/firmware/xphmg/driver.elf
 */
#include "console.h"
#include "xphmg_rt.h"

enum { kRays = 4, kRing = 8 };

/* A unit square of two triangles at z = 1, and one triangle at z = 3. */
static const xphmg_triangle triangles[] = {
    {{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}}},
    {{{1, 0, 1}, {0, 1, 1}, {1, 1, 1}}},
    {{{2, 0, 3}, {2, 1, 3}, {3, 0, 3}}},
};

/* The heap: tile 0 is the root; child indices of leaves count in units of 16 bytes from here. */
static const struct {
  xphmg_tile root;
  xphmg_range leaf[2];
} heap = {
    .root = {.box = {{{0, 0, 1}, {1, 1, 1}}, {{2, 0, 3}, {3, 1, 3}}},
             .child = {8, 9}, /* the two ranges, 128 bytes from the start */
             .flags = XPHMG_LEAF | XPHMG_LEAF << 2},
    .leaf = {{.first = 0, .count = 2}, {.first = 2, .count = 1}},
};

static xphmg_ray rays[kRing] __attribute__((aligned(64))) = {
    {{0.25f, 0.25f, 0}, {0, 0, 1}, 0, 100, .tag = 0xa0},
    {{0.50f, 0.50f, 0}, {0, 0, 1}, 0, 100, .tag = 0xa1}, /* on the edge that two triangles share */
    {{2.25f, 0.25f, 0}, {0, 0, 1}, 0, 100, .tag = 0xa2},
    {{5.00f, 5.00f, 0}, {0, 0, 1}, 0, 100, .tag = 0xa3}, /* misses */
};
static xphmg_hit hits[kRing];
static xphmg_miss misses[kRing];

static xphmg_queue ray_ring = {.tail = kRays, .cap = kRing};
static xphmg_queue hit_ring = {.cap = kRing};
static xphmg_queue miss_ring = {.cap = kRing};

/* One ray by instructions: test the root's boxes, then the triangles of each leaf that is met. */
static xphmg_result trace_inline(const xphmg_ray *ray) {
  xphmg_result best = {.hit = 0};
  const uint32_t met = xphmg_bbox(&heap.root, ray);
  for (unsigned child = 0; child < 2; ++child) {
    if (!(met >> child & 1)) continue;
    const xphmg_result r = xphmg_tri(&heap.leaf[child], ray);
    if (r.hit && (!best.hit || r.t < best.t)) best = r;
  }
  return best;
}

int main(void) {
  xphmg_use_fp32();
  XPHMG_CSR_WRITE(0x8A3, triangles); /* RTBASE: where inline ranges with base 0 begin */

  ray_ring.base = (uint64_t)rays;
  hit_ring.base = (uint64_t)hits;
  miss_ring.base = (uint64_t)misses;
  static xphmg_desc desc;
  desc.bvh = (uint64_t)&heap;
  desc.rays = (uint64_t)&ray_ring;
  desc.hits = (uint64_t)&hit_ring;
  desc.misses = (uint64_t)&miss_ring;
  desc.triangles = (uint64_t)triangles;
  xphmg_wait(xphmg_submit(&desc));

  put_number(hit_ring.tail);
  put_text(" hits, ");
  put_number(miss_ring.tail);
  put_text(" misses\n");

  int wrong = 0;
  for (unsigned i = 0, next = 0; i < kRays; ++i) {
    const xphmg_result r = trace_inline(&rays[i]);
    const int queued = next < hit_ring.tail && hits[next].tag == rays[i].tag;
    put_text("ray ");
    put_number(i);
    if (queued) {
      const xphmg_hit *h = &hits[next++];
      put_text(": triangle ");
      put_number(h->prim);
      put_text(" at t = ");
      put_float(h->t);
      wrong += !r.hit || r.prim != h->prim || r.t != h->t || r.u != h->u || r.v != h->v;
    } else {
      put_text(": miss");
      wrong += r.hit;
    }
    put_text("\n");
  }
  put_text(wrong ? "queue and instructions disagree\n" : "queue and instructions agree\n");
  return wrong;
}
