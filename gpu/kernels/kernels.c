// gpu/kernels/kernels.c: all kernels, as one program: for a GPU, and for this processor in place of one.
#include "layout.h"

#if defined(__NVPTX__)
#include "geometry/predicates.c"
#include "geometry/triangle.c"
#else
#include "geometry/frame.h"
#endif

#include "broad.h"
#include "groups.h"
#include "place.h"
#include "results.h"
#include "roots.h"
#include "triangles.h"
