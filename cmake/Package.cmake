# The package: what a program outside this tree finds with find_package(rtvp COMPONENTS ...), from the build folder or
# installed, and all else that is installed. Included last: it exports every library that rtvp_library() made.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rtvp)
set(package ${PROJECT_BINARY_DIR}/lib/cmake/rtvp)

# What each component needs: other components, and packages of others. Read off the links of its libraries.
set(RTVP_PACKAGE_OF
  "Boost::headers=Boost" "Boost::json=Boost:json" "Boost::program_options=Boost:program_options" "PNG::PNG=PNG" "libjpeg-turbo::turbojpeg=libjpeg-turbo" "OpenEXR::OpenEXR=OpenEXR" "ZLIB::ZLIB=ZLIB"
  "OpenSSL::Crypto=OpenSSL" "SQLite::SQLite3=SQLite3" "tinyobjloader::tinyobjloader_double=tinyobjloader"
  "SystemC::systemc=SystemC" "asmjit::asmjit=asmjit" "Edit::edit=Edit" "Threads::Threads=Threads")
function(rtvp_need component link)
  string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link ${link})
  if(link MATCHES "^rtvp::")
    get_target_property(link ${link} ALIASED_TARGET)
  endif()
  if(link MATCHES "^rtvp_")
    get_target_property(other ${link} RTVP_COMPONENT)
    if(NOT other STREQUAL component)
      set_property(GLOBAL APPEND PROPERTY RTVP_NEEDS_${component} ${other})
    endif()
    return()
  endif()
  foreach(row IN LISTS RTVP_PACKAGE_OF)
    if(row MATCHES "^${link}=(.*)$")
      set_property(GLOBAL APPEND PROPERTY RTVP_PACKAGES_${component} ${CMAKE_MATCH_1})
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "component ${component} links ${link}: say in cmake/Package.cmake which package that is of")
endfunction()

get_property(libraries GLOBAL PROPERTY RTVP_LIBRARIES)
foreach(library IN LISTS libraries ITEMS rtvp_systemc)
  get_target_property(component ${library} RTVP_COMPONENT)
  get_target_property(links ${library} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    rtvp_need(${component} ${link})
  endforeach()
endforeach()

set(RTVP_NEEDS "")
foreach(component IN LISTS RTVP_COMPONENTS)
  foreach(kind NEEDS PACKAGES)
    get_property(values GLOBAL PROPERTY RTVP_${kind}_${component})
    list(REMOVE_DUPLICATES values)
    list(SORT values)
    string(APPEND RTVP_NEEDS "set(_rtvp_${component}_${kind} ${values})\n")
  endforeach()
  export(EXPORT rtvp_${component} NAMESPACE rtvp:: FILE ${package}/rtvp_${component}.cmake)
  install(EXPORT rtvp_${component} NAMESPACE rtvp:: DESTINATION ${package_folder} FILE rtvp_${component}.cmake
    COMPONENT development)
endforeach()

set(RTVP_BOOST_VERSION ${Boost_VERSION_STRING})
# Data lies in the build folder, or where the package file can tell from its own place.
set(RTVP_DATA_DIR ${PROJECT_BINARY_DIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/rtvpConfig.cmake.in ${package}/rtvpConfig.cmake @ONLY)
file(RELATIVE_PATH up /${package_folder} /${CMAKE_INSTALL_DATADIR}/rtvp)
set(RTVP_DATA_DIR "\${CMAKE_CURRENT_LIST_DIR}/${up}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/rtvpConfig.cmake.in ${PROJECT_BINARY_DIR}/installed/rtvpConfig.cmake @ONLY)
write_basic_package_version_file(${package}/rtvpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/modules DESTINATION ${package})
install(FILES ${PROJECT_BINARY_DIR}/installed/rtvpConfig.cmake ${package}/rtvpConfigVersion.cmake DESTINATION ${package_folder}
  COMPONENT development)
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/modules DESTINATION ${package_folder} COMPONENT development)

# <rtvp/models/...> from the build folder, as from where it is installed.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/rtvp SYMBOLIC)

# Data: what programs look for beside themselves (models/common/core/shared_files.hpp), in the build folder by links.
set(data ${CMAKE_INSTALL_DATADIR}/rtvp)
# Folders of firmware are none: `cp -r` of a link to one is the link, and what is changed then would be the build's.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${data})
foreach(name scenes computers)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name} ${PROJECT_BINARY_DIR}/${data}/${name} SYMBOLIC)
endforeach()
file(CREATE_LINK ${PROJECT_BINARY_DIR}/firmware ${PROJECT_BINARY_DIR}/${data}/firmware SYMBOLIC)
file(GLOB examples RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS firmware/examples/*)
foreach(name ${examples})
  configure_file(${name} ${PROJECT_BINARY_DIR}/${name} COPYONLY)
endforeach()
install(DIRECTORY scenes computers DESTINATION ${data} COMPONENT programs)
install(DIRECTORY firmware/ DESTINATION ${data}/firmware COMPONENT programs
  PATTERN CMakeLists.txt EXCLUDE PATTERN *.cpp EXCLUDE PATTERN *.hpp EXCLUDE PATTERN tools EXCLUDE)
# And what was built of it: images, the hart's programs, the C3x runtime library, what the boards' sources include.
install(DIRECTORY ${PROJECT_BINARY_DIR}/firmware/ DESTINATION ${data}/firmware COMPONENT programs
  FILES_MATCHING PATTERN *.coff PATTERN *.elf PATTERN *.lib PATTERN protocol.inc
  PATTERN CMakeFiles EXCLUDE)
