# The build-tree package: a program outside this tree says find_package(rtvp CONFIG) with CMAKE_PREFIX_PATH = the build
# folder, links rtvp::platform and has the platform with a machine of its own (examples/machine). Included last: it exports
# every library that rtvp_library() made.
include(CMakePackageConfigHelpers)

set(package ${PROJECT_BINARY_DIR}/lib/cmake/rtvp)
get_property(libraries GLOBAL PROPERTY RTVP_LIBRARIES)
export(TARGETS ${libraries} rtvp_systemc rtvp_language NAMESPACE rtvp:: FILE ${package}/rtvpTargets.cmake)
configure_file(${CMAKE_CURRENT_LIST_DIR}/rtvpConfig.cmake.in ${package}/rtvpConfig.cmake @ONLY)
write_basic_package_version_file(${package}/rtvpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
