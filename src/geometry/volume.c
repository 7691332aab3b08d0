// src/geometry/volume.c: see volume.h.
#include "geometry/volume.h"

_Static_assert(sizeof(sgBallLanes) == 2 * sizeof(sgSlabLanes), "a ball takes two slabs");

const float sgDopDirections[SG_DOP_DIRECTIONS][3] = {
	{ 1, 1, 1 },
	{ 1, 1, -1 },
	{ 1, -1, 1 },
	{ -1, 1, 1 },
	{ 1, 1, 0 },
	{ 1, -1, 0 },
	{ 1, 0, 1 },
	{ 1, 0, -1 },
	{ 0, 1, 1 },
	{ 0, 1, -1 },
};
