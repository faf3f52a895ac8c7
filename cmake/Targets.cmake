# Helpers that keep the per-folder CMakeLists short: one static library per folder, alias rtvp::NAME.

# rtvp_library(NAME SOURCES ... [HEADERS ...] [LIBS ...])  - LIBS are public. Its headers are those named like its sources
# and HEADERS; see cmake/Headers.cmake for what that means.
function(rtvp_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;LIBS" ${ARGN})
  add_library(rtvp_${name} STATIC ${ARG_SOURCES})
  add_library(rtvp::${name} ALIAS rtvp_${name})
  set_target_properties(rtvp_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY RTVP_LIBRARIES rtvp_${name})
  set_property(TARGET rtvp_${name} PROPERTY RTVP_HEADERS ${ARG_HEADERS})
  target_include_directories(rtvp_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(rtvp_${name} PUBLIC rtvp::language ${ARG_LIBS})
endfunction()

# rtvp_headers(NAME HEADERS ... [LIBS ...]) - what is headers only: a register map that a driver may know without the model.
function(rtvp_headers name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBS" ${ARGN})
  add_library(rtvp_${name} INTERFACE)
  add_library(rtvp::${name} ALIAS rtvp_${name})
  set_target_properties(rtvp_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY RTVP_LIBRARIES rtvp_${name})
  set_property(TARGET rtvp_${name} PROPERTY RTVP_HEADERS ${ARG_HEADERS})
  target_include_directories(rtvp_${name} INTERFACE ${PROJECT_SOURCE_DIR})
  target_link_libraries(rtvp_${name} INTERFACE rtvp::language ${ARG_LIBS})
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

# rtvp_test(NAME SOURCES ... LIBS ... [LABEL quick|long] [TIMEOUT s] [SYSTEMC]) - a GoogleTest executable; ctest runs each
# test in a process of its own. gtest_main comes first, so that its main() and not libsystemc's is the
# program's; SYSTEMC adds the sc_main that libsystemc then still asks for. RTVP_SOURCE_DIR and RTVP_BIN_DIR tell tests where data and programs lie.
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
  add_executable(${name} ${ARG_SOURCES} ${RTVP_SANITIZER_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE RTVP_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             RTVP_BINARY_DIR="${PROJECT_BINARY_DIR}"
                             RTVP_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gtest rtvp::language ${ARG_LIBS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
endfunction()
