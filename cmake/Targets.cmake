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

# rtvp_vector_kernels(OUT PREFIX PLAIN) - PREFIX_PLAIN.cpp and, on x86-64, PREFIX_sse42.cpp, _avx2 and _avx512: loops for the
# compiler's vectoriser, one source per instruction set of the host (models/common/host_isa.hpp). The flags about errno and traps
# change no value; they let sqrt and selections become vectors. The library that takes the sources defines RTVP_X86_KERNELS
# if there are more than one.
function(rtvp_vector_kernels out prefix plain)
  set(flags -O3 -fopenmp-simd -fno-math-errno -fno-trapping-math)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Which loops become vectors is a matter of the benchmark; with sanitizers none does.
    list(APPEND flags -Wno-pass-failed)
  endif()
  set(isas ${plain})
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND isas sse42 avx2 avx512)
  endif()
  set(flags_sse42 -msse4.2)
  set(flags_avx2 -mavx2)
  set(flags_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512)
  set(sources)
  foreach(isa IN LISTS isas)
    set_source_files_properties(${prefix}_${isa}.cpp PROPERTIES COMPILE_OPTIONS "${flags};${flags_${isa}}")
    list(APPEND sources ${prefix}_${isa}.cpp)
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
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
