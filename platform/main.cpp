// The `platform` executable. SystemC's own entry point is not used: most commands need no
// simulation, and with several hosts each simulation runs in a forked process.
#include "platform/app.hpp"
#include "platform/host_heap.hpp"

int main(int argc, char** argv) {
  rtvp::platform::useLargePages();
  return rtvp::platform::main(argc, argv, rtvp::platform::builtinMachines());
}
