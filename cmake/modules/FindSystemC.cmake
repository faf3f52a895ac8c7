# SystemC with TLM-2.0 as SystemC::systemc, from where its own package (SystemCLanguage) says, or else from where the compiler
# looks: Debian's libsystemc-dev has no package file. The build of rtvp and programs that use the installed rtvp share this file.
#
# Debian's library is built as C++17 and exports an API-version symbol for that standard only, so a C++20 program links only if
# SC_CPLUSPLUS says 201703L in every file that includes SystemC: rtvp::systemc passes that on.
find_package(SystemCLanguage CONFIG QUIET)
if(TARGET SystemC::systemc)
  set(SystemC_FOUND TRUE)
  return()
endif()
find_path(SystemC_INCLUDE_DIR systemc)
find_library(SystemC_LIBRARY systemc)
mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian: apt install libsystemc-dev")
if(SystemC_FOUND)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION ${SystemC_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${SystemC_INCLUDE_DIR})
endif()
