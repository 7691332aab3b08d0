// snug_queries.h: the questions after "which triangles meet?": where they are, what a ray hits, how far apart bodies
// are, what is inside.
//
// The rules of snug.h hold here too: zero means default, reserved members are zero, bad data return a status, queries
// do not allocate (but for an index of numbers, which says so), a body belongs to one thread at a time. Everything is
// about the same float32 positions that snugBody_GetVertices reports for the query's origin, and evaluates only what it
// visits. Results are the same bits for every instruction set, compiler and build.
#ifndef SNUG_SNUG_QUERIES_H
#define SNUG_SNUG_QUERIES_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// @defgroup positions Positions of some triangles
/// @{

/// Posed positions of some vertices, frame included: the same bits as snugBody_GetVertices, but only these are
/// evaluated. The first call of this function or the next one for a body makes an index of its numbers, four bytes for
/// each vertex and triangle, with the body's allocator; the body keeps it.
/// @param origin nullable; positions are relative to it; default zero
/// @param vertices their numbers, in any order, repeated or not; nullable if count is zero
/// @param positions receives x, y, z of each; nullable if count is zero
/// @param stride bytes from one vertex to the next; 0 means 12
/// @return snug_badArgument, with a message and nothing written, if there is no vertex with such a number;
/// snug_outOfMemory if there is none for the index; snug_outOfRange as snugBody_GetVertices
SNUG_API snugStatus snugBody_GatherVertices(
    snugBody* body, const double origin[3], const uint32_t* vertices, uint32_t count, float* positions, size_t stride);

/// Posed positions of the corners of some triangles, those of reported pairs, say.
/// @param triangles their numbers, in any order, repeated or not; nullable if count is zero
/// @param corners receives x, y, z of the three corners of each, in the order of the model's definition; nullable if
/// count is zero
/// @param stride bytes from one triangle to the next; 0 means 36
/// @return as snugBody_GatherVertices
SNUG_API snugStatus snugBody_GetCorners(
    snugBody* body, const double origin[3], const uint32_t* triangles, uint32_t count, float* corners, size_t stride);

/// A box around all vertices of triangles below a node of the tree, as queries see it, for drawing. It is relative to
/// the body's frame: turn and move its corners as snugBody_SetFrame says.
typedef struct snugNodeBox
{
	float lower[3];
	float upper[3];
	uint32_t node;  ///< a number of its own
	uint32_t level; ///< the root's is 0
} snugNodeBox;

/// The boxes of one level of the tree, and of leaves above it: so that all triangles are in one of them.
/// @param level or SNUG_NONE: the boxes that queries have looked at since the body was posed. None for bodies that use
/// the model's own boxes: rigid ones, and bodies of fields whose amplitudes are zero
/// @param boxes nullable; receives the first `capacity` boxes
/// @param count receives how many there are
SNUG_API snugStatus snugBody_GetBoxes(
    snugBody* body, uint32_t level, snugNodeBox* boxes, uint64_t capacity, uint64_t* count);

/// @}

/// @defgroup rays Rays
/// What a straight line from one point to another hits. Whether it hits a triangle is decided exactly, for float32
/// points and float32 corners: the closed segment and the closed triangle share a point. So nothing slips between
/// triangles that share an edge or a corner, and a ray through one hits all of them. A triangle without area is the
/// segment or the point that it is; a ray of length zero is a point.
/// @{

/// A ray begins and ends. For one that goes far, choose an end beyond everything.
typedef struct snugRay
{
	float from[3]; ///< relative to the query's origin, magnitude at most SNUG_MAX_COORDINATE, as `to`
	float to[3];
} snugRay;

/// Where a ray meets a triangle first: it may lie in its plane.
typedef struct snugRayHit
{
	double t;          ///< the place is from + t (to - from), 0 <= t <= 1; right to 2^-38 of itself. 2 for a miss
	double weights[3]; ///< of the triangle's corners, none negative, right to 2^-32: the place is their weighted sum
	float position[3]; ///< the place, relative to the query's origin
	float normal[3];   ///< of unit length, to the side from which corners turn counterclockwise; zero without area
	uint32_t triangle; ///< or SNUG_NONE
	uint32_t body;     ///< in scenes: its id, or SNUG_NONE; else zero
} snugRayHit;

/// How to ask. All zero: the nearest hits, relative to zero.
typedef struct snugRayQuery
{
	double origin[3]; ///< in scenes zero: theirs counts
	bool any; ///< for snugCastRays: any hit will do, which is faster. Always the same one for the same model and pose.
	          ///< For snugScene_CastRays: one of the body with the smallest id that has one
	uint32_t mask; ///< in scenes: bits, of the bodies in one of these groups; default all
	uint64_t reserved[7];
} snugRayQuery;

/// Find what each of some rays hits first: the least t, and of equal ones the smallest triangle number.
/// @param rays nullable if count is zero
/// @param hits receives one for each ray; nullable if count is zero
/// @param query nullable
/// @return count: rays that hit something. snug_badInput, with a message that names it, if a ray is not finite or too
/// far out. Counters, here and below: triangleTests are triangles in leaves, exactTests those that float32 left
SNUG_API snugResult snugCastRays(
    snugBody* body, const snugRay* rays, uint64_t count, snugRayHit* hits, const snugRayQuery* query);

/// Find everything that one ray hits.
/// @param hits nullable if capacity is zero; receives the `capacity` first ones, sorted by t, then by triangle
/// @param query nullable
/// @return count: triangles that are hit, possibly more than `capacity`
SNUG_API snugResult snugFindHits(
    snugBody* body, const snugRay* ray, snugRayHit* hits, uint64_t capacity, const snugRayQuery* query);

/// @}

/// @defgroup distance Distance
/// How far apart things are, and where. A distance is zero if and only if the exact test says that they share a point;
/// otherwise it is right to 2^-40 of their extent, the largest difference of coordinates. Among equals the smallest
/// triangle numbers win.
/// @{

/// What to ask. All zero: however far, relative to zero.
typedef struct snugDistanceQuery
{
	double origin[3];
	double maxDistance; ///< look no farther than this, which is faster; zero: no limit
	uint64_t reserved[8];
} snugDistanceQuery;

/// Where a body is nearest to a point.
typedef struct snugClosest
{
	double distance;   ///< infinite if there is nothing within maxDistance
	float position[3]; ///< on the body
	float normal[3];   ///< of the triangle: of unit length, or zero without area
	uint32_t triangle; ///< or SNUG_NONE
	uint32_t reserved;
} snugClosest;

/// Find where a body is nearest to each of some points.
/// @param points x, y, z of each, relative to the query's origin; nullable if count is zero
/// @param stride bytes from one point to the next; 0 means 12
/// @param closest receives one for each point; nullable if count is zero
/// @param query nullable
/// @return count: points with something within maxDistance. snug_badInput, with a message that names it, if a point is
/// not finite or too far out. Counters: triangleTests are triangles whose distance was computed, exactTests those that
/// have the point in their box
SNUG_API snugResult snugFindClosest(snugBody* body, const float* points, size_t stride, uint64_t count,
    snugClosest* closest, const snugDistanceQuery* query);

/// How far apart two bodies are.
typedef struct snugDistanceResult
{
	snugStatus status;
	bool isWithin;   ///< false: they are farther apart than maxDistance, or one has no triangles
	double distance; ///< infinite if not within
	uint32_t a, b;   ///< the triangles; if they touch, those that snugTouches names
	float pointA[3]; ///< the points that are so near, relative to the query's origin
	float pointB[3];
	snugCounters counters; ///< triangleTests: pairs of triangles whose distance was computed; exactTests: pairs that
	                       ///< float32 could not decide when it was asked whether they touch
	uint64_t reserved[4];
} snugDistanceResult;

/// Find the distance of two different bodies.
/// @param query nullable
SNUG_API snugDistanceResult snugFindDistance(snugBody* a, snugBody* b, const snugDistanceQuery* query);

/// Find all pairs of triangles of two different bodies whose distance is at most the margin. Pairs that intersect are
/// always among them. A pair whose distance differs from the margin by less than 2^-40 of its extent may be there or
/// not, but the same on every machine. Counters: triangleTests are pairs of triangles whose boxes are within the
/// margin, exactTests those of them whose boxes overlap.
/// @param margin not negative; zero: what snugCollide finds
/// @param query nullable; no threads and no witness are used
SNUG_API snugResult snugCollideWithin(snugBody* a, snugBody* b, double margin, const snugQuery* query);

/// @}

/// @defgroup inside Inside
/// Whether a point, or a body, is inside a body whose surface is closed: whether a half-line from there crosses it an
/// odd number of times. Crossings are counted exactly, through edges and corners too, so the answer is right however
/// close to the surface the point is. A surface is closed if each edge has an even number of triangles, where twins
/// (snugModel_GetTwins) are one vertex: ask snugModel_CountOpenEdges. With open edges the answer is about the
/// half-line that goes along the first axis, to greater x, and the same everywhere.
/// @{

/// Where something is, as seen from a body.
typedef enum snugSide
{
	snug_outside = 0,
	snug_inside,
	snug_onSurface,   ///< a point of a triangle; of bodies: they touch
	snug_partlyInside ///< a body of several parts, of which some are inside; none touches
} snugSide;

/// Where a point is.
typedef struct snugPointSide
{
	snugSide side;
	int32_t winding; ///< how often the surface is wound around it, counterclockwise triangles being seen from outside:
	                 ///< in two closed parts that overlap it is 2, and `side` is outside. Zero on the surface
	uint32_t triangle; ///< on the surface: the smallest one that it is in. Otherwise SNUG_NONE
} snugPointSide;

/// Find where each of some points is.
/// @param points x, y, z of each, relative to the origin; nullable if count is zero
/// @param stride bytes from one point to the next; 0 means 12
/// @param sides receives one for each point; nullable if count is zero
/// @param origin nullable; default zero
/// @return count: points that are not outside. snug_badInput, with a message that names it, if a point is not finite or
/// too far out. Counters, here and below, are those of rays
SNUG_API snugResult snugFindInside(
    snugBody* body, const float* points, size_t stride, uint64_t count, snugPointSide* sides, const double origin[3]);

/// Find whether a body is inside another one, which must be closed. If they do not touch, each part of the inner body
/// is inside as a whole or outside as a whole. A body without triangles is outside.
/// @param origin nullable; default zero
/// @param side nullable; receives where the inner body is
/// @return count: 1 if it is inside
SNUG_API snugResult snugFindBodyInside(snugBody* inner, snugBody* outer, const double origin[3], snugSide* side);

/// A vertex of one body that is inside another one, or on its surface.
typedef struct snugVertexDepth
{
	double depth;      ///< how far it is to the surface: zero on it; infinite if farther than maxDistance
	float position[3]; ///< where the surface is nearest, relative to the query's origin
	float normal[3];   ///< of the triangle there: of unit length, or zero without area
	uint32_t triangle; ///< or SNUG_NONE
	uint32_t vertex;   ///< of the body that is asked about
} snugVertexDepth;

/// Find which vertices of a body, such as a garment, are inside another one, such as who wears it, and how deep. The
/// body may be open; `outer` must be closed. Answers are those of snugFindInside and snugFindClosest at the positions
/// of snugBody_GetVertices. Vertices of no triangle count as well.
/// @param depths receives the `capacity` with the smallest numbers, sorted by vertex; nullable if that is zero
/// @param query nullable
/// @return count: vertices that are not outside. snug_outOfMemory as snugBody_GatherVertices
SNUG_API snugResult snugFindVertexDepths(
    snugBody* body, snugBody* outer, snugVertexDepth* depths, uint64_t capacity, const snugDistanceQuery* query);

/// Find which of a body's own vertices and triangles are inside it: where one part of it is within another. There the
/// surface is wound around what is in front of it as well as around what is behind it, which is once more: neither is
/// outside of the body. What is asked about is the point just in front of a triangle, next to a corner, so a part's own
/// surface does not count, and the answer is exact. The body should be closed, as for snugFindInside, and its triangles
/// turn the same way: of those that are turned over, corners count as inside.
///
/// Where the body is does not matter, as in snugCollideSelf. Takes memory for a moment, 73 to 121 bytes per triangle,
/// from the body's allocator. Takes two to five times as long as snugCollideSelf; where most triangles have an open
/// edge or turn against their neighbours, about two microseconds for each vertex and triangle.
/// @param vertices nullable; receives one for each vertex, by number: `winding` is that of what is in front, and
/// `triangle` is one of its triangles, at which that was asked. Twins have the same answer; of no triangle with area,
/// or none at all, outside and SNUG_NONE
/// @param triangles nullable, but not both; receives one for each triangle: snug_partlyInside if it meets another one
/// beyond the corners they share, at rest or not; otherwise all of it is outside or inside. `triangle` is its number;
/// without area, outside and SNUG_NONE unless it meets another one
/// @return count: vertices that are inside, or if there are no `vertices`, triangles that are not outside.
/// snug_outOfMemory if there is none for edges
SNUG_API snugResult snugFindSelfInside(snugBody* body, snugPointSide* vertices, snugPointSide* triangles);

/// Count the edges of a model that an odd number of triangles have. Zero: the surface is closed. Takes memory for a
/// moment, 48 to 96 bytes per triangle, from the model's allocator.
SNUG_API snugStatus snugModel_CountOpenEdges(const snugModel* model, uint64_t* count);

/// @}

/// @defgroup shapes Spheres, capsules, planes
/// Which triangles of a body meet a simple shape. Planes and half spaces are decided exactly. A contact with a sphere
/// or a capsule is never missed; a triangle that is farther from it by less than 2^-37 of the extent, the largest
/// difference of coordinates of triangle and axis, may be reported too; if it is, then on every machine.
/// @{

typedef enum snugShapeKind
{
	snug_shapeSphere = 0, ///< `from`: its centre; `radius`
	snug_shapeCapsule,    ///< everything within `radius` of the segment from `from` to `to`
	snug_shapePlane,      ///< `plane`: points x with normal . x + offset = 0
	snug_shapeHalfSpace   ///< `plane` and everything behind it: normal . x + offset <= 0
} snugShapeKind;

/// A shape, relative to the query's origin. Members that its kind does not name are not looked at.
typedef struct snugShape
{
	snugShapeKind kind;
	float from[3];
	float to[3];
	float radius;    ///< not negative
	snugPlane plane; ///< its numbers below 1e-200 count as zero
	uint64_t reserved[2];
} snugShape;

/// A triangle that meets a shape.
typedef struct snugShapeContact
{
	/// Of a sphere: from its centre to the triangle; of a capsule: from its axis. Less than its radius, by how deep it
	/// is. Of planes: of the corner that is farthest back, negative by how far that is behind the plane.
	double distance;
	float position[3]; ///< where on the triangle that is
	uint32_t triangle;
} snugShapeContact;

/// What to ask. All zero: count triangles.
typedef struct snugShapeQuery
{
	double origin[3];
	snugShapeContact* contacts; ///< nullable; receives the `capacity` with the smallest numbers, sorted by triangle
	uint64_t capacity;          ///< room in `contacts`
	bool any;                   ///< stop at the first: always the same one for the same model and pose
	uint64_t reserved[8];
} snugShapeQuery;

/// Find the triangles of a body that meet a shape.
/// @param query nullable
/// @return count: triangles that meet the shape; with `any` at most 1. snug_badInput, with a message, if the shape is
/// not valid. Counters: triangleTests are triangles that were compared with the shape
SNUG_API snugResult snugCollideShape(snugBody* body, const snugShape* shape, const snugShapeQuery* query);

/// @}

/// @defgroup self Self-collision
/// @{

/// Find all pairs of triangles of one body, a < b, that share a point beyond the corners they share. Neighbours always
/// share a corner or an edge; they are reported if they meet elsewhere too, or are folded flat onto each other. Twins
/// (snugModel_GetTwins) are one corner; triangles with the same three corners are never reported. Two that meet in the
/// rest positions of the model are left out, unless `keepRest` asks for them.
///
/// Decided exactly, at the positions that snugBody_GetVertices reports for the identity frame and no origin: where the
/// body is does not matter. The same pairs for every instruction set, compiler and build of snug.
/// @param query nullable; no witness is used, and there is no origin
SNUG_API snugResult snugCollideSelf(snugBody* body, const snugQuery* query);

/// The same until the first pair is found: always the same one for the same model and pose.
/// @param query nullable; no threads and no witness are used, and there is no origin
/// @return count: 1 if there is one
SNUG_API snugResult snugTouchesSelf(snugBody* body, const snugQuery* query);

/// Find all pairs of triangles of one body, a < b, that are no farther apart than a margin, and farther apart than a
/// distance in the rest positions of the model: an arm that comes near the chest, and not what always is near.
/// Triangles that share a corner, by twins, or meet at rest are not apart there. Distances as in snugCollideWithin.
/// @param margin not negative
/// @param restDistance not negative
/// @param query nullable; no threads and no witness are used
SNUG_API snugResult snugCollideSelfWithin(snugBody* body, double margin, double restDistance, const snugQuery* query);

/// @}

/// @defgroup frontier Answers in time
/// A search for pairs that can stop at any moment and go on later. While it is not done, a frontier says where the rest
/// must be: pairs of nodes of the two trees. At every moment each pair of triangles that intersect has been reported,
/// or is below a pair of the frontier. However often a search stops, it reports every pair once, and in the end those
/// of snugCollide.
/// @{

/// A node of the first body's tree and one of the second's, with pairs of triangles below them that were not looked at
/// yet. snugBody_GetNodeBox says where they are, snugModel_GetNodeTriangles what is below.
typedef struct snugNodePair
{
	uint32_t a, b;
	uint32_t memory[3]; ///< of the search
} snugNodePair;

/// What is left of a search. Yours: all zero but the first three members to begin one. As long as it is under way, do
/// not change it, nor pose or move the bodies.
typedef struct snugFrontier
{
	snugNodePair* pairs; ///< required; room for `capacity`
	uint32_t capacity;   ///< at least 1. Where there is too little room a pair of the frontier stands for more than is
	                     ///< left below it; hundreds are plenty
	double origin[3];    ///< as in snugQuery
	uint32_t count;      ///< how many pairs of nodes there are; zero: the search is done, or has not begun
	bool isBegun;
	uint64_t memory[4]; ///< of the search
	uint64_t reserved[4];
} snugFrontier;

/// Asked now and then whether to stop: look at a clock, say. Do not pose or destroy the two bodies here.
typedef bool snugStopFcn(void* user);

/// How far to go. All zero: to the end, counting pairs.
typedef struct snugTimedQuery
{
	snugPair* pairs;   ///< nullable; receives the pairs that this call finds, sorted by (a, b)
	uint64_t capacity; ///< room in `pairs`, at least 64 unless it is null. The search stops when fewer than 64 more
	                   ///< would fit, so no pair is lost: take what was found and call again
	uint64_t maxSteps; ///< stop after so many pairs of nodes, of some ten to some hundred nanoseconds each; 0: no limit
	snugStopFcn* shouldStop; ///< nullable; called once per 16 steps, first before the first
	void* user;              ///< passed to `shouldStop`
	uint32_t maxLevel; ///< look at no triangles, but go down until nodes have this level or are leaves, as far as there
	                   ///< is room: a frontier as an answer. 0: no limit
	bool widestFirst;  ///< look first where nodes overlap most: finds more pairs early, all of them a little later
	uint64_t reserved[7];
} snugTimedQuery;

/// Begin a search for all pairs of intersecting triangles of two different bodies, or go on with it.
/// @param query nullable
/// @return count: pairs that this call found; complete: the search is done, and the frontier empty. snug_badArgument,
/// with a message, if a body has changed since the search began, or is not the one with which it began
SNUG_API snugResult snugCollideInTime(snugBody* a, snugBody* b, snugFrontier* frontier, const snugTimedQuery* query);

/// The box of one node, as snugBody_GetBoxes has it.
/// @return snug_badArgument, with a message, if there is no such node: without triangles there is none
SNUG_API snugStatus snugBody_GetNodeBox(snugBody* body, uint32_t node, snugNodeBox* box);

/// The triangles below a node of a model's tree, as numbered in the model's definition.
/// @param triangles nullable; receives the first `capacity` of them
/// @param count receives how many there are
/// @return snug_badArgument if there is no such node: without triangles there is none
SNUG_API snugStatus snugModel_GetNodeTriangles(
    const snugModel* model, uint32_t node, uint32_t* triangles, uint32_t capacity, uint32_t* count);

/// @}

/// @defgroup contacts Contacts
/// Where two bodies meet: a segment for each pair of triangles that cross, and curves that segments join to.
///
/// Every point has a name: the smallest part of each surface that it is on, a vertex, an edge or the inside of a
/// triangle. Names follow from exact signs, so segments of neighbouring triangles join without any tolerance: on closed
/// surfaces curves are closed. Vertices that are twins (snugModel_GetTwins) count as one. The place of a point depends
/// on its name alone, and is rounded to float32 once.
/// @{

/// What a pair of triangles has in common.
typedef enum snugContactKind
{
	snug_contactSegment = 0, ///< they cross: from points[0] to points[1], along normalA x normalB
	snug_contactPoint,       ///< they touch in one point
	snug_contactPolygon,     ///< they lie in one plane: 2 to 6 points, in order around
	snug_contactFlat         ///< one of them has no area: two points, which may be the same
} snugContactKind;

/// A part of a surface.
typedef enum snugFeatureKind
{
	snug_featureVertex = 0, ///< `first`: a vertex; of twins always the same one
	snug_featureEdge,       ///< `first` and `second`: the vertices of an edge, likewise
	snug_featureTriangle    ///< `first`: a triangle
} snugFeatureKind;

typedef struct snugFeature
{
	snugFeatureKind kind;
	uint32_t first;
	uint32_t second; ///< of an edge; else zero
} snugFeature;

/// A point that two surfaces share. No two have the same name, but those of snug_contactFlat, which have none: their
/// features are the two triangles.
typedef struct snugContactPoint
{
	float position[3]; ///< relative to the query's origin
	snugFeature a, b;  ///< the smallest parts of the two surfaces that it is on
} snugContactPoint;

/// A pair of triangles that meet. They come in an order of the models' own, which is always the same: neighbours are
/// close to each other.
typedef struct snugContact
{
	uint32_t a, b;
	snugContactKind kind;
	uint32_t pointCount;
	uint32_t points[6]; ///< which of the points
	uint32_t curve;     ///< or SNUG_NONE: of segments, those that another pair has as well
	float normalA[3];   ///< of unit length, to the side from which corners turn counterclockwise; zero without area
	float normalB[3];
	uint32_t reserved;
} snugContact;

/// Why a curve ends.
typedef enum snugCurveEnd
{
	snug_endNone = 0, ///< it is closed
	snug_endBoundary, ///< at a boundary of one of the surfaces: an edge that only one triangle has
	snug_endBranch,   ///< more than two segments meet: an edge of more than two triangles, or surfaces that touch
	snug_endOther,    ///< where triangles lie in one plane or touch, where one has no area, or at vertices that are at
	                  ///< one place but no twins; of one body also where a pair is left out since it meets at rest
	snug_endCorner    ///< of one body: at a vertex that both triangles have, from which on its surface crosses itself
} snugCurveEnd;

/// Segments joined end to end. If both surfaces have their triangles turn the same way, all go the same way.
typedef struct snugCurve
{
	uint32_t firstPoint;   ///< in curvePoints
	uint32_t pointCount;   ///< one more than contactCount, unless it is closed
	uint32_t firstContact; ///< in curveContacts
	uint32_t contactCount;
	bool isClosed;
	snugCurveEnd ends[2]; ///< at its first and at its last point
	double length;
	double centroid[3]; ///< of the curve itself
	/// Half of the integral of x times dx: the sum of the area vectors of whatever surface it bounds. Of an open curve,
	/// with a straight line from its end to its start. For closed surfaces whose triangles turn counterclockwise seen
	/// from outside, the sum over all curves of a contact points out of a, into b; its length is the area of the
	/// contact as seen along it: move b along it, and a against it, to part them.
	double area[3];
} snugCurve;

/// Memory for contacts, to be used again and again.
typedef struct snugContactBuffer snugContactBuffer;

typedef struct snugContactBufferDef
{
	uint32_t capacity; ///< required: pairs of triangles, up to 100 million; and three times as many points
	snugAllocator allocator;
	snugMessenger messenger;
	uint64_t reserved[4];
} snugContactBufferDef;

/// About 370 bytes for each pair.
/// @param buffer receives the buffer, or null
SNUG_API snugStatus snugContactBuffer_Create(const snugContactBufferDef* def, snugContactBuffer** buffer);

/// @param buffer nullable
SNUG_API void snugContactBuffer_Destroy(snugContactBuffer* buffer);

typedef struct snugContactQuery
{
	double origin[3];    ///< positions are relative to it
	snugWorkers workers; ///< as in snugQuery
	/// Find the depths of closed curves: how far the part of a behind a curve and the part of b behind it reach past
	/// each other along the curve's area. Move b by that along the area, and a plane parts them. These parts are the
	/// curve, and the vertices that can be reached from it on the inner side of the other surface, along edges that
	/// this does not cross; so depths are about closed surfaces whose triangles turn counterclockwise seen from
	/// outside. Zero for open curves; NaN where there are more such vertices than the buffer has room for points. Takes
	/// about a microsecond for each of them, and for each curve.
	bool depths;
	bool keepRest; ///< for snugFindSelfContacts: also pairs that meet at rest, so that no curve ends where they do
	uint64_t reserved[7];
} snugContactQuery;

/// What was found. The arrays belong to the buffer, and are good until it is used again.
typedef struct snugContactResult
{
	snugStatus status;
	bool complete;  ///< false if the buffer is too small: then there is only the count, with which to make a larger one
	uint64_t count; ///< pairs of triangles that meet
	const snugContact* contacts;
	uint32_t contactCount;
	uint32_t pointCount;
	const snugContactPoint* points;
	const snugCurve* curves;
	uint32_t curveCount;
	const uint32_t* curvePoints;   ///< which of the points, for one curve after the other
	const uint32_t* curveContacts; ///< which of the contacts, likewise
	snugCounters counters;
	const double* depths; ///< of the curves, if they were asked for; otherwise null
	uint64_t reserved[3];
} snugContactResult;

/// Find where two different bodies meet. Everything is the same for every instruction set, compiler and build of snug.
/// @param query nullable
SNUG_API snugContactResult snugFindContacts(
    snugBody* a, snugBody* b, snugContactBuffer* buffer, const snugContactQuery* query);

/// Find where a body meets itself: the pairs of snugCollideSelf, with everything that two bodies have. Along a curve
/// the triangles a are on one side and the triangles b on the other one, as if these were two bodies: at its first
/// contact, a is the smaller number. So is it in contacts of no curve. Depths are about surfaces as above; where a
/// curve does not cut off a part of the surface, all of it is behind it.
///
/// What meets, and its names, do not depend on where the body is, as in snugCollideSelf. Then everything is moved to
/// where it is, relative to the query's origin, and positions are rounded once more.
/// @param query nullable
SNUG_API snugContactResult snugFindSelfContacts(
    snugBody* body, snugContactBuffer* buffer, const snugContactQuery* query);

/// @}

/// @defgroup sweep Sweeps
/// Is the way free, and if not, when do two bodies first meet? Each is given twice: a body at the start of a step, and
/// another one, of the same model, at its end. Every vertex goes straight, at an even pace, from where
/// snugBody_GetVertices reports it for the one to where it reports it for the other. That is what lerped joint matrices
/// and amplitudes do to linear skins and fields. For frames that turn there is snug_pathTurning; where joints turn by
/// much, take smaller steps: snugFindSagitta says how much smaller.
///
/// Nothing meets before `time`: that is proved, whatever the answer. Triangles that meet at the start are found
/// exactly. The same bits for every instruction set, compiler and build of snug.
/// @{

typedef enum snugSweepAnswer
{
	snug_sweepFree = 0, ///< nothing meets until maxTime
	snug_sweepMeets,    ///< they do, at a time from `time` to `latest`: proved as well
	snug_sweepUnsure    ///< neither is proved: they come within the tolerance at most, and may just miss, or the search
	                    ///< was cut: by maxSteps, or that of two features by its room, as of nearly parallel edges that
	                    ///< are long beside the margin. Those may be farther apart. Take it for a contact at `time`
} snugSweepAnswer;

/// How a body goes from the start of a step to its end.
typedef enum snugPath
{
	snug_pathStraight = 0, ///< every vertex goes straight
	snug_pathTurning ///< its frame turns about one axis at an even pace, by no more than half a turn, while the frame's
	                 ///< position goes straight, and vertices do so in body space. What is proved is proved of this,
	                 ///< by straight ways and how far it can be from them (snugSweepResult.stray): for small turns. Of
	                 ///< a contact that is missed by no more than this the answer is unsure
} snugPath;

/// What to ask. All zero: the first contact of the whole step, relative to zero.
typedef struct snugSweepQuery
{
	double origin[3]; ///< in scenes zero: theirs counts
	double tolerance; ///< a near miss within this distance may be taken for a contact; default 2^-20 of the extent of
	                  ///< both bodies at both ends
	double margin;    ///< what is within this distance counts as meeting; up to 1.8 times that far it may
	double maxTime;   ///< look no farther than this part of the step; default 1
	uint64_t
	    maxSteps;  ///< stop after about so many pairs of nodes and of triangles; 0: no limit. `time` holds then, too
	snugPath path; ///< of both bodies
	bool newOnly;  ///< leave out pairs of triangles that meet at the start: what stands on a floor meets it always
	uint64_t reserved[6];
} snugSweepQuery;

/// What was found.
typedef struct snugSweepResult
{
	snugStatus status;
	snugSweepAnswer answer;
	double time;          ///< nothing meets before this part of the step, from 0 to 1; maxTime if the way is free
	double latest;        ///< if they meet: not after this. If it is unsure: until when they come so near
	uint32_t a, b;        ///< the triangles that come first, the smallest numbers of those that are as early, or
	                      ///< SNUG_NONE. If `latest` is much later than `time`, these are a near miss, or a graze. Of
	                      ///< features whose search was cut it counts when they are proved to meet: others, which come
	                      ///< as near as margin and tolerance allow before that, are named instead
	snugFeature featureA; ///< a vertex and a triangle, or two edges, as contacts have them; two triangles at the start
	snugFeature featureB;
	float position[3];     ///< where, at their own first time, on the straight way: `time`, but for such features
	float normal[3];       ///< of unit length, from b to a: against the way on which they meet. Zero if there is none
	double stray;          ///< how far both ways together may be from straight ones; zero for snug_pathStraight
	uint64_t count;        ///< snugSweepAll: contacts that were written. Otherwise zero
	bool complete;         ///< snugSweepAll: these are all. Otherwise there may be others, none before the last of them
	snugCounters counters; ///< triangleTests: pairs of triangles whose boxes meet on the way; exactTests: pairs of
	                       ///< features of those that had to be searched
	uint64_t reserved[4];
} snugSweepResult;

/// Find when two bodies first meet, each on its way from one pose to another.
/// @param endA nullable, or startA: the first body rests. Otherwise another body with the same model
/// @param endB likewise for the second one
/// @param query nullable
/// @return snug_badInput, with a message, if a body has another model at the end, or a number of the query is not valid
SNUG_API snugSweepResult snugSweep(
    snugBody* startA, snugBody* endA, snugBody* startB, snugBody* endB, const snugSweepQuery* query);

/// Two features that meet on their way, or may. Each two are listed once, with the first time at which they meet.
typedef struct snugSweepContact
{
	double time;          ///< they do not meet before
	double latest;        ///< if they meet: not after this. If it is unsure: until when they come so near
	snugFeature featureA; ///< a vertex and a triangle, or two edges; or two triangles that meet at the start, whose
	snugFeature featureB; ///< features are not listed for that
	uint32_t a, b;        ///< triangles that have them: the smallest numbers of those that do not meet at the start
	float position[3];    ///< as in snugSweepResult
	float normal[3];
	bool isCertain; ///< false: it is unsure whether they meet
	uint32_t reserved[2];
} snugSweepContact;

/// Find all pairs of features that meet on the way, for a response that looks at each. What snugSweep finds is the
/// first of them, but for searches that were cut, and is returned as well. The time it takes grows with the features
/// that come near each other: thousands of needles in one place may take minutes. `maxSteps` is what bounds it, and has
/// no default.
/// @param contacts nullable if capacity is zero; receives the `capacity` first ones, sorted by time, then by the
/// features' kinds and numbers
/// @param capacity below SNUG_NONE
/// @return as snugSweep, with `count` and `complete`
SNUG_API snugSweepResult snugSweepAll(snugBody* startA, snugBody* endA, snugBody* startB, snugBody* endB,
    const snugSweepQuery* query, snugSweepContact* contacts, uint64_t capacity);

/// How far a pose half-way is from the straight way between two others: the farthest that any vertex is from the middle
/// between where it starts and ends. Straight ways stray from an animation by about that much: take smaller steps, each
/// half as long strays about a fourth as far, or give it as `margin`. It is a sample, and no proof.
/// @param start, middle, end three different bodies of one model
/// @param origin nullable; default zero
/// @param distance receives it, right to 2^-40 of the extent; zero without triangles
/// @return snug_badInput, with a message, if the models are not the same; snug_outOfRange as queries
SNUG_API snugStatus snugFindSagitta(
    snugBody* start, snugBody* middle, snugBody* end, const double origin[3], double* distance);

/// @}

#ifdef __cplusplus
}
#endif

#endif
