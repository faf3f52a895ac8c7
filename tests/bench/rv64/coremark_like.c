/* The kinds of work that CoreMark mixes, written anew: lists that are searched, reversed and sorted
 * by merging, products of small integer matrices, a state machine over numbers as text, and a CRC
 * of all results. */
#include "bench.h"

enum { kRounds = 700, kItems = 96, kSize = 12 };

struct item {
  struct item *next;
  int16_t key, index;
};

static uint16_t crc16(uint16_t crc, uint32_t value, int bits) {
  for (int n = 0; n < bits; ++n) {
    const int carry = (crc ^ value) & 1;
    crc >>= 1;
    if (carry) crc ^= 0xA001;
    value >>= 1;
  }
  return crc;
}

static struct item *find(struct item *list, int key) {
  while (list && list->key != key) list = list->next;
  return list;
}

static struct item *reverse(struct item *list) {
  struct item *done = 0;
  while (list) {
    struct item *next = list->next;
    list->next = done;
    done = list;
    list = next;
  }
  return done;
}

static int by_key(const struct item *a, const struct item *b) { return a->key - b->key; }
static int by_index(const struct item *a, const struct item *b) { return a->index - b->index; }

static struct item *merge_sort(struct item *list, int (*compare)(const struct item *, const struct item *)) {
  for (int run = 1;; run *= 2) {
    struct item *p = list, *tail = 0;
    int merges = 0;
    list = 0;
    while (p) {
      struct item *q = p;
      int left = 0, right = run;
      ++merges;
      while (left < run && q) {
        q = q->next;
        ++left;
      }
      while (left > 0 || (right > 0 && q)) {
        struct item *taken;
        if (left == 0 || (right > 0 && q && compare(q, p) < 0)) {
          taken = q;
          q = q->next;
          --right;
        } else {
          taken = p;
          p = p->next;
          --left;
        }
        if (tail) {
          tail->next = taken;
        } else {
          list = taken;
        }
        tail = taken;
      }
      p = q;
    }
    tail->next = 0;
    if (merges <= 1) return list;
  }
}

static uint16_t lists(uint32_t seed, uint16_t crc) {
  static struct item items[kItems];
  uint32_t random = seed;
  for (int n = 0; n < kItems; ++n) {
    items[n].key = (int16_t)(next_random(&random) & 0xFF);
    items[n].index = (int16_t)n;
    items[n].next = n + 1 < kItems ? &items[n + 1] : 0;
  }
  struct item *list = items;
  for (int key = 0; key < 64; ++key) {
    const struct item *found = find(list, key);
    crc = crc16(crc, found ? (uint32_t)found->index : 0xFFFF, 8);
    list = reverse(list);
  }
  list = merge_sort(list, by_key);
  for (const struct item *i = list; i; i = i->next) crc = crc16(crc, (uint32_t)i->key, 8);
  list = merge_sort(list, by_index);
  return crc16(crc, (uint32_t)list->key, 16);
}

static uint16_t matrices(uint32_t seed, uint16_t crc) {
  static int16_t a[kSize][kSize], b[kSize][kSize];
  static int32_t c[kSize][kSize];
  uint32_t random = seed;
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      a[i][j] = (int16_t)(next_random(&random) & 0xFFF);
      b[i][j] = (int16_t)((next_random(&random) & 0xFFF) - 0x800);
    }
  }
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      int32_t sum = 0;
      for (int k = 0; k < kSize; ++k) sum += (int32_t)a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  }
  for (int i = 0; i < kSize; ++i) {
    int32_t sum = 0;
    for (int j = 0; j < kSize; ++j) {
      const int32_t bits = (c[i][j] >> 2 & 15) * (c[i][j] >> 5 & 127);
      sum += bits > 600 ? 10 : bits;
    }
    crc = crc16(crc, (uint32_t)sum, 32);
  }
  return crc;
}

enum state { kStart, kSign, kInteger, kPoint, kFraction, kExponent, kExponentSign, kScientific, kInvalid, kStates };

static enum state number(const char **text, uint32_t *visits) {
  enum state s = kStart;
  for (; **text; ++*text) {
    const char c = **text;
    if (c == ',') {
      ++*text;
      break;
    }
    const int digit = c >= '0' && c <= '9';
    switch (s) {
      case kStart:
        s = digit ? kInteger : c == '+' || c == '-' ? kSign : c == '.' ? kPoint : kInvalid;
        break;
      case kSign:
        s = digit ? kInteger : c == '.' ? kPoint : kInvalid;
        break;
      case kInteger:
        s = digit ? kInteger : c == '.' ? kPoint : c == 'e' ? kExponent : kInvalid;
        break;
      case kPoint:
      case kFraction:
        s = digit ? kFraction : c == 'e' ? kExponent : kInvalid;
        break;
      case kExponent:
        s = digit ? kScientific : c == '+' || c == '-' ? kExponentSign : kInvalid;
        break;
      case kExponentSign:
      case kScientific:
        s = digit ? kScientific : kInvalid;
        break;
      default:
        break;
    }
    ++visits[s];
  }
  return s;
}

static uint16_t states(uint32_t seed, uint16_t crc) {
  static const char *const words[8] = {"5012", "-874", "+122", "35.54400", ".1234500", "-110.7e+12", "5.500e-3", "T0.3e-1F"};
  char text[512];
  uint32_t random = seed, visits[kStates] = {0}, ends[kStates] = {0};
  int size = 0;
  while (size < 490) {
    const char *word = words[next_random(&random) & 7];
    while (*word) text[size++] = *word++;
    text[size++] = ',';
  }
  text[size] = 0;
  for (const char *at = text; *at;) ++ends[number(&at, visits)];
  for (int n = 0; n < kStates; ++n) crc = crc16(crc, visits[n] + (ends[n] << 16), 32);
  return crc;
}

static uint64_t work(void) {
  uint64_t sum = 0;
  uint16_t crc = 0;
  for (uint32_t n = 0; n < kRounds; ++n) {
    crc = lists(n, crc);
    crc = matrices(n + 1, crc);
    crc = states(n + 2, crc);
    sum = sum * 31 + crc;
  }
  return sum;
}

BENCH(work, 0x9f1416b198172104u)
