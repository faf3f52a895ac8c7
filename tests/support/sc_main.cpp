// libsystemc refers to sc_main even when GoogleTest's main() runs the program.
#include <systemc>

int sc_main(int /*argc*/, char* /*argv*/[]) {
  return 0;
}
