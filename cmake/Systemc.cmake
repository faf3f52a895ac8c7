# rtvp::systemc - the one way SystemC and TLM-2.0 enter the build.
#
# Debian's libsystemc is built as C++17 and exports an API-version symbol for that standard only, so
# a C++20 program links only if SC_CPLUSPLUS says 201703L in every file that includes SystemC.
include(CheckCXXSourceCompiles)
find_path(SYSTEMC_INCLUDE_DIR systemc REQUIRED)
find_library(SYSTEMC_LIBRARY systemc REQUIRED)
find_package(Threads REQUIRED)

add_library(rtvp_systemc INTERFACE)
add_library(rtvp::systemc ALIAS rtvp_systemc)
set_target_properties(rtvp_systemc PROPERTIES EXPORT_NAME systemc)
target_include_directories(rtvp_systemc SYSTEM INTERFACE ${SYSTEMC_INCLUDE_DIR})
target_compile_definitions(rtvp_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
target_link_libraries(rtvp_systemc INTERFACE ${SYSTEMC_LIBRARY} Threads::Threads)

set(CMAKE_REQUIRED_INCLUDES ${SYSTEMC_INCLUDE_DIR})
set(CMAKE_REQUIRED_LIBRARIES ${SYSTEMC_LIBRARY} Threads::Threads)
set(CMAKE_REQUIRED_FLAGS "-std=c++20 -w")
set(CMAKE_REQUIRED_DEFINITIONS -DSC_CPLUSPLUS=201703L)
check_cxx_source_compiles("#include <systemc>\nint sc_main(int, char**) { sc_core::sc_start(); return 0; }"
                          RTVP_SYSTEMC_LINKS)
if(NOT RTVP_SYSTEMC_LINKS)
  message(FATAL_ERROR "A C++20 program does not link against ${SYSTEMC_LIBRARY}. The library was "
    "built for another C++ standard than SC_CPLUSPLUS=201703L says; install Debian's libsystemc-dev "
    "2.3.4 (scripts/setup does) or change the definition in cmake/Systemc.cmake.")
endif()
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_DEFINITIONS)
