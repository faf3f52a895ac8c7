// The `platform` executable. SystemC's own entry point is not used: most commands need no
// simulation, and with several hosts each simulation runs in a forked process.
#include "platform/app.hpp"
#include "platform/host_heap.hpp"

#ifdef __GLIBC__
// Before any library's constructors: SystemC's clears 3 MiB, which cost 768 page faults on small
// pages. NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): the section is not
// read-only
[[gnu::used,
  gnu::section(".preinit_array")]] static void (*beforeLibraries)() = rtvp::platform::useLargePages;
#endif

int main(int argc, char** argv) {
  return rtvp::platform::main(argc, argv, rtvp::platform::builtinMachines());
}
