# Components of the package (cmake/Package.cmake): every library that is installed belongs to one, that of its folder, and is
# exported with it. find_package(rtvp COMPONENTS c32 xphmg) then looks for what these need and for nothing else.
include(GNUInstallDirs)
set(RTVP_COMPONENTS common hostcode debug c32 tigershark theia rv64 xphmg implicit sl platform)
set(RTVP_HEADER_FOLDER ${CMAKE_INSTALL_INCLUDEDIR}/rtvp)
# What a folder's libraries belong to; the first row that matches counts.
set(RTVP_COMPONENT_OF_FOLDER
  "models/xphmg/hart=rv64" "models/theia/debug=platform" "models/implicit/debug=platform"
  "models/common=common" "models/hostcode=hostcode" "models/debug=debug" "models/c32=c32" "models/tigershark=tigershark" "models/theia=theia"
  "models/xphmg=xphmg" "models/implicit=implicit" "models/sl=sl"
  "firmware/theia=theia" "firmware/xphmg=xphmg" "firmware=tigershark" "platform=platform")

# rtvp_component(OUT): the component of the current folder.
function(rtvp_component out)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(row IN LISTS RTVP_COMPONENT_OF_FOLDER)
    string(REPLACE "=" ";" row ${row})
    list(GET row 0 below)
    if("${folder}/" MATCHES "^${below}/")
      list(GET row 1 component)
      set(${out} ${component} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${folder} is of no component: add it to cmake/Components.cmake")
endfunction()

# rtvp_publish(TARGET [COMPONENT name] SOURCES ... HEADERS ...): installs and exports a library with its headers, which are
# those named like its sources and HEADERS. Includes say "models/..." or <rtvp/models/...>: both folders are passed on.
function(rtvp_publish target)
  cmake_parse_arguments(ARG "" "COMPONENT" "SOURCES;HEADERS" ${ARGN})
  if(NOT ARG_COMPONENT)
    rtvp_component(ARG_COMPONENT)
  endif()
  set(headers ${ARG_HEADERS})
  foreach(source IN LISTS ARG_SOURCES)
    string(REGEX REPLACE "\\.cpp$" ".hpp" header ${source})
    if(NOT IS_ABSOLUTE ${header} AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${header})
      list(APPEND headers ${header})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES headers)
  get_target_property(type ${target} TYPE)
  set(scope PUBLIC)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  set_property(TARGET ${target} PROPERTY RTVP_COMPONENT ${ARG_COMPONENT})
  install(TARGETS ${target} EXPORT rtvp_${ARG_COMPONENT}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    FILE_SET HEADERS DESTINATION ${RTVP_HEADER_FOLDER} COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()
