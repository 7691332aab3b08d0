// gpu/freestanding/string.h: what kernels need of the C library's header, from the compiler alone.
#pragma once

#define memcpy __builtin_memcpy
#define memset __builtin_memset
#define memcmp __builtin_memcmp
