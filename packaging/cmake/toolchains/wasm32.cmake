# WebAssembly with Debian's clang, lld and wasi-libc; programs run in node. A query takes up to 300 KB of stack, and
# the tests more: lld's default of 64 KB would be overwritten in silence.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,stack-size=8388608 -Wl,--stack-first")
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
set(CMAKE_CROSSCOMPILING_EMULATOR node ${CMAKE_CURRENT_LIST_DIR}/../../../test/cross/run_wasi.mjs)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
