// The host's floating-point unit as an executor of RISC-V arithmetic: same bits, same flags, a few
// nanoseconds. The SSE unit detects tininess after rounding, as RISC-V does; flags gather in MXCSR
// while instructions run. Invariants: what it cannot do (round ties away, infinity times zero plus
// NaN) stays with soft_float, the plain twin; MXCSR is ours between enter() and leave() only.
// Statements are volatile so that the compiler keeps their order around the changes of MXCSR.
#pragma once

#include <bit>
#include <cstdint>

#include "models/xphmg/hart/soft_float.hpp"

namespace rtvp::rv64::fp {

#if defined(__x86_64__)

/// Owns MXCSR between enter() and leave(): round to nearest, all exceptions masked, flags
/// gathering.
class HostUnit {
 public:
  static constexpr bool kAvailable = true;

  [[nodiscard]] static bool hasFma() { return __builtin_cpu_supports("fma") != 0; }

  void enter() {
    saved_ = read();
    write(kMasked);
  }
  /// Gives the unit back to the rest of the program; returns the flags raised since enter().
  [[nodiscard]] std::uint8_t leave() {
    const std::uint8_t flags = raised(read());
    write(saved_);
    return flags;
  }
  /// Flags raised since enter() or the last takeFlags(), which are cleared.
  [[nodiscard]] static std::uint8_t takeFlags() {
    const std::uint8_t flags = raised(read());
    write(kMasked);
    return flags;
  }
  /// Sets the rounding mode (not RMM) of what follows, keeping the flags.
  static void setRounding(Rounding rm) {
    constexpr std::uint32_t kControl[] = {0x0000, 0x6000, 0x2000, 0x4000};
    write((read() & ~0x6000U) | kControl[static_cast<unsigned>(rm) & 3U]);
  }

 private:
  static constexpr std::uint32_t kMasked = 0x1F80;
  static std::uint32_t read() {
    std::uint32_t value = 0;
    asm volatile("stmxcsr %0" : "=m"(value));
    return value;
  }
  static void write(std::uint32_t value) { asm volatile("ldmxcsr %0" : : "m"(value)); }
  /// MXCSR: 0 invalid, 1 denormal operand, 2 divide by zero, 3 overflow, 4 underflow, 5 inexact.
  static std::uint8_t raised(std::uint32_t mxcsr) {
    return static_cast<std::uint8_t>(((mxcsr & 1U) << 4U) | ((mxcsr & 4U) << 1U) |
                                     ((mxcsr & 8U) >> 1U) | ((mxcsr & 16U) >> 3U) |
                                     ((mxcsr & 32U) >> 5U));
  }
  std::uint32_t saved_ = kMasked;
};

#define RTVP_HOST_BINARY(name, instruction)                   \
  inline double name(double a, double b) {                    \
    asm volatile(instruction "sd %1, %0" : "+x"(a) : "x"(b)); \
    return a;                                                 \
  }                                                           \
  inline float name(float a, float b) {                       \
    asm volatile(instruction "ss %1, %0" : "+x"(a) : "x"(b)); \
    return a;                                                 \
  }
RTVP_HOST_BINARY(hostAdd, "add")
RTVP_HOST_BINARY(hostSub, "sub")
RTVP_HOST_BINARY(hostMul, "mul")
RTVP_HOST_BINARY(hostDiv, "div")
#undef RTVP_HOST_BINARY

inline double hostSqrt(double a) {
  double out = 0;
  asm volatile("sqrtsd %1, %0" : "=x"(out) : "x"(a));
  return out;
}
inline float hostSqrt(float a) {
  float out = 0;
  asm volatile("sqrtss %1, %0" : "=x"(out) : "x"(a));
  return out;
}
/// a * b + c; needs hasFma().
inline double hostFma(double a, double b, double c) {
  asm volatile("vfmadd213sd %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
  return a;
}
inline float hostFma(float a, float b, float c) {
  asm volatile("vfmadd213ss %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
  return a;
}
inline float hostNarrow(double a) {
  float out = 0;
  asm volatile("xorps %0, %0\n\tcvtsd2ss %1, %0" : "=&x"(out) : "x"(a));
  return out;
}
inline double hostWiden(float a) {
  double out = 0;
  asm volatile("xorps %0, %0\n\tcvtss2sd %1, %0" : "=&x"(out) : "x"(a));
  return out;
}
inline double hostFromSigned(std::int64_t value, double /*precision*/) {
  double out = 0;
  asm volatile("xorps %0, %0\n\tcvtsi2sdq %1, %0" : "=&x"(out) : "r"(value));
  return out;
}
inline float hostFromSigned(std::int64_t value, float /*precision*/) {
  float out = 0;
  asm volatile("xorps %0, %0\n\tcvtsi2ssq %1, %0" : "=&x"(out) : "r"(value));
  return out;
}

#else

/// No such unit is known for this host: everything goes through soft_float.
class HostUnit {
 public:
  static constexpr bool kAvailable = false;
  [[nodiscard]] static bool hasFma() { return false; }
  void enter() {}
  [[nodiscard]] std::uint8_t leave() { return 0; }
  [[nodiscard]] static std::uint8_t takeFlags() { return 0; }
  static void setRounding(Rounding) {}
};
template <typename T>
T hostAdd(T a, T b) {
  return a + b;
}
template <typename T>
T hostSub(T a, T b) {
  return a - b;
}
template <typename T>
T hostMul(T a, T b) {
  return a * b;
}
template <typename T>
T hostDiv(T a, T b) {
  return a / b;
}
template <typename T>
T hostSqrt(T a) {
  return a;
}
template <typename T>
T hostFma(T a, T b, T c) {
  return a * b + c;
}
inline float hostNarrow(double a) {
  return static_cast<float>(a);
}
inline double hostWiden(float a) {
  return a;
}
template <typename T>
T hostFromSigned(std::int64_t value, T) {
  return static_cast<T>(value);
}

#endif

}  // namespace rtvp::rv64::fp
