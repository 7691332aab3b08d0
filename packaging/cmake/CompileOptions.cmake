# How everything in this project is compiled. Directory scope: a project that includes ours keeps its own options,
# and those who link to snug inherit nothing but the include directory.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17) # C++ only in tests and in comparisons with other libraries
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" OR MSVC)
	message(FATAL_ERROR "snug is compiled with gcc or clang, on Windows with MinGW: ${CMAKE_C_COMPILER} has neither their "
		"vectors nor their flags for strict floating point. Its header works with any compiler")
endif()

# Pairs and vertices are the same bits everywhere only if no compiler fuses or reorders floating-point operations.
# That errno is not set by sqrt changes no value.
add_compile_options(-ffp-contract=off -fno-math-errno)
# gcc 12 drops the conversion in (double)(float)x where it vectorises straight-line code. Kernels vectorise by hand.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
	add_compile_options(-fno-tree-slp-vectorize)
endif()
if(CMAKE_C_FLAGS MATCHES "-ffast-math|-Ofast|-funsafe-math-optimizations|-ffinite-math-only|-fassociative-math")
	message(FATAL_ERROR "snug must not be compiled with fast-math: it would miss contacts (CMAKE_C_FLAGS: ${CMAKE_C_FLAGS})")
endif()

add_compile_options(-Wall -Wextra -Wundef -Wshadow -Wconversion $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
if(MINGW)
	# gcc does not align stacks to 32 bytes on Windows (its bug 54412), but moves registers as if it did.
	if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
		add_compile_options(-Wa,-muse-unaligned-vector-move)
	endif()
	add_compile_options(-Wno-float-conversion) # its isfinite and isnan convert in branches that are not taken
endif()
if(SNUG_WERROR)
	add_compile_options(-Werror)
endif()

if(SNUG_BUILD_FUZZ)
	if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
		message(FATAL_ERROR "SNUG_BUILD_FUZZ needs clang: use the preset fuzz, or set CMAKE_C_COMPILER")
	endif()
	add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
	add_link_options(-fsanitize=address,undefined)
elseif(SNUG_SANITIZE)
	add_compile_options(-fsanitize=${SNUG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
	add_link_options(-fsanitize=${SNUG_SANITIZE})
endif()
