// baselines/accumulated_spheres.h: the sphere tree that the meshless papers compare with (Adams et al. 2005).
//
// A node's rest sphere is moved by its mean transform, and its radius grows by the sum over transforms of the largest
// difference in displacement that each can cause. With mean weights m_j, M = sum m_j T_j, deviations d_j = max |w_j -
// m_j|,
//
//     v' = M v + sum_j (w_j - m_j) (T_j - M) v,     since the weights of a vertex, and the means, sum to 1,
//
// so |v' - M p| <= |M| r + sum_j d_j (|(T_j - M) p| + |T_j - M| r), |.| being a bound of the spectral norm of the
// linear part. Sums do not cancel, which is why it gets looser the more transforms there are.
#ifndef BASELINES_ACCUMULATED_SPHERES_H
#define BASELINES_ACCUMULATED_SPHERES_H

#include "model/model.h"

typedef struct accumulatedSpheres accumulatedSpheres;

/// Prepare all nodes of a blend model.
/// @return null if there is no memory
accumulatedSpheres* accumulatedSpheres_Create(const snugModel* model);
void accumulatedSpheres_Destroy(accumulatedSpheres* spheres);

/// The sphere of a node in a pose. Computed in double, with a millionth of the radius added; nothing is proved.
/// @param matrices 12 floats per transform, by rows
/// @return the radius
double accumulatedSpheres_Bound(
    const accumulatedSpheres* spheres, uint32_t slot, const float* matrices, double center[3]);

#endif
