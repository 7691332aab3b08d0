// src/query/triangles.h: single triangles of a body, placed, for queries that come back to some of those that were
// found.
#ifndef SG_TRIANGLES_H
#define SG_TRIANGLES_H

#include "body/body.h"

typedef struct sgPlacedTriangle
{
	uint32_t place;  ///< leaf * SG_LANES + lane; SNUG_MAX_COUNT times that is below 2^32
	uint32_t number; ///< the caller's
	float corners[3][3];
	uint32_t vertices[3]; ///< in tree order; of twins the one that stands for them
	float normal[3];      ///< of unit length; zero without area
} sgPlacedTriangle;

#define SG_KEPT_TRIANGLES 64

typedef struct sgTriangleSource
{
	snugBody* body;
	sgPlacement placement;
	sgPlacedTriangle triangle;                ///< the last one: sorted pairs ask for the same again
	sgPlacedTriangle kept[SG_KEPT_TRIANGLES]; ///< by place modulo their number: neighbours ask for what these asked for
} sgTriangleSource;

/// sgTwinOf in the pose of a body.
uint32_t sgBody_FindTwin(const snugBody* body, uint32_t vertex);

/// @param origin null: positions stay in body space
/// @return snug_outOfRange, with a message, if the body is too far from the origin
snugStatus sgTriangleSource_Start(
    sgTriangleSource* source, snugBody* body, const double origin[3], snugCounters* counters);

/// Have source->triangle be the one at a place.
void sgTriangleSource_Fetch(sgTriangleSource* source, uint32_t place, snugCounters* counters);

/// The placed position of a vertex, in tree order, evaluated now.
void sgTriangleSource_Vertex(
    const sgTriangleSource* source, uint32_t vertex, float position[3], snugCounters* counters);

/// The unit normal of a triangle; zero without area.
void sgUnitNormal(const float triangle[3][3], float normal[3]);

#endif
