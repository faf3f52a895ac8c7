// Instruction sets of the host that kernels are compiled for, and which of them this host can run.
// Every library with such kernels has one table of functions per entry here; all give the same
// bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace rtvp::common {

/// Scalar is the compiler's default for the host; it may hold vectors too (SSE2 on x86-64).
enum class Isa : std::uint8_t { Scalar, Sse42, Avx2, Avx512 };
inline constexpr Isa kIsas[] = {Isa::Scalar, Isa::Sse42, Isa::Avx2, Isa::Avx512};

[[nodiscard]] std::string_view isaName(Isa isa);
/// True if this build has the kernels and this host can run them. Avx512 means F, DQ, BW and VL.
[[nodiscard]] bool isaUsable(Isa isa);
/// The one with the longest vectors.
[[nodiscard]] Isa bestIsa();

}  // namespace rtvp::common
