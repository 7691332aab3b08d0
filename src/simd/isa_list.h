// src/simd/isa_list.h: every instruction set that kernels are compiled for. The only place that lists them: the build,
// the choice at run time and the tests read it. A new one is a line here and a file lanes_NAME.h (see lanes.h).
//
//     SG_ISA(name, processors, flags, whether the machine has it)
//
// The name is what SNUG_ISA and snugGetInstructionSet call it. Processors, a regular expression for what CMake calls
// CMAKE_SYSTEM_PROCESSOR, and compiler flags are for CMake, which reads the lines that begin with SG_ISA and takes the
// text in quotes: one line each. The last is asked at run time, in code that every machine runs. Sets of one
// processor go from the plainest to the richest: the last that a machine has is the one to use.
//
// A WebAssembly engine refuses a module with instructions that it does not know: there the choice is made when
// compiling (SNUG_SCALAR_ONLY).
//
// Include it with SG_EACH_ISA(name, isThere) defined: it stands for each set that this build has, for which alone CMake
// defines SNUG_HAVE_name as 1; for all others it is 0.
// clang-format off
#define SG_IF_0(...)
#define SG_IF_1(...) __VA_ARGS__
#define SG_IF_(have) SG_IF_##have
#define SG_IF(have) SG_IF_(have)
#define SG_ISA(name, processors, flags, isThere) SG_IF(SNUG_HAVE_##name)(SG_EACH_ISA(name, isThere))

SG_ISA(scalar, ".*", "", true)
SG_ISA(sse2, "x86_64|AMD64|amd64", "-msse2", sgHasX86("sse2"))
SG_ISA(avx2, "x86_64|AMD64|amd64", "-mavx2 -mfma", sgHasX86("avx2") && sgHasX86("fma"))
SG_ISA(avx512, "x86_64|AMD64|amd64", "-mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma", sgHasX86("avx512f") && sgHasX86("avx512vl") && sgHasX86("avx512dq") && sgHasX86("avx512bw"))
SG_ISA(neon, "aarch64|arm64|ARM64", "", true)
SG_ISA(simd128, "wasm32", "-msimd128", true)

#undef SG_ISA
#undef SG_EACH_ISA
#undef SG_IF
#undef SG_IF_
#undef SG_IF_1
#undef SG_IF_0
// clang-format on
