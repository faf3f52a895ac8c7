// One bit a lane, up to 512 lanes: which lanes a group of the SIMT engine holds, and its sticky
// flags.
#pragma once

#include <bit>
#include <cstdint>

namespace rtvp::c32::simt {

inline constexpr unsigned kMaxLanes = 512;
inline constexpr unsigned kMaskWords = kMaxLanes / 64;

/// Bits set, without a library call (the baseline instruction set has none for it).
[[nodiscard]] constexpr unsigned bitCount(std::uint64_t x) {
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return static_cast<unsigned>(x * 0x0101010101010101u >> 56);
}

struct LaneMask {
  struct Unset {};
  LaneMask() : w{} {}
  explicit LaneMask(Unset) {}  // NOLINT: the caller fills it

  std::uint64_t w[kMaskWords];

  void set(unsigned lane) { w[lane / 64] |= std::uint64_t{1} << (lane % 64); }
  void clear(unsigned lane) { w[lane / 64] &= ~(std::uint64_t{1} << (lane % 64)); }
  [[nodiscard]] bool test(unsigned lane) const { return (w[lane / 64] >> (lane % 64) & 1u) != 0; }
  /// Lanes 0 to `lanes` - 1.
  static LaneMask first(unsigned lanes) {
    LaneMask m;
    for (unsigned i = 0; i < kMaskWords; ++i) {
      if (lanes >= 64 * (i + 1)) {
        m.w[i] = ~std::uint64_t{0};
      } else if (lanes > 64 * i) {
        m.w[i] = (std::uint64_t{1} << (lanes - 64 * i)) - 1;
      }
    }
    return m;
  }

  [[nodiscard]] bool any() const {
    std::uint64_t all = 0;
    for (const std::uint64_t x : w) all |= x;
    return all != 0;
  }
  [[nodiscard]] unsigned count() const {
    unsigned n = 0;
    for (const std::uint64_t x : w) n += bitCount(x);
    return n;
  }
  LaneMask& operator|=(const LaneMask& o) {
    for (unsigned i = 0; i < kMaskWords; ++i) w[i] |= o.w[i];
    return *this;
  }
  LaneMask& operator&=(const LaneMask& o) {
    for (unsigned i = 0; i < kMaskWords; ++i) w[i] &= o.w[i];
    return *this;
  }
  /// Takes the lanes of `o` away.
  LaneMask& remove(const LaneMask& o) {
    for (unsigned i = 0; i < kMaskWords; ++i) w[i] &= ~o.w[i];
    return *this;
  }
  friend LaneMask operator|(LaneMask a, const LaneMask& b) { return a |= b; }
  friend LaneMask operator&(LaneMask a, const LaneMask& b) { return a &= b; }
  friend LaneMask without(LaneMask a, const LaneMask& b) { return a.remove(b); }
  friend bool operator==(const LaneMask& a, const LaneMask& b) {
    std::uint64_t different = 0;
    for (unsigned i = 0; i < kMaskWords; ++i) different |= a.w[i] ^ b.w[i];
    return different == 0;
  }

  template <class F>
  void forEach(F&& f) const {
    for (unsigned i = 0; i < kMaskWords; ++i) {
      for (std::uint64_t x = w[i]; x != 0; x &= x - 1) {
        f(64 * i + static_cast<unsigned>(std::countr_zero(x)));
      }
    }
  }
};

}  // namespace rtvp::c32::simt
