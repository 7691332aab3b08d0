// papers/meshless.h: Steinemann, Otaduy, Gross, "Efficient bounds for point-based animations" (2007) and "Tight and
// efficient surface bounds in meshless animation" (2008), as printed. docs/papers.md has what they measured and we do.
//
//     section 4.1        binaryTree         medians, a triangle per leaf
//     section 4.2        limitedTree        the front, and leaves bounded by their vertices
//     section 5.2.2      cornersBox         n (n - 1) corners
//     section 5.3        limitedBody_Bound  Eq. (12), from boxes, oriented boxes or 14-DOPs to boxes or k-DOPs
//     section 6          limitedCollide     pairs, and what they cost; .bottomUp is what gains are over
//     section 6, Fig. 5  accumulatedSpheres Adams et al. 2005
//     section 6, Table 3 spatialHash        Teschner et al. 2003
//     section 7          .displaces         nodes that only displace
#ifndef PAPERS_MESHLESS_H
#define PAPERS_MESHLESS_H

#include "papers/meshless/accumulated_spheres.h"
#include "papers/meshless/corners.h"
#include "papers/meshless/limited_tree.h"
#include "papers/meshless/spatial_hash.h"

#endif
