// Which kernels this host can run.
#include "models/sl/batch/kernels.hpp"

#include "models/sl/batch/kernel_tables.hpp"

namespace rtvp::sl::batch {

std::string_view isaName(Isa isa) {
  switch (isa) {
    case Isa::Baseline:
      return "baseline";
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
#if defined(RTVP_X86_KERNELS)
  switch (isa) {
    case Isa::Baseline:
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
  return isa == Isa::Baseline;
#endif
}

Isa bestIsa() {
  Isa best = Isa::Baseline;
  for (const Isa isa : kIsas) {
    if (isaUsable(isa)) best = isa;
  }
  return best;
}

const Kernels& kernels(Isa isa) {
#if defined(RTVP_X86_KERNELS)
  switch (isa) {
    case Isa::Baseline:
      break;
    case Isa::Sse42:
      return sse42::table();
    case Isa::Avx2:
      return avx2::table();
    case Isa::Avx512:
      return avx512::table();
  }
#else
  (void)isa;
#endif
  return baseline::table();
}

}  // namespace rtvp::sl::batch
