// src/query/sphere_pose.c: contact spheres of a body in its pose: made when first looked at, then remembered.
//
// Rounding. With n amplitudes that are not zero, u = 2^-24, and S the pose's reach, which bounds every intermediate of
// a vertex and so of a centre along each axis: a vertex and a centre are off by at most (n + 2) u S per axis each, as
// vectors by sqrt(3) times that, together below 3.5 (n + 2) u S. A radius is a sum of n + 1 terms that is at most
// 2 sqrt(3) S, off by (n + 2) u of it: again 3.5 (n + 2) u S. So contact spheres need 7 (n + 2) u S, and have 8. A
// sphere above is off by as much, and wraps computed ones, whose centres and radii are off too and have grown by their
// slack: 3.5 + 7 + 8 < 24.
//
// Boxes. Models that are no sums of fields have boxes straight from the pose, each cut to the box above it, which
// contains the same vertices. So boxes nest. A contact sphere is the ball around its box. If a box of half extents x is
// within one of half extents e, centres m apart, |m_i| + x_i <= e_i; so the ball around the inner one reaches no
// farther from the outer centre than |e - x| + |x| <= sqrt(2 (|e - x|^2 + |x|^2)) <= sqrt(2) |e|, as 0 <= x <= e. Hence
// spheres of radius sqrt(2) |e| wrap those of every level below, in every pose, whatever the deformer.
#include "query/sphere_tree.h"

#include "base/fpenv.h"
#include "body/cache.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

// ---- A new pose -----------------------------------------------------------------------------------------------------

static bool IsAtRest(const snugBody* body)
{
	return body->isAtRest || body->deform->bound == NULL;
}

static void Forget(snugSpheres* spheres)
{
	if (++spheres->version == SG_SPHERES_BUSY)
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

static sgBox TakeAmplitudes(snugSpheres* spheres)
{
	float reach[3];
	uint32_t activeCount;
	const float* amplitudes = spheres->body->deform->amplitudes(&spheres->body->posed, reach, &activeCount);
	for (uint32_t field = 0; field < spheres->tree->fieldCount; ++field)
	{
		float q = amplitudes[field];
		if (q != 0.0f || spheres->sumsAll)
		{
			spheres->terms[spheres->termCount++] = (sgSphereTerm){ { q, q, q, fabsf(q) }, field };
		}
	}
	if (activeCount > 0)
	{
		double most = (double)fmaxf(reach[0], fmaxf(reach[1], reach[2]));
		double unit = ((double)activeCount + 2.0) * (0x1p-24 * most + SG_MARGIN_SUBNORMAL);
		spheres->slack = SG_MARGIN_SUMMED_SPHERE * unit;
		spheres->slackAbove = SG_MARGIN_WRAPPED_SPHERE * unit;
	}
	return ReachBox(reach);
}

// What spheres are made from: amplitudes, the rest positions, or boxes.
static sgBox TakePose(snugSpheres* spheres)
{
	snugBody* body = spheres->body;
	spheres->termCount = 0;
	spheres->slack = spheres->slackAbove = 0.0;
	spheres->isBoxed = false;
	if (body->deform->amplitudes != NULL)
	{
		return TakeAmplitudes(spheres);
	}
	if (IsAtRest(body))
	{
		return ReachBox(spheres->tree->reach);
	}
	sgBoundsScratch scratch;
	snugCounters counters = { 0 };
	spheres->isBoxed = true;
	return sgBoxLanes_Get(sgBody_BoundLocal(body, sgTree_Family(&body->model->tree, 0), &scratch, &counters), 0);
}

snugStatus sgSpheres_Begin(snugSpheres* spheres, const double origin[3], uint32_t level)
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
		return sgFail(&body->messenger, snug_outOfRange, "the body is too far from the origin");
	}
	spheres->changes = body->changes;
	spheres->level = level;
	memcpy(spheres->origin, origin, sizeof(spheres->origin));
	return snug_success;
}

// ---- One sphere -----------------------------------------------------------------------------------------------------

// Balls of a family, whose rows are one after the other. Two at once: a sum waits for each of its terms, so that two
// take hardly longer than one.
static void SumFamily(const snugSpheres* spheres, sgSphereFamily family, sgQuad balls[SG_LANES + 1])
{
	const size_t width = 1 + (size_t)spheres->tree->fieldCount;
	const sgQuad* rows = sgSphereTree_Quads(spheres->tree, family.first, spheres->level);
	for (uint32_t k = 0; k < family.count; k += 2)
	{
		const sgQuad *a = rows + k * width, *b = k + 1 < family.count ? a + width : a;
		sgQuad sumA = a[0], sumB = b[0];
		for (uint32_t i = 0; i < spheres->termCount; ++i)
		{
			const sgSphereTerm* term = spheres->terms + i;
			sumA += a[1 + term->field] * term->factor;
			sumB += b[1 + term->field] * term->factor;
		}
		balls[k] = sumA;
		balls[k + 1] = sumB;
	}
}

// The box of a node, within the one above.
static sgBox CutBox(snugSpheres* spheres, uint32_t number)
{
	const sgSphereNode* node = spheres->tree->nodes + number;
	snugBody* body = spheres->body;
	sgLaneSet set = sgTree_Family(&body->model->tree, node->slot);
	sgBoundsScratch scratch;
	snugCounters counters = { 0 };
	set.mask = 1u << (node->slot % SG_LANES);
	sgBox box = sgBoxLanes_Get(sgBody_BoundLocal(body, set, &scratch, &counters), node->slot % SG_LANES);
	const sgBox* above = node->parent != SG_NONE ? spheres->boxes + node->parent : &box;
	for (int k = 0; k < 3; ++k)
	{
		box.lower[k] = above->lower[k] > box.lower[k] ? above->lower[k] : box.lower[k];
		box.upper[k] = above->upper[k] < box.upper[k] ? above->upper[k] : box.upper[k];
	}
	return box;
}

// A ball about the middle of a box, rounded. What rounding moves centres by, 2^-24 of the greatest coordinate per axis
// for the inner ball twice and the outer one once, is below 8 units of it.
static sgQuad BallAround(const sgBox* box, bool isContact)
{
	sgQuad ball = { 0.0f, 0.0f, 0.0f, 0.0f };
	double square = 0.0, most = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double lower = (double)box->lower[k], upper = (double)box->upper[k];
		ball[k] = sgRoundNearest(0.5 * lower + 0.5 * upper);
		double half = isContact ? fmax(upper - (double)ball[k], (double)ball[k] - lower) : 0.5 * upper - 0.5 * lower;
		square += half * half;
		most = fmax(most, fmax(fabs(lower), fabs(upper)));
	}
	double radius = isContact ? sqrt(square) : sqrt(2.0 * square) + SG_MARGIN_BOXED_SPHERE * 0x1p-24 * most;
	ball[3] = sgRoundUp(radius * (1.0 + (isContact ? SG_MARGIN_BALL : SG_MARGIN_SPHERE_SUMS)));
	return ball;
}

// Placed as vertices are, and rounded once; the radius grows by what that may move the centre: centre and vertices are
// each off by the placement's error per axis. Spheres above wrap centres that are rounded like theirs.
static void Place(const snugSpheres* spheres, sgQuad ball, bool isContact, sgPosedSphere* out)
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
	double errors = isContact ? SG_MARGIN_PLACED_SPHERE : SG_MARGIN_PLACED_SPHERE + SG_MARGIN_SPHERE_ABOVE;
	double radius = (double)ball[3] + (isContact ? spheres->slack : spheres->slackAbove);
	radius += placement->isIdentity ? 0.0 : errors * placement->error;
	out->radius = sgRoundUp(isContact ? radius : radius * (1.0 + SG_MARGIN_SPHERE_SUMS));
}

static bool IsContact(const snugSpheres* spheres, uint32_t number)
{
	return sgSphereTree_IsContact(spheres->tree, number, spheres->level);
}

static void MakeBoxed(snugSpheres* spheres, sgSphereFamily family, sgPosedSphere* out)
{
	for (uint32_t k = 0; k < family.count; ++k)
	{
		uint32_t number = family.first + k;
		bool isContact = IsContact(spheres, number);
		sgBox box = CutBox(spheres, number);
		Place(spheres, BallAround(&box, isContact), isContact, out + k);
		if (out == spheres->spheres + family.first)
		{
			spheres->boxes[number] = box;
		}
	}
}

static void MakeSummed(const snugSpheres* spheres, sgSphereFamily family, sgPosedSphere* out)
{
	sgQuad balls[SG_LANES + 1];
	SumFamily(spheres, family, balls);
	for (uint32_t k = 0; k < family.count; ++k)
	{
		Place(spheres, balls[k], IsContact(spheres, family.first + k), out + k);
	}
}

static void MakeFamily(snugSpheres* spheres, sgSphereFamily family, sgPosedSphere* out)
{
	if (spheres->isBoxed)
	{
		MakeBoxed(spheres, family, out);
	}
	else
	{
		MakeSummed(spheres, family, out);
	}
}

// A box is cut by the one above it, which is another thread's for a moment at most.
static void AwaitParent(const snugSpheres* spheres, sgSphereFamily family)
{
	uint32_t parent = spheres->isBoxed ? spheres->tree->nodes[family.first].parent : SG_NONE;
	while (parent != SG_NONE && !sgSpheres_IsMade(spheres, sgSphereTree_Siblings(spheres->tree, parent)))
	{
	}
}

const sgPosedSphere* sgSpheres_Make(snugSpheres* spheres, sgSphereFamily family, sgPosedSphere scratch[SG_LANES])
{
	_Atomic uint8_t* version = spheres->versions + family.first;
	sgPosedSphere* own = spheres->spheres + family.first;
	uint8_t found = atomic_load_explicit(version, memory_order_relaxed);
	AwaitParent(spheres, family);
	if (found != spheres->version && found != SG_SPHERES_BUSY &&
	    atomic_compare_exchange_strong_explicit(
	        version, &found, SG_SPHERES_BUSY, memory_order_acquire, memory_order_relaxed))
	{
		MakeFamily(spheres, family, own);
		atomic_store_explicit(version, spheres->version, memory_order_release);
		return own;
	}
	MakeFamily(spheres, family, scratch);
	return scratch;
}

// ---- Making and freeing ---------------------------------------------------------------------------------------------

static size_t SphereBytes(const snugSpheres* spheres)
{
	return ((size_t)spheres->tree->nodeCount + 1) * sizeof(sgPosedSphere);
}

static size_t VersionBytes(const snugSpheres* spheres)
{
	return spheres->tree->nodeCount * sizeof(_Atomic uint8_t);
}

static size_t BoxBytes(const snugSpheres* spheres)
{
	return sgModel_HasBoxes(spheres->tree->model) ? spheres->tree->nodeCount * sizeof(sgBox) : 0;
}

static size_t TermBytes(const snugSpheres* spheres)
{
	return spheres->tree->fieldCount * sizeof(sgSphereTerm);
}

snugStatus snugSpheres_Create(const snugSpheresDef* def, snugSpheres** out)
{
	SG_REQUIRE(out != NULL, snug_badArgument);
	*out = NULL;
	SG_REQUIRE(def != NULL && def->tree != NULL && def->body != NULL, snug_badArgument);
	SG_REQUIRE(def->body->model == def->tree->model && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	snugSpheres* spheres = sgAllocate(&allocator, sizeof(snugSpheres));
	if (spheres != NULL)
	{
		*spheres = (snugSpheres){
			.allocator = allocator,
			.tree = def->tree,
			.body = def->body,
			.version = 1,
			.sumsAll = def->sumsAll,
		};
		sgPosedSphere* room = sgAllocate(&allocator, SphereBytes(spheres));
		spheres->spheres = room != NULL ? room + 1 : NULL;
		spheres->versions = sgAllocate(&allocator, VersionBytes(spheres));
		spheres->boxes = sgAllocate(&allocator, BoxBytes(spheres));
		spheres->terms = sgAllocate(&allocator, TermBytes(spheres));
	}
	if (spheres == NULL || spheres->spheres == NULL || spheres->versions == NULL || spheres->boxes == NULL ||
	    spheres->terms == NULL)
	{
		snugSpheres_Destroy(spheres);
		return sgFail(&def->body->messenger, snug_outOfMemory, "no memory for the spheres of a body");
	}
	memset((void*)spheres->versions, 0, VersionBytes(spheres));
	*out = spheres;
	return snug_success;
}

void snugSpheres_Destroy(snugSpheres* spheres)
{
	if (spheres == NULL)
	{
		return;
	}
	snugAllocator allocator = spheres->allocator;
	sgRelease(&allocator, spheres->spheres != NULL ? spheres->spheres - 1 : NULL, SphereBytes(spheres));
	sgRelease(&allocator, (void*)spheres->versions, VersionBytes(spheres));
	sgRelease(&allocator, spheres->boxes, BoxBytes(spheres));
	sgRelease(&allocator, spheres->terms, TermBytes(spheres));
	sgRelease(&allocator, spheres, sizeof(*spheres));
}

size_t snugSpheres_GetMemory(const snugSpheres* spheres)
{
	SG_REQUIRE(spheres != NULL, 0);
	return sizeof(*spheres) + SphereBytes(spheres) + VersionBytes(spheres) + BoxBytes(spheres) + TermBytes(spheres);
}
