# rtvp::systemc - the one way SystemC and TLM-2.0 enter the build, and the programs of whoever uses the installed libraries.
# Why SC_CPLUSPLUS: modules/FindSystemC.cmake.
include(CheckCXXSourceCompiles)
find_package(SystemC REQUIRED)
find_package(Threads REQUIRED)

add_library(rtvp_systemc INTERFACE)
add_library(rtvp::systemc ALIAS rtvp_systemc)
set_target_properties(rtvp_systemc PROPERTIES EXPORT_NAME systemc)
target_compile_definitions(rtvp_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
target_link_libraries(rtvp_systemc INTERFACE SystemC::systemc Threads::Threads)
set_property(TARGET rtvp_systemc PROPERTY RTVP_COMPONENT common)
install(TARGETS rtvp_systemc EXPORT rtvp_common)

set(CMAKE_REQUIRED_LIBRARIES SystemC::systemc Threads::Threads)
set(CMAKE_REQUIRED_FLAGS "-std=c++20 -w")
set(CMAKE_REQUIRED_DEFINITIONS -DSC_CPLUSPLUS=201703L)
check_cxx_source_compiles("#include <systemc>\nint sc_main(int, char**) { sc_core::sc_start(); return 0; }"
                          RTVP_SYSTEMC_LINKS)
if(NOT RTVP_SYSTEMC_LINKS)
  message(FATAL_ERROR "A C++20 program does not link against SystemC. The library was "
    "built for another C++ standard than SC_CPLUSPLUS=201703L says; install Debian's libsystemc-dev "
    "2.3.4 (scripts/setup does) or change the definition in cmake/Systemc.cmake.")
endif()
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_DEFINITIONS)
