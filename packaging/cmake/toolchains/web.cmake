# As wasm32.cmake, for pages. Every engine that has SIMD copies memory in bulk, too. Calls cost more than natively, as
# engines keep nothing in registers across them: so the linker optimises the whole, but inlines only what makes it smaller
# by that, or the file would grow for little.
include(${CMAKE_CURRENT_LIST_DIR}/wasm32.cmake)
set(CMAKE_C_FLAGS_INIT "-msimd128 -mbulk-memory -ffunction-sections -fdata-sections -flto")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,stack-size=1048576 -Wl,--stack-first -Wl,--gc-sections -Wl,-mllvm,-inline-threshold=0")
