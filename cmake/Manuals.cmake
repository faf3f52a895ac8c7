# Manual pages and completion for shells, which the programs themselves print (models/common/core/command_form.hpp), and the
# manuals of instruction sets and registers that tools print. Included behind all folders: it knows every rtvp_program().
find_program(GZIP_PROGRAM gzip REQUIRED)
get_property(programs GLOBAL PROPERTY RTVP_PROGRAMS)
set(forms ${PROJECT_BINARY_DIR}/forms)
file(MAKE_DIRECTORY ${forms}/man ${forms}/bash ${forms}/zsh ${forms}/manuals)
set(made "")
foreach(program IN LISTS programs)
  set(page ${forms}/man/${program}.1)
  add_custom_command(
    OUTPUT ${page}.gz ${forms}/bash/${program} ${forms}/zsh/_${program}
    COMMAND ${program} --man > ${page}
    COMMAND ${GZIP_PROGRAM} -9nf ${page}
    COMMAND ${program} --completion bash > ${forms}/bash/${program}
    COMMAND ${program} --completion zsh > ${forms}/zsh/_${program}
    DEPENDS ${program} VERBATIM COMMENT "")
  list(APPEND made ${page}.gz)
endforeach()
foreach(program c32-as c32-run theia-as sl-as sdf-tape)
  set(manual ${forms}/manuals/${program}.md)
  add_custom_command(OUTPUT ${manual} COMMAND ${program} --manual > ${manual} DEPENDS ${program} VERBATIM COMMENT "")
  list(APPEND made ${manual})
endforeach()
foreach(table "parameters=params" "statistics=--stats-help")
  string(REPLACE "=" ";" table ${table})
  list(GET table 0 name)
  list(GET table 1 word)
  set(manual ${forms}/manuals/${name}.txt)
  add_custom_command(OUTPUT ${manual} COMMAND platform ${word} > ${manual} DEPENDS platform VERBATIM COMMENT "")
  list(APPEND made ${manual})
endforeach()
add_custom_target(rtvp_forms ALL DEPENDS ${made})

install(DIRECTORY ${forms}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs FILES_MATCHING PATTERN *.gz)
install(DIRECTORY ${forms}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT programs)
install(DIRECTORY ${forms}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT programs)

# Documents: those of the tree, the printed manuals, and examples to copy.
set(documents ${CMAKE_INSTALL_DATADIR}/doc/rtvp)
install(DIRECTORY docs/ DESTINATION ${documents} COMPONENT documents)
install(DIRECTORY ${forms}/manuals DESTINATION ${documents} COMPONENT documents)
install(DIRECTORY examples DESTINATION ${documents} COMPONENT documents)
install(FILES README.md DESTINATION ${documents} COMPONENT documents)
