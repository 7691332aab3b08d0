// gpu/kernels/kernels.c: all kernels, as one program: for a GPU, and for this processor in place of one.
#if defined(__NVPTX__)
// The exact predicates, which few pairs need. Inlined into each other they would be nine tenths of what a driver
// compiles when a device is first used; and what nobody calls it would compile too, were it visible.
#pragma clang attribute push(__attribute__((internal_linkage, noinline)), apply_to = function)
#include "geometry/predicates.c"
#include "geometry/triangle.c"
#pragma clang attribute pop
#else
#include "geometry/frame.h"
#endif

#include "broad.h"
#include "groups.h"
#include "layout.h"
#include "place.h"
#include "results.h"
#include "roots.h"
#include "triangles.h"
