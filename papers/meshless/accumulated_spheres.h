// papers/meshless/accumulated_spheres.h: the sphere tree that the meshless papers compare with (Adams et al. 2005).
//
// A node's rest sphere, of centre p and radius r, is moved along, and its radius grows by the sum over transforms of
// the largest difference in displacement that each can cause. The meshless papers do not say of what; two readings,
// with mean weights m_j, deviations d_j = max |w_j - m_j|, greatest weights h_j, |.| a bound of a linear part's
// spectral norm:
//
// - term by term: displacements D_j v = T_j v - v of the transforms themselves. v' = v + sum_j w_j D_j v, the centre
// goes
//   to p + sum_j m_j D_j p, and |v' - p'| <= r + sum_j (d_j |D_j p| + h_j |D_j| r). What all transforms do together is
//   counted once for each.
// - mean subtracted, which is as well as sums can do: M = sum m_j T_j, v' = M v + sum_j (w_j - m_j) (T_j - M) v, since
// the
//   weights of a vertex, and the means, sum to 1; so |v' - M p| <= |M| r + sum_j d_j (|(T_j - M) p| + |T_j - M| r).
//
// Sums do not cancel, which is why both get looser the more transforms there are.
#ifndef PAPERS_ACCUMULATED_SPHERES_H
#define PAPERS_ACCUMULATED_SPHERES_H

#include "papers/common/binary_tree.h"

typedef enum accumulatedReading
{
	accumulated_meanSubtracted = 0,
	accumulated_termByTerm,
	ACCUMULATED_READINGS
} accumulatedReading;

typedef struct accumulatedSpheres accumulatedSpheres;

/// Prepare all nodes of a tree over a blend model.
/// @return null if there is no memory
accumulatedSpheres* accumulatedSpheres_Create(const binaryTree* tree);
void accumulatedSpheres_Destroy(accumulatedSpheres* spheres);

/// The sphere of a node in a pose. Computed in double, with a millionth of the radius added; nothing is proved.
/// @param matrices 12 floats per transform, by rows
/// @return the radius
double accumulatedSpheres_Bound(const accumulatedSpheres* spheres, accumulatedReading reading, uint32_t node,
    const float* matrices, double center[3]);

#endif
