# Linux with zig's compiler, for what is given away: tools/make-release sets these variables of the environment.
#   SNUG_ZIG     zig, of the PyPI package ziglang: the same compiler, C libraries and linker wherever it is installed
#   SNUG_TARGET  the machine and C library, as x86_64-linux-gnu.2.17 (the oldest glibc to run with) or x86_64-linux-musl
#   SNUG_PREFIX  the only place for libraries and headers beyond the C library's, whatever else is installed
# What it makes of x86-64 runs here as well, so CMAKE_SYSTEM_NAME is not set: that would be cross compiling.
if("$ENV{SNUG_TARGET}" MATCHES "^aarch64")
	set(CMAKE_SYSTEM_NAME Linux)
	set(CMAKE_SYSTEM_PROCESSOR aarch64)
endif()
set(CMAKE_C_COMPILER $ENV{SNUG_ZIG} cc -target $ENV{SNUG_TARGET})
set(CMAKE_AR $ENV{SNUG_ZIG})
set(CMAKE_RANLIB $ENV{SNUG_ZIG})
set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> ar qcD <TARGET> <OBJECTS>")
set(CMAKE_C_ARCHIVE_APPEND "<CMAKE_AR> ar qD <TARGET> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "<CMAKE_AR> ranlib -D <TARGET>")
# No path of the machine that compiles. zig turns evex512 off by name, which -mavx512f alone does not turn on again;
# without avx512f it does nothing.
set(CMAKE_C_FLAGS_INIT
	"-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffunction-sections -fdata-sections -isystem $ENV{SNUG_PREFIX}/include")
if("$ENV{SNUG_TARGET}" MATCHES "^x86_64")
	string(APPEND CMAKE_C_FLAGS_INIT " -mevex512")
endif()
# musl gives threads 128 KiB unless the program asks for what glibc gives.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s -Wl,--gc-sections -Wl,-z,stack-size=8388608")
set(CMAKE_FIND_ROOT_PATH $ENV{SNUG_PREFIX})
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
	set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
