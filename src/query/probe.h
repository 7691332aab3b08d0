// src/query/probe.h: a segment as the walk over a tree needs it: in the body's space for boxes, and near each leaf for
// triangles.
#ifndef SG_QUERY_PROBE_H
#define SG_QUERY_PROBE_H

#include "body/body.h"
#include "geometry/frame.h"
#include "snug/snug_queries.h"
#include "tree/probe_kernels.h"

/// Take a segment between two placed points into body space.
sgProbe sgProbe_Make(const sgPlacement* placement, const float from[3], const float to[3]);

/// Have it meet all boxes that come within a distance of the segment along each axis at once.
void sgProbe_Widen(sgProbe* probe, double distance);

/// The same segment among placed triangles.
typedef struct sgProbeSegment
{
	double from[3];
	double along[3];    ///< to the other end
	double scale;       ///< 1 / length^2; 0 without length
	double reach;       ///< largest coordinate of its ends
	float direction[3]; ///< the largest coordinate is 1, or all are 0
} sgProbeSegment;

sgProbeSegment sgProbeSegment_Make(const float from[3], const float to[3]);

/// Its line near the triangles in a box.
sgProbeLine sgProbeSegment_Near(const sgProbeSegment* segment, const sgBox* box);

/// Once a ray has hit something, nothing that it hits later than this has to be looked for. t is right to 2^-38.
static inline float sgRay_LimitOf(const snugRayHit* best)
{
	const double limit = best->t * (1.0 + 0x1p-36);
	return limit < 1.0 ? sgRoundUp(limit) : 1.0f;
}

/// Rays that a caller gave.
/// @return snug_badInput, with a message that names it, if one is not finite or reaches too far
snugStatus sgCheckRays(const snugMessenger* messenger, const snugRay* rays, uint64_t count);

/// What rays hit first, where some may have hit other bodies already: `hits` have what was found so far. Of the rays in
/// `which`, those that hit this body earlier, or as early if it has the smaller id, get their hit replaced. In the
/// library's floating-point environment.
/// @param rays were checked
/// @param which nullable: 0, 1, 2, ...
/// @param any the first hit that is found will do, and only of rays that have none
/// @return count: how many of the rays hit this body, as far as that was looked at
snugResult sgBody_ImproveHits(snugBody* body, uint32_t id, const snugRay* rays, const uint32_t* which, uint64_t count,
    const double origin[3], bool any, snugRayHit* hits);

/// Receives each triangle that a ray hits, in the order of the tree.
typedef void sgHitFcn(void* user, const snugRayHit* hit);

/// Visit everything that a ray hits, which was checked, in the library's floating-point environment.
snugResult sgBody_VisitHits(snugBody* body, const snugRay* ray, const double origin[3], sgHitFcn* visit, void* user);

/// A shape that a caller gave.
/// @return snug_badInput, with a message, if it is not valid
snugStatus sgCheckShape(const snugMessenger* messenger, const snugShape* shape);

/// Receives the place of each triangle that meets a shape: leaf * SG_LANES + lane.
typedef void sgPlaceFcn(void* user, uint32_t place);

/// snugCollideShape with a shape that was checked, in the library's floating-point environment. Of a body that is
/// prepared, several threads may ask.
/// @param visit nullable: stops at the first triangle
snugResult sgBody_VisitShape(
    snugBody* body, const snugShape* shape, const double origin[3], sgPlaceFcn* visit, void* user);

/// Points that a caller gave.
/// @return snug_badInput, with a message that names it, if one is not finite or too far out
snugStatus sgCheckPoints(const snugBody* body, const float* points, size_t stride, uint64_t count);

#endif
