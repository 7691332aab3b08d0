# As wasm32.cmake, for pages. Every engine that has SIMD copies memory in bulk, too.
include(${CMAKE_CURRENT_LIST_DIR}/wasm32.cmake)
set(CMAKE_C_FLAGS_INIT "-msimd128 -mbulk-memory -ffunction-sections -fdata-sections")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,stack-size=1048576 -Wl,--stack-first -Wl,--gc-sections")
