// The `platform` executable. SystemC's own entry point is not used: most commands need no
// simulation, and with several hosts each simulation runs in a forked process.
#include "platform/app.hpp"

int main(int argc, char** argv) {
  return rtvp::platform::runApplication({argv + 1, argv + argc});
}

// The SystemC library refers to it; only its own main(), which this program replaces, would call
// it.
extern "C" int sc_main(int argc, char** argv) {
  return rtvp::platform::runApplication({argv + 1, argv + argc});
}
