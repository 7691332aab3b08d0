// papers/bdtree.h: James, Pai, "BD-Tree: output-sensitive collision detection for reduced deformable models" (2004), as
// printed. docs/papers.md has what they measured and we do.
//
//     section 3.1         layeredSpheres     what it compares with (Brown et al. 2001)
//     sections 3.2, 3.4   bdTree, bdCollide  spheres about mean centres, updated when first looked at
//     section 3.3         bdTree_GetGrowth   the length of all dR of a sphere
//     section 3.4, Fig. 7 contactSpheres     spheres of a level: bounded depth
//     section 3.5         bdTreeDef          boxes, oriented boxes, the temporal update
//     section 4           simWorld           bodies that vibrate and fall on a heap; simChairs, simShower
#ifndef PAPERS_BDTREE_H
#define PAPERS_BDTREE_H

#include "papers/bdtree/bd_tree.h"
#include "papers/bdtree/contact_spheres.h"
#include "papers/bdtree/layered_spheres.h"

#endif
