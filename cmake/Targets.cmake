# Helpers that keep the per-folder CMakeLists short: one static library per folder, alias rtvp::NAME.

# rtvp_library(NAME SOURCES ... [HEADERS ...] [LIBS ...] [COMPONENT name] [INTERNAL])  - LIBS are public. Its headers are those
# named like its sources and HEADERS. It is installed, with the component of its folder unless it names one (Components.cmake);
# INTERNAL: it is not, as only programs of ours are made of it.
function(rtvp_library name)
  cmake_parse_arguments(ARG "INTERNAL" "COMPONENT" "SOURCES;HEADERS;LIBS" ${ARGN})
  add_library(rtvp_${name} STATIC ${ARG_SOURCES})
  rtvp_name_library(${name} PUBLIC ${ARGN})
endfunction()

# rtvp_headers(NAME HEADERS ... [LIBS ...]) - what is headers only: a register map that a driver may know without the model.
function(rtvp_headers name)
  add_library(rtvp_${name} INTERFACE)
  rtvp_name_library(${name} INTERFACE ${ARGN})
endfunction()

# The part that is the same in both.
function(rtvp_name_library name scope)
  cmake_parse_arguments(ARG "INTERNAL" "COMPONENT" "SOURCES;HEADERS;LIBS" ${ARGN})
  add_library(rtvp::${name} ALIAS rtvp_${name})
  set_target_properties(rtvp_${name} PROPERTIES EXPORT_NAME ${name} RTVP_HEADERS "${ARG_HEADERS}")
  target_include_directories(rtvp_${name} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(rtvp_${name} ${scope} rtvp::language ${ARG_LIBS})
  if(NOT ARG_INTERNAL)
    set_property(GLOBAL APPEND PROPERTY RTVP_LIBRARIES rtvp_${name})
    rtvp_publish(rtvp_${name} COMPONENT "${ARG_COMPONENT}" SOURCES ${ARG_SOURCES} HEADERS ${ARG_HEADERS})
  endif()
endfunction()

# rtvp_executable(NAME SOURCES ... [HEADERS ...] LIBS ... [SYSTEMC]) - lands in build/<preset>/bin. SYSTEMC adds the sc_main that
# libsystemc asks for.
function(rtvp_executable name)
  cmake_parse_arguments(ARG "SYSTEMC" "" "SOURCES;HEADERS;LIBS" ${ARGN})
  if(ARG_SYSTEMC)
    list(APPEND ARG_SOURCES ${PROJECT_SOURCE_DIR}/models/common/tool/sc_main.cpp)
  endif()
  add_executable(${name} ${ARG_SOURCES} ${RTVP_SANITIZER_SOURCES})
  set_property(TARGET ${name} PROPERTY RTVP_HEADERS ${ARG_HEADERS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE rtvp::language ${ARG_LIBS})
endfunction()

# rtvp_program(NAME ...) - an rtvp_executable that is installed: a tool with --help, --man, --version and completion.
function(rtvp_program name)
  rtvp_executable(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY RTVP_PROGRAMS ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
endfunction()

configure_file(${PROJECT_SOURCE_DIR}/tests/support/paths.hpp.in ${PROJECT_BINARY_DIR}/generated/tests/support/paths.hpp)

# Seconds that a test may take: five times as many where it is slowed down. A hang is still noticed.
function(rtvp_patience variable seconds)
  if(RTVP_SANITIZE OR RTVP_COVERAGE)
    math(EXPR seconds "5 * ${seconds}")
  endif()
  set(${variable} ${seconds} PARENT_SCOPE)
endfunction()

# rtvp_test(NAME SOURCES ... LIBS ... [LABEL quick|long] [TIMEOUT s] [SYSTEMC]) - a GoogleTest executable; ctest runs each
# test in a process of its own. gtest_main comes first, so that its main() and not libsystemc's is the
# program's; SYSTEMC adds the sc_main that libsystemc then still asks for. tests/support/paths.hpp tells tests where
# data and programs lie.
function(rtvp_test name)
  cmake_parse_arguments(ARG "SYSTEMC" "LABEL;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  if(ARG_SYSTEMC)
    list(APPEND ARG_SOURCES ${PROJECT_SOURCE_DIR}/tests/support/sc_main.cpp)
  endif()
  if(NOT ARG_LABEL)
    set(ARG_LABEL quick)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  rtvp_patience(ARG_TIMEOUT ${ARG_TIMEOUT})
  add_executable(${name} ${ARG_SOURCES} ${RTVP_SANITIZER_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gtest rtvp::language ${ARG_LIBS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
endfunction()
