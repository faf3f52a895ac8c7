/* XPHMG_RT for C programs on the hart: instructions, CSRs and the structures they work on, in the
 * FP32 layout. There is no C library. Source: the XPHMG_RT text, sections 5 to 9, and the
 * platform's additions (hart memory map, CSR numbers). */
#ifndef XPHMG_RT_H
#define XPHMG_RT_H

#include <stdint.h>

typedef struct { float lo[3], hi[3]; } xphmg_box;

/* 128 bytes in FP32, aligned to 64. Flags: two bits a child, 0 empty, 1 node, 2 leaf. */
typedef struct {
  xphmg_box box[4];
  uint32_t reserved[4];
  uint32_t child[3];
  uint32_t flags; /* bits 31:8: index of child 3 */
} __attribute__((aligned(64))) xphmg_tile;
enum { XPHMG_NODE = 1, XPHMG_LEAF = 2 };

typedef struct { uint32_t first, count; uint64_t base; } __attribute__((aligned(16))) xphmg_range;
typedef struct { float v[3][3]; } xphmg_triangle;

typedef struct {
  float origin[3], direction[3], tmin, tmax;
  uint64_t tag;
  uint64_t own[3];
} xphmg_ray;
typedef struct {
  uint64_t tag;
  uint32_t prim, leaf;
  float t, u, v;
  uint32_t flags; /* bit 0 set, bit 1 front-facing */
} xphmg_hit;
typedef struct { uint64_t tag; uint32_t ray, zero; } xphmg_miss;

/* A ring: the consumer advances head, the producer tail; one place stays free. */
typedef struct { uint32_t head, tail, cap, reserved; uint64_t base; } xphmg_queue;

typedef struct {
  uint64_t bvh, rays, hits, misses, triangles;
  uint32_t opts, reserved;
  uint8_t memctl[24]; /* zero: the defaults of the CSRs */
} __attribute__((aligned(8))) xphmg_desc;

_Static_assert(sizeof(xphmg_tile) == 128 && sizeof(xphmg_range) == 16, "layout");
_Static_assert(sizeof(xphmg_ray) == 64 && sizeof(xphmg_hit) == 32, "layout");
_Static_assert(sizeof(xphmg_miss) == 16 && sizeof(xphmg_queue) == 24, "layout");
_Static_assert(sizeof(xphmg_desc) == 72, "layout");

#define XPHMG_CSR_WRITE(number, value) \
  __asm__ volatile("csrw " #number ", %0" : : "r"((uint64_t)(value)) : "memory")
#define XPHMG_CSR_READ(number)                                      \
  __extension__({                                                   \
    uint64_t csr_value_;                                            \
    __asm__ volatile("csrr %0, " #number : "=r"(csr_value_) : : "memory"); \
    csr_value_;                                                     \
  })

/* CAP.PREC.MODE: FP32 with APPLY. The unit resets to FP16. */
static inline void xphmg_use_fp32(void) { XPHMG_CSR_WRITE(0x7D0, 0x80A40000u); }

/* Hands a job to the queue; waits while the queue is full. Returns its ticket. */
static inline uint64_t xphmg_submit(const xphmg_desc *desc) {
  uint64_t ticket;
  __asm__ volatile(".insn i 0x7b, 0, %0, %1, 2" : "=r"(ticket) : "r"(desc) : "memory");
  return ticket;
}

/* Returns when the job, and all before it, have completed. */
static inline void xphmg_wait(uint64_t ticket) {
  __asm__ volatile(".insn i 0x7b, 1, x0, %0, 0" : : "r"(ticket) : "memory");
}

typedef struct { uint32_t prim; int hit, front; float t, u, v; } xphmg_result;

static inline float xphmg_float(uint64_t bits) {
  union { uint32_t u; float f; } x = {(uint32_t)bits};
  return x.f;
}

/* RT.BBOX: mask of the children of `tile` that the ray meets. */
static inline uint32_t xphmg_bbox(const xphmg_tile *tile, const xphmg_ray *ray) {
  register uint64_t r0 __asm__("a0");
  register uint64_t r1 __asm__("a1");
  register uint64_t r2 __asm__("a2");
  XPHMG_CSR_WRITE(0x8AA, tile);
  __asm__ volatile(".insn i 0x0b, 6, a0, %3, 0"
                   : "=r"(r0), "=r"(r1), "=r"(r2)
                   : "r"(ray)
                   : "memory");
  (void)r1;
  (void)r2;
  return (r0 >> 8) & 0xff;
}

/* RT.TRI: the nearest triangle of `range` that the ray hits. A base of 0 means RTBASE. */
static inline xphmg_result xphmg_tri(const xphmg_range *range, const xphmg_ray *ray) {
  register uint64_t r0 __asm__("a0");
  register uint64_t r1 __asm__("a1");
  register uint64_t r2 __asm__("a2");
  register uint64_t r3 __asm__("a3");
  XPHMG_CSR_WRITE(0x8AB, range);
  __asm__ volatile(".insn i 0x0b, 7, a0, %4, 0"
                   : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                   : "r"(ray)
                   : "memory");
  return (xphmg_result){(uint32_t)(r0 >> 32), (int)(r0 & 1), (int)(r0 >> 1 & 1),
                        xphmg_float(r1), xphmg_float(r2), xphmg_float(r3)};
}

#endif
