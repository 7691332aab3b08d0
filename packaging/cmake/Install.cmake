# Headers, both libraries (io/CMakeLists.txt installs those of snugio), the CMake package and the pkg-config file. The program installs itself (program/CMakeLists.txt).
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/snug)

install(DIRECTORY include/snug DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
	PATTERN "snug_io.h" EXCLUDE PATTERN "snug_gpu.h" EXCLUDE)
if(TARGET snug_gpu_static)
	install(FILES include/snug/snug_gpu.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/snug)
endif()
if(TARGET snug_io_static)
	install(FILES include/snug/snug_io.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/snug)
endif()
install(TARGETS snug_static snug_shared EXPORT snugTargets
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
	RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
	INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT snugTargets NAMESPACE snug:: DESTINATION ${package_directory})

configure_package_config_file(packaging/cmake/snugConfig.cmake.in ${PROJECT_BINARY_DIR}/snugConfig.cmake
	INSTALL_DESTINATION ${package_directory} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 each minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/snugConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/snugConfig.cmake ${PROJECT_BINARY_DIR}/snugConfigVersion.cmake
	DESTINATION ${package_directory})

# The file finds the prefix from where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(packaging/snug.pc.in ${PROJECT_BINARY_DIR}/snug.pc @ONLY)
if(TARGET snug_io_static)
	configure_file(packaging/snugio.pc.in ${PROJECT_BINARY_DIR}/snugio.pc @ONLY)
	install(FILES ${PROJECT_BINARY_DIR}/snugio.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
install(FILES ${PROJECT_BINARY_DIR}/snug.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
