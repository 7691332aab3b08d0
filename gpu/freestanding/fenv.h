// gpu/freestanding/fenv.h: headers of the library name these; kernels do not use them.
#pragma once

typedef int fenv_t;
#define FE_DFL_ENV ((const fenv_t*)0)
#define fegetenv(environment) ((void)(environment))
#define fesetenv(environment) ((void)(environment))
