// See host_isa.hpp.
#include "models/common/host_isa.hpp"

namespace rtvp::common {

std::string_view isaName(Isa isa) {
  switch (isa) {
    case Isa::Scalar:
      return "scalar";
    case Isa::Sse42:
      return "sse42";
    case Isa::Avx2:
      return "avx2";
    case Isa::Avx512:
      return "avx512";
  }
  return {};
}

bool isaUsable(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::Scalar:
      return true;
    case Isa::Sse42:
      return __builtin_cpu_supports("sse4.2") != 0;
    case Isa::Avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case Isa::Avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  }
  return false;
#else
  return isa == Isa::Scalar;
#endif
}

Isa bestIsa() {
  Isa best = Isa::Scalar;
  for (const Isa isa : kIsas) {
    if (isaUsable(isa)) best = isa;
  }
  return best;
}

}  // namespace rtvp::common
