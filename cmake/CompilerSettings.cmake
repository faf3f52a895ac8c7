# Language, warnings and arithmetic rules for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# -ffp-contract=off: a fused multiply-add would round once where the modelled hardware, and the
# exactness proofs in models/c32, count on two roundings.
set(RTVP_ARITHMETIC -ffp-contract=off)
# g++ 12 drops the narrowing of neighbouring (double)(float)x when it puts them into one vector
# register (seen at -O2 with arrays of two and three numbers): values that a machine holds in
# binary32 would keep their binary64 digits. Loops over more numbers are not touched by this.
list(APPEND RTVP_ARITHMETIC $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
# Our own code only; what follows is for whoever uses our headers, too.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror)

set(RTVP_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
if(RTVP_SANITIZE)
  # g++ 12 with -fsanitize takes members of std::regex for uninitialised (GCC's manual warns of such warnings).
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  set(RTVP_INSTRUMENT -fsanitize=${RTVP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  set(RTVP_INSTRUMENT_LINK -fsanitize=${RTVP_SANITIZE})
  # clang links the sanitizer's run-time system into the program: its functions cannot be stood in front of.
  if(RTVP_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(RTVP_SANITIZER_SOURCES ${CMAKE_CURRENT_LIST_DIR}/coroutine_stacks.cpp)
  endif()
endif()
option(RTVP_COVERAGE "Instrument for gcov" OFF)
if(RTVP_COVERAGE)
  list(APPEND RTVP_INSTRUMENT --coverage -fno-inline)
  list(APPEND RTVP_INSTRUMENT_LINK --coverage)
endif()

# rtvp::language - C++20, arithmetic and instrumentation: every target has it, and passes it on to programs outside this tree.
add_library(rtvp_language INTERFACE)
add_library(rtvp::language ALIAS rtvp_language)
set_target_properties(rtvp_language PROPERTIES EXPORT_NAME language)
set_property(TARGET rtvp_language PROPERTY RTVP_COMPONENT common)
install(TARGETS rtvp_language EXPORT rtvp_common)
target_compile_features(rtvp_language INTERFACE cxx_std_20)
target_compile_options(rtvp_language INTERFACE ${RTVP_ARITHMETIC} ${RTVP_INSTRUMENT})
target_link_options(rtvp_language INTERFACE ${RTVP_INSTRUMENT_LINK})
if(RTVP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "RTVP_FUZZ needs clang (preset fuzz)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
