// gpu/freestanding/math.h: what kernels need of the C library's header, from the compiler alone.
#pragma once

#define fabs __builtin_fabs
#define fabsf __builtin_fabsf
#define INFINITY __builtin_inff()
