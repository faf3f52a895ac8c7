// libsystemc's own main(), which would print a banner and call this, is not used by the tools.
#include <systemc>

int sc_main(int /*argc*/, char** /*argv*/) {
  return 70;
}
