# rtvp_vector_kernels(TARGET NAMESPACE ns FOLDER folder [INCLUDES ...] [OPTIONS ...])
#
# Kernels for the host's vector units, once per instruction set (models/common/host_isa.hpp). FOLDER/kernels.hpp declares a struct
# Kernels of pointers to functions and `const Kernels& kernels(common::Isa)`; FOLDER/kernels_body.hpp defines `kTable`, one of
# them. The body is compiled for every instruction set, in a namespace of its own (ns::avx2) and with that set's flags and
# OPTIONS; INCLUDES are what it needs before. Generated and added to TARGET: these files and kernels(), which chooses.
set(RTVP_KERNEL_TEMPLATES ${CMAKE_CURRENT_LIST_DIR})
# Loops for the compiler's vectoriser. The flags about errno and traps change no value; they let sqrt and selections become vectors.
set(RTVP_VECTOR_LOOPS -O3 -fopenmp-simd -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Which loops become vectors is a matter of the benchmark; with sanitizers none does.
  list(APPEND RTVP_VECTOR_LOOPS -Wno-pass-failed)
endif()

function(rtvp_vector_kernels target)
  cmake_parse_arguments(ARG "" "NAMESPACE;FOLDER" "INCLUDES;OPTIONS" ${ARGN})
  set(isas Scalar)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND isas Sse42 Avx2 Avx512)
  endif()
  set(flags_Sse42 -msse4.2)
  set(flags_Avx2 -mavx2)
  set(flags_Avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 warns about the placeholder operand of its own intrinsics.
    list(APPEND flags_Avx512 -Wno-maybe-uninitialized -Wno-uninitialized)
  endif()
  list(TRANSFORM ARG_INCLUDES REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE INCLUDES)
  list(JOIN INCLUDES "\n" INCLUDES)
  set(NAMESPACE ${ARG_NAMESPACE})
  set(FOLDER ${ARG_FOLDER})
  set(TABLES "")
  set(CASES "")
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/kernels)
  foreach(isa IN LISTS isas)
    string(TOLOWER ${isa} ISA)
    configure_file(${RTVP_KERNEL_TEMPLATES}/kernels_isa.cpp.in ${generated}/${ISA}.cpp @ONLY)
    set_source_files_properties(${generated}/${ISA}.cpp PROPERTIES COMPILE_OPTIONS "${ARG_OPTIONS};${flags_${isa}}")
    target_sources(${target} PRIVATE ${generated}/${ISA}.cpp)
    string(APPEND TABLES "namespace ${ISA} {\nconst Kernels& table();\n}\n")
    string(APPEND CASES "    case common::Isa::${isa}:\n      return ${ISA}::table();\n")
  endforeach()
  configure_file(${RTVP_KERNEL_TEMPLATES}/kernels_choice.cpp.in ${generated}/choice.cpp @ONLY)
  target_sources(${target} PRIVATE ${generated}/choice.cpp)
endfunction()
