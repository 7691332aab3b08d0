// src/scene/scene_shapes.c: spheres, capsules, planes and half spaces among bodies. See scene.h.
#include "geometry/margins.h"
#include "geometry/shape.h"
#include "query/probe.h"
#include "scene/scene.h"

#include <math.h>

double sgScene_FindReach(const snugScene* scene, bool shapes)
{
	double reach = 0.0;
	for (uint32_t id = 0; id < scene->bodyCount; ++id)
	{
		const sgBox* box = scene->boxes + id;
		const bool counts = sgScene_IsPresent(scene, id) && (shapes || !scene->bodies[id].isShape);
		for (int k = 0; k < 3 && counts && !sgBox_IsEmpty(box); ++k)
		{
			reach = fmax(reach, fmax(fabs((double)box->lower[k]), fabs((double)box->upper[k])));
		}
	}
	return reach;
}

sgBox sgScene_BoundShape(const snugShape* shape)
{
	sgBox box = sgBox_Empty();
	const float *p = shape->from, *q = sgShape_End(shape);
	for (int k = 0; k < 3 && shape->kind < snug_shapePlane; ++k)
	{
		box.lower[k] = sgRoundDown(fmin(p[k], q[k]) - (double)shape->radius);
		box.upper[k] = sgRoundUp(fmax(p[k], q[k]) + (double)shape->radius);
	}
	return box;
}

// The box contains placed corners, so one of them is in front of a half space, or of a plane, only if the nearest
// corner of the box is, and behind a plane likewise. Sums in double are off by far less than the margin of their terms.
bool sgScene_MayMeetFlat(const snugShape* shape, const sgBox* box)
{
	const snugPlane* plane = &shape->plane;
	double least = plane->offset, most = plane->offset, terms = fabs(plane->offset);
	for (int k = 0; k < 3; ++k)
	{
		const double n = plane->normal[k], lower = box->lower[k], upper = box->upper[k];
		least += n * (n > 0.0 ? lower : upper);
		most += n * (n > 0.0 ? upper : lower);
		terms += fabs(n) * fmax(fabs(lower), fabs(upper));
	}
	const double slack = SG_MARGIN_SHAPE_SUMS * terms;
	const bool isBehind = shape->kind == snug_shapePlane && most < -slack;
	return !sgBox_IsEmpty(box) && !(least > slack) && !isBehind;
}

/// Whose triangles are told.
typedef struct Meeting
{
	snugPairFcn* visit;
	void* user;
	bool isFirst; ///< the body has the lesser id
} Meeting;

static void Tell(void* user, uint32_t place)
{
	const Meeting* meeting = user;
	meeting->visit(meeting->user, meeting->isFirst ? (snugPair){ place, SG_NONE } : (snugPair){ SG_NONE, place });
}

void sgScene_SearchShape(snugScene* scene, sgSceneSearch* search, snugPairFcn* visit, void* user)
{
	const bool isFirst = scene->bodies[search->b].isShape;
	const uint32_t body = isFirst ? search->a : search->b, shape = isFirst ? search->b : search->a;
	Meeting meeting = { visit, user, isFirst };
	const snugResult result = sgBody_VisitShape(
	    scene->bodies[body].body, scene->shapes + shape, scene->origin, visit != NULL ? Tell : NULL, &meeting);
	search->count = result.count;
	sgScene_Count(scene, &result.counters);
}
