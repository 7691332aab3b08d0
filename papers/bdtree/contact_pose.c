// papers/bdtree/contact_pose.c: contact spheres of a body in its pose: made when first looked at, then remembered.
//
// Rounding. With n amplitudes that are not zero, u = 2^-24, and S the pose's reach, which bounds every intermediate of
// a vertex and so of a centre along each axis: a vertex and a centre are off by at most (n + 2) u S per axis each, as
// vectors by sqrt(3) times that, together below 3.5 (n + 2) u S. A radius is a sum of n + 1 terms that is at most
// 2 sqrt(3) S, off by (n + 2) u of it: again 3.5 (n + 2) u S. So contact spheres need 7 (n + 2) u S, and have 8. A
// sphere above is off by as much, and wraps computed ones, whose centres and radii are off too and have grown by their
// slack: 3.5 + 7 + 8 < 24.
#include "papers/bdtree/contact_parts.h"

#include "deform/fields/fields.h"
#include "geometry/margins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- A new pose -----------------------------------------------------------------------------------------------------

static void Forget(contactSpheres* spheres)
{
	if (++spheres->version == CONTACT_BUSY)
	{
		for (uint32_t i = 0; i < spheres->tree->nodeCount; ++i)
		{
			atomic_store_explicit(spheres->versions + i, 0, memory_order_relaxed);
		}
		spheres->version = 1;
	}
}

// The box of all vertices at rest, or of any pose of fields: as far as rounding is concerned.
static sgBox ReachBox(const float reach[3])
{
	return (sgBox){ { -reach[0], -reach[1], -reach[2] }, { reach[0], reach[1], reach[2] } };
}

static sgBox TakeAmplitudes(contactSpheres* spheres, const sgFieldsPose* pose)
{
	const float* amplitudes = sgFieldsPose_Amplitudes(pose);
	for (uint32_t field = 0; field < spheres->tree->fieldCount; ++field)
	{
		float q = amplitudes[field];
		if (q != 0.0f || spheres->sumsAll)
		{
			spheres->terms[spheres->termCount++] = (contactTerm){ { q, q, q, fabsf(q) }, field };
		}
	}
	if (pose->activeCount > 0)
	{
		double most = (double)fmaxf(pose->reach[0], fmaxf(pose->reach[1], pose->reach[2]));
		double unit = ((double)pose->activeCount + 2.0) * (0x1p-24 * most + SG_MARGIN_SUBNORMAL);
		spheres->slack = CONTACT_SUMMED * unit;
		spheres->slackAbove = CONTACT_WRAPPED * unit;
	}
	return ReachBox(pose->reach);
}

// What spheres are made from: amplitudes, or the rest positions.
static sgBox TakePose(contactSpheres* spheres)
{
	spheres->termCount = 0;
	spheres->slack = spheres->slackAbove = 0.0;
	return spheres->tree->model->deform->deformer == snug_fields ? TakeAmplitudes(spheres, spheres->body->posed.pose)
	                                                             : ReachBox(spheres->tree->reach);
}

snugStatus contactSpheres_Begin(contactSpheres* spheres, const double origin[3], uint32_t level)
{
	snugBody* body = spheres->body;
	if (spheres->changes == body->changes && spheres->level == level &&
	    memcmp(spheres->origin, origin, sizeof(spheres->origin)) == 0)
	{
		return snug_success;
	}
	Forget(spheres);
	sgBody_Derive(body);
	sgBox reach = TakePose(spheres);
	if (!sgPlacement_Make(&body->frame, origin, &reach, &spheres->placement))
	{
		spheres->changes = 0;
		return snug_outOfRange;
	}
	spheres->changes = body->changes;
	spheres->level = level;
	memcpy(spheres->origin, origin, sizeof(spheres->origin));
	return snug_success;
}

// ---- One sphere -----------------------------------------------------------------------------------------------------

// Balls of a family, whose rows are one after the other. Two at once: a sum waits for each of its terms, so that two
// take hardly longer than one.
static void SumFamily(const contactSpheres* spheres, contactFamily family, contactQuad balls[2])
{
	const size_t width = 1 + (size_t)spheres->tree->fieldCount;
	const contactQuad* a = contactTree_Quads(spheres->tree, family.first, spheres->level);
	const contactQuad* b = family.count > 1 ? a + width : a;
	balls[0] = a[0];
	balls[1] = b[0];
	for (uint32_t i = 0; i < spheres->termCount; ++i)
	{
		const contactTerm* term = spheres->terms + i;
		balls[0] += a[1 + term->field] * term->factor;
		balls[1] += b[1 + term->field] * term->factor;
	}
}

// Placed as vertices are, and rounded once; the radius grows by what that may move the centre: centre and vertices are
// each off by the placement's error per axis. Spheres above wrap centres that are rounded like theirs.
static void Place(const contactSpheres* spheres, contactQuad ball, bool isContact, posedSphere* out)
{
	const sgPlacement* placement = &spheres->placement;
	for (int i = 0; i < 3; ++i)
	{
		double sum = placement->translation[i];
		for (int k = 0; k < 3; ++k)
		{
			sum += placement->rotation[i][k] * (double)ball[k];
		}
		out->center[i] = placement->isIdentity ? ball[i] : (float)sum;
	}
	double errors = isContact ? CONTACT_PLACED : CONTACT_PLACED + CONTACT_ABOVE;
	double radius = (double)ball[3] + (isContact ? spheres->slack : spheres->slackAbove);
	radius += placement->isIdentity ? 0.0 : errors * placement->error;
	out->radius = sgRoundUp(isContact ? radius : radius * (1.0 + CONTACT_SUMS));
}

static void MakeFamily(const contactSpheres* spheres, contactFamily family, posedSphere* out)
{
	contactQuad balls[2];
	SumFamily(spheres, family, balls);
	for (uint32_t k = 0; k < family.count; ++k)
	{
		Place(spheres, balls[k], contactTree_IsContact(family.first, spheres->level), out + k);
	}
}

const posedSphere* contactSpheres_Make(contactSpheres* spheres, contactFamily family, posedSphere scratch[2])
{
	_Atomic uint8_t* version = spheres->versions + family.first;
	posedSphere* own = spheres->spheres + family.first;
	uint8_t found = atomic_load_explicit(version, memory_order_relaxed);
	if (found != spheres->version && found != CONTACT_BUSY &&
	    atomic_compare_exchange_strong_explicit(
	        version, &found, CONTACT_BUSY, memory_order_acquire, memory_order_relaxed))
	{
		MakeFamily(spheres, family, own);
		atomic_store_explicit(version, spheres->version, memory_order_release);
		return own;
	}
	MakeFamily(spheres, family, scratch);
	return scratch;
}

// ---- Making and freeing ---------------------------------------------------------------------------------------------

static size_t SphereBytes(const contactSpheres* spheres)
{
	return (((size_t)spheres->tree->nodeCount + 1) * sizeof(posedSphere) + 63) / 64 * 64;
}

snugStatus contactSpheres_Create(const contactSpheresDef* def, contactSpheres** out)
{
	contactSpheres* spheres = calloc(1, sizeof(contactSpheres));
	*out = spheres;
	if (spheres == NULL)
	{
		return snug_outOfMemory;
	}
	*spheres = (contactSpheres){ .tree = def->tree, .body = def->body, .version = 1, .sumsAll = def->sumsAll };
	posedSphere* room = aligned_alloc(64, SphereBytes(spheres));
	spheres->spheres = room != NULL ? room + 1 : NULL;
	spheres->versions = calloc(def->tree->nodeCount, sizeof(_Atomic uint8_t));
	spheres->terms = aligned_alloc(64, ((size_t)def->tree->fieldCount * sizeof(contactTerm) / 64 + 1) * 64);
	if (spheres->spheres == NULL || spheres->versions == NULL || spheres->terms == NULL)
	{
		contactSpheres_Destroy(spheres);
		*out = NULL;
		return snug_outOfMemory;
	}
	return snug_success;
}

void contactSpheres_Destroy(contactSpheres* spheres)
{
	if (spheres != NULL)
	{
		free(spheres->spheres != NULL ? spheres->spheres - 1 : NULL);
		free((void*)spheres->versions);
		free(spheres->terms);
		free(spheres);
	}
}

size_t contactSpheres_GetMemory(const contactSpheres* spheres)
{
	return sizeof(*spheres) + SphereBytes(spheres) + spheres->tree->nodeCount +
	       spheres->tree->fieldCount * sizeof(contactTerm);
}
