# The same with clang, which takes headers and libraries from Debian's cross compiler.
include(${CMAKE_CURRENT_LIST_DIR}/aarch64.cmake)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
