# Debian packages of what is installed: rtvp (programs and their data), rtvp-dev (libraries, headers, CMake package), rtvp-doc,
# python3-rtvp.
# scripts/package makes and tries them.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/debian)
configure_file(LICENSE ${PROJECT_BINARY_DIR}/debian/copyright COPYONLY)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/debian/changelog.gz
  COMMAND ${GZIP_PROGRAM} -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${PROJECT_BINARY_DIR}/debian/changelog.gz
  DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md VERBATIM COMMENT "")
add_custom_target(rtvp_changelog ALL DEPENDS ${PROJECT_BINARY_DIR}/debian/changelog.gz)
foreach(row programs=rtvp development=rtvp-dev documents=rtvp-doc python=python3-rtvp)
  string(REPLACE "=" ";" row ${row})
  list(GET row 0 component)
  list(GET row 1 package_name)
  install(FILES ${PROJECT_BINARY_DIR}/debian/copyright ${PROJECT_BINARY_DIR}/debian/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_name} COMPONENT ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_name})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL programs development documents python)
set(CPACK_PACKAGE_NAME rtvp)
set(CPACK_PACKAGE_CONTACT "rtvp maintainers <maintainers@rtvp.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION "simulated ray-tracing hardware: programs
 The platform renders scenes on simulated machines (TigerSHARK, THEIA, XPHMG_RT, an
 implicit-surface unit) and reports what they did. With it: assemblers, linkers and
 runners of each machine, scenes, descriptions of computers, and firmware.")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "gcc-riscv64-unknown-elf, gtkwave, rtvp-doc")

set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "simulated ray-tracing hardware: models for SystemC platforms
 Static libraries, headers and the CMake package (find_package(rtvp)) of the machines'
 cores, their TLM-2.0 modules, and the platform itself.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# Static libraries are of one build: the same version, to the letter. The others are what rtvpConfig.cmake looks for.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "rtvp (= ${PROJECT_VERSION}), libsystemc-dev, libboost${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}-dev, libboost-json${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}-dev, libboost-program-options${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}-dev, libpng-dev, libturbojpeg0-dev, libjpeg62-turbo-dev, libopenexr-dev, zlib1g-dev, libssl-dev, libsqlite3-dev, libtinyobjloader-dev, libedit-dev, libasmjit-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake, g++")

set(CPACK_COMPONENT_DOCUMENTS_DESCRIPTION "simulated ray-tracing hardware: documents and examples
 Programmers' references of the machines, measurements, the tools' manuals, and
 example platforms to build upon.")
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_ARCHITECTURE all)

set(CPACK_COMPONENT_PYTHON_DESCRIPTION "simulated ray-tracing hardware: runs and sweeps from Python
 The module rtvp starts the platform and returns pictures, hits, statistics with their
 units and tables of sweeps, as data frames where pandas is installed.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "rtvp (>= ${PROJECT_VERSION}), python3 (>= 3.11)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, jupyter-notebook")
# Compiled when installed, and cleaned before removal: else what Python leaves there would stay.
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/python/postinst;${PROJECT_SOURCE_DIR}/packaging/python/prerm")
include(CPack)
