# rtvp_embed(SOURCE FUNCTION ns::name HEADER FILE KIND BYTES|WORDS|TEXTS [FILES ...] [DEPENDS ...])
#
# Makes the C++ file SOURCE in the build tree, which holds the contents of files and defines FUNCTION to return them. HEADER
# declares FUNCTION; its return type says what the contents become:
#   BYTES  one file as a span of std::uint8_t; empty without a file
#   WORDS  one file of hexadecimal words, one a line, as a span of std::uint32_t of fixed size; the rest is 0
#   TEXTS  files as a reference to a map from name, without folder, to text
set(RTVP_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)

function(rtvp_embed source)
  cmake_parse_arguments(ARG "" "FUNCTION;HEADER;KIND" "FILES;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_FUNCTION OR NOT ARG_HEADER OR NOT ARG_KIND MATCHES "^(BYTES|WORDS|TEXTS)$")
    message(FATAL_ERROR "rtvp_embed(${source}): see cmake/Embed.cmake")
  endif()
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${source} -DFUNCTION=${ARG_FUNCTION} -DHEADER=${ARG_HEADER} -DKIND=${ARG_KIND}
            "-DFILES=${ARG_FILES}" -P ${RTVP_EMBED_SCRIPT}
    DEPENDS ${ARG_FILES} ${ARG_DEPENDS} ${RTVP_EMBED_SCRIPT}
    VERBATIM)
endfunction()
