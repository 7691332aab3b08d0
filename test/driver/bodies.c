// test/driver/bodies.c: what bodies say of themselves: vertices, bounds, boxes.
#include "driver/operations.h"

#include <float.h>

// --- Vertices -------------------------------------------------------------------------------------------------------

// Bit for bit.
static void ExpectVertex(World* world, const Surface* surface, uint32_t vertex, const float* found)
{
	const float* p = surface->positions + 3 * (size_t)vertex;
	EXPECT(world, memcmp(p, found, 3 * sizeof(float)) == 0, "vertex %u is at %a %a %a, not %a %a %a", vertex,
	    (double)found[0], (double)found[1], (double)found[2], (double)p[0], (double)p[1], (double)p[2]);
}

bool GetVertices(World* world)
{
	Actor* actor = AnyActor(world);
	double origin[3];
	DrawOrigin(world, origin);
	const Surface* surface = Actor_Surface(world, actor, origin);
	const size_t stride = DrawStride(world, 12), step = stride == 0 ? 12 : stride;
	char* found = StridedRoom(world, actor->kind->skinned.mesh.vertexCount, 12, stride);
	snugStatus status;
	CALL(world, status = snugBody_GetVertices(actor->body, origin, (float*)(void*)found, stride));
	if (surface == NULL || !IsAnswered(world, status, surface))
	{
		return false;
	}
	for (uint32_t v = 0; v < surface->vertexCount; ++v)
	{
		ExpectVertex(world, surface, v, (const float*)(const void*)(found + v * step));
	}
	return true;
}

static const uint32_t* DrawNumbers(World* world, uint32_t below, uint32_t* count)
{
	*count = below > 0 ? Below(world, 40) : 0;
	uint32_t* numbers = Scratch(*count * sizeof(uint32_t));
	for (uint32_t i = 0; i < *count; ++i)
	{
		numbers[i] = Below(world, below);
	}
	return Given(world, numbers, *count * sizeof(uint32_t));
}

bool GetSomeVertices(World* world)
{
	Actor* actor = AnyActor(world);
	double origin[3];
	DrawOrigin(world, origin);
	const Surface* surface = Actor_Surface(world, actor, origin);
	uint32_t count;
	const uint32_t* numbers = DrawNumbers(world, actor->kind->skinned.mesh.vertexCount, &count);
	const size_t stride = DrawStride(world, 12), step = stride == 0 ? 12 : stride;
	char* found = StridedRoom(world, count, 12, stride);
	snugStatus status;
	CALL(world, status = snugBody_GatherVertices(actor->body, origin, numbers, count, (float*)(void*)found, stride));
	if (surface == NULL || !IsAnswered(world, status, surface))
	{
		return false;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		ExpectVertex(world, surface, numbers[i], (const float*)(const void*)(found + i * step));
	}
	return count > 0;
}

bool GetTriangles(World* world)
{
	Actor* actor = AnyActor(world);
	double origin[3];
	DrawOrigin(world, origin);
	const Surface* surface = Actor_Surface(world, actor, origin);
	uint32_t count;
	const uint32_t* numbers = DrawNumbers(world, actor->kind->skinned.mesh.triangleCount, &count);
	const size_t stride = DrawStride(world, 36), step = stride == 0 ? 36 : stride;
	char* found = StridedRoom(world, count, 36, stride);
	snugStatus status;
	CALL(world, status = snugBody_GetCorners(actor->body, origin, numbers, count, (float*)(void*)found, stride));
	if (surface == NULL || !IsAnswered(world, status, surface))
	{
		return false;
	}
	for (uint32_t i = 0; i < 3 * count; ++i)
	{
		const uint32_t vertex = surface->triangles[3 * (size_t)numbers[i / 3] + i % 3];
		ExpectVertex(world, surface, vertex, (const float*)(const void*)(found + i / 3 * step + i % 3 * 12));
	}
	return count > 0;
}

// --- Vertices by what was told --------------------------------------------------------------------------------------

/// A position, how large what adds up to it is, and how many roundings there may be.
typedef struct Evaluated
{
	long double p[3], size;
	double roundings;
	bool isKnown; // what turning skins do to a vertex with several joints is left to test_skin_oracle.c
} Evaluated;

static void AddFields(const Actor* actor, uint32_t v, Evaluated* out)
{
	const FieldSet* set = &actor->kind->fields;
	const uint32_t vertexCount = actor->kind->skinned.mesh.vertexCount;
	const uint32_t first = set->starts != NULL ? set->starts[v] : 0;
	const uint32_t end = set->starts != NULL ? set->starts[v + 1] : set->fieldCount;
	for (uint32_t i = first; i < end; ++i)
	{
		const uint32_t field = set->starts != NULL ? set->fields[i] : i;
		const float* d = set->displacements + 3 * (set->starts != NULL ? i : (size_t)i * vertexCount + v);
		for (int k = 0; k < 3; ++k)
		{
			const long double part = (long double)actor->amplitudes[field] * d[k];
			out->p[k] += part;
			out->size += fabsl(part);
		}
		out->roundings += 2.0;
	}
}

// The three rows of four of a joint.
static void MatrixOf(const Actor* actor, uint32_t joint, long double m[12])
{
	const snugMeshlessNode* node = actor->nodes + joint;
	for (int i = 0; i < 12; ++i)
	{
		m[i] = actor->matrices[12 * (size_t)joint + (size_t)i];
	}
	for (int i = 0; i < 3 && actor->jointsKind == joints_nodes; ++i)
	{
		m[4 * i + 3] = node->displacement[i];
		for (int k = 0; k < 3; ++k)
		{
			m[4 * i + k] = (i == k) + (long double)node->gradient[k][i];
			m[4 * i + 3] -= (long double)node->gradient[k][i] * node->position[k];
		}
	}
}

// Weights are divided by their sum; without any, a vertex follows its first joint.
static void Blend(const Actor* actor, uint32_t v, Evaluated* out)
{
	const Skin* skin = &actor->kind->skinned.skin;
	long double sum = 0.0L, p[3] = { 0.0L }, size = 0.0L;
	uint32_t used = 0, joint = skin->transforms[skin->starts[v]];
	for (uint32_t i = skin->starts[v]; i < skin->starts[v + 1]; ++i)
	{
		sum += (long double)skin->weights[i];
	}
	for (uint32_t i = skin->starts[v]; i < skin->starts[v + 1]; ++i)
	{
		const long double weight = sum > 0.0L ? skin->weights[i] / sum : i == skin->starts[v];
		long double m[12];
		MatrixOf(actor, skin->transforms[i], m);
		for (int k = 0; k < 3; ++k)
		{
			const long double* row = m + 4 * k;
			p[k] += weight * (row[0] * out->p[0] + row[1] * out->p[1] + row[2] * out->p[2] + row[3]);
			size += weight * ((fabsl(row[0]) + fabsl(row[1]) + fabsl(row[2])) * out->size + fabsl(row[3]));
		}
		used += weight > 0.0L && (used == 0 || skin->transforms[i] != joint);
		joint = weight > 0.0L ? skin->transforms[i] : joint;
	}
	Copy(out->p, p, sizeof(p));
	out->isKnown = actor->kind->deformer == snug_skin || used == 1;
	out->roundings += 4.0 * (skin->starts[v + 1] - skin->starts[v]);
	out->size = size;
}

static void ApplyFrame(const snugFrame* frame, const double origin[3], Evaluated* out)
{
	long double q[4], length = 0.0L, p[3], turned[3];
	for (int i = 0; i < 4; ++i)
	{
		length += (long double)frame->rotation[i] * frame->rotation[i];
	}
	for (int i = 0; i < 4; ++i)
	{
		q[i] = length > 0.0L ? frame->rotation[i] / sqrtl(length) : i == 3;
	}
	Copy(p, out->p, sizeof(p));
	for (int k = 0; k < 3; ++k)
	{
		// p + 2 q x (q x p + w p)
		const int i = (k + 1) % 3, j = (k + 2) % 3;
		const long double atI = q[j] * p[k] - q[k] * p[j] + q[3] * p[i], atJ = q[k] * p[i] - q[i] * p[k] + q[3] * p[j];
		turned[k] = p[k] + 2.0L * (q[i] * atJ - q[j] * atI);
		out->p[k] = turned[k] + ((long double)frame->position[k] - origin[k]);
		out->size +=
		    fabsl((long double)frame->position[k] - origin[k]) + 0x1p-26L * fabsl((long double)frame->position[k]);
	}
	out->roundings += 8.0;
}

static Evaluated Evaluate(const Actor* actor, uint32_t v, const double origin[3])
{
	Evaluated out = { .roundings = 4.0, .isKnown = true };
	const float* from = actor->vertices != NULL ? actor->vertices : actor->kind->skinned.mesh.positions;
	for (size_t k = 0; k < 3; ++k)
	{
		out.p[k] = from[3 * (size_t)v + k];
		out.size += fabsl(out.p[k]);
	}
	AddFields(actor, v, &out);
	if (Kind_IsSkin(actor->kind) && actor->kind->deformer != snug_skin)
	{
		// They turn and scale about joints, wherever these are, at rest too.
		out.size += 3.0L * actor->kind->far;
		out.roundings += 128.0;
	}
	if (actor->jointsKind != joints_rest)
	{
		Blend(actor, v, &out);
	}
	ApplyFrame(&actor->frame, origin, &out);
	return out;
}

// The fresh body, and so everything else, against what the header says that vertices do.
bool EvaluateVertices(World* world)
{
	Actor* actor = AnyActor(world);
	double origin[3];
	DrawOrigin(world, origin);
	const Surface* surface = Actor_Surface(world, actor, origin);
	uint32_t known = 0;
	for (uint32_t v = 0; surface != NULL && v < surface->vertexCount; ++v)
	{
		const Evaluated expected = Evaluate(actor, v, origin);
		const float* found = surface->positions + 3 * (size_t)v;
		const long double allowed = 0x1p-24L * expected.roundings * expected.size + 64.0L * FLT_TRUE_MIN;
		for (int k = 0; k < 3 && expected.isKnown; ++k)
		{
			EXPECT(world, fabsl(found[k] - expected.p[k]) <= allowed, "vertex %u is at %.9g instead of %.9Lg, axis %d",
			    v, (double)found[k], expected.p[k], k);
		}
		known += expected.isKnown;
	}
	return known > 0;
}

// --- Bounds ---------------------------------------------------------------------------------------------------------

bool GetBounds(World* world)
{
	Actor* actor = AnyActor(world);
	double origin[3];
	DrawOrigin(world, origin);
	const Surface* surface = Actor_Surface(world, actor, origin);
	snugBounds* bounds = Room(world, 1, sizeof(snugBounds));
	snugStatus status;
	CALL(world, status = snugBody_GetBounds(actor->body, origin, bounds));
	if (surface == NULL || !IsAnswered(world, status, surface))
	{
		return false;
	}
	EXPECT(world, surface->triangleCount > 0 || (bounds->radius < 0.0f && bounds->lower[0] > bounds->upper[0]),
	    "nothing has the radius %g", (double)bounds->radius);
	for (uint32_t i = 0; i < 3 * surface->triangleCount; ++i)
	{
		const float* p = surface->positions + 3 * (size_t)surface->triangles[i];
		double distance2 = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			const double d = (double)p[k] - bounds->center[k];
			distance2 += d * d;
			EXPECT(world, bounds->lower[k] <= p[k] && p[k] <= bounds->upper[k], "%g is outside of %g to %g",
			    (double)p[k], (double)bounds->lower[k], (double)bounds->upper[k]);
		}
		EXPECT(world, sqrt(distance2) * (1.0 - 0x1p-50) <= (double)bounds->radius,
		    "%.17g is outside of the ball of %.17g", sqrt(distance2), (double)bounds->radius);
	}
	return true;
}

bool IsOutside(World* world)
{
	Actor* actor = AnyActor(world);
	double origin[3];
	DrawOrigin(world, origin);
	const Surface* surface = Actor_Surface(world, actor, origin);
	snugPlane planes[4];
	const uint32_t count = 1 + Below(world, 4);
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			planes[i].normal[k] = Signed(world) + (k == 0 ? 1e-3 : 0.0);
		}
		planes[i].offset = 2.0 * world->scale * Signed(world);
	}
	const snugPlane* given = Given(world, planes, count * sizeof(snugPlane));
	bool isOutside = false, isBeyondOne = false;
	snugStatus status;
	CALL(world, status = snugBody_IsOutside(actor->body, origin, given, count, &isOutside));
	if (surface == NULL || !IsAnswered(world, status, surface))
	{
		return false;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		bool isBeyond = true;
		for (uint32_t c = 0; c < 3 * surface->triangleCount; ++c)
		{
			const float* p = surface->positions + 3 * (size_t)surface->triangles[c];
			long double height = planes[i].offset, size = fabsl(height);
			for (int k = 0; k < 3; ++k)
			{
				height += (long double)planes[i].normal[k] * p[k];
				size += fabsl((long double)planes[i].normal[k] * p[k]);
			}
			isBeyond = isBeyond && height < 0x1p-60L * size;
		}
		isBeyondOne = isBeyondOne || isBeyond;
	}
	EXPECT(world, !isOutside || isBeyondOne, "it is said to be outside");
	EXPECT(world, surface->triangleCount > 0 || isOutside, "nothing is outside of everything");
	return true;
}

// --- Boxes ----------------------------------------------------------------------------------------------------------

static bool IsIn(const Surface* surface, uint32_t triangle, const snugNodeBox* box)
{
	bool isIn = true;
	for (int k = 0; k < 3; ++k)
	{
		isIn =
		    isIn && box->lower[k] <= surface->boxes[triangle][0][k] && surface->boxes[triangle][1][k] <= box->upper[k];
	}
	return isIn;
}

// Boxes of nodes contain what is below them; those of one level have all triangles between them.
static void ExpectBoxes(World* world, const Actor* actor, const snugNodeBox* boxes, uint64_t count, bool isAll)
{
	Surface surface = Actor_OwnSurface(world, actor);
	bool* isBelow = Scratch(surface.triangleCount);
	uint32_t* times = Scratch(surface.triangleCount * sizeof(uint32_t));
	memset(times, 0, surface.triangleCount * sizeof(uint32_t));
	for (uint64_t i = 0; i < count; ++i)
	{
		MarkBelow(world, actor->kind, boxes[i].node, isBelow);
		for (uint32_t t = 0; t < surface.triangleCount; ++t)
		{
			times[t] += isBelow[t];
			EXPECT(world, !isBelow[t] || IsIn(&surface, t, boxes + i), "triangle %u is outside of node %u", t,
			    boxes[i].node);
		}
	}
	for (uint32_t t = 0; t < surface.triangleCount && isAll; ++t)
	{
		EXPECT(world, times[t] == 1, "triangle %u is in %u boxes", t, times[t]);
	}
	Surface_Free(&surface);
}

bool GetBoxes(World* world)
{
	Actor* actor = AnyActor(world);
	const bool isVisited = Chance(world, 0.4);
	const uint32_t level = isVisited ? SNUG_NONE : Below(world, 5);
	uint64_t count = 0, again = 0;
	snugStatus status;
	CALL(world, status = snugBody_GetBoxes(actor->body, level, NULL, 0, &count));
	if (status != snug_success && world->isExtreme)
	{
		return false;
	}
	EXPECT(world, status == snug_success, "boxes: %s", snugGetStatusText(status));
	const uint64_t capacity = Chance(world, 0.5) ? count : Below(world, (uint32_t)count + 1);
	snugNodeBox* boxes = Room(world, capacity, sizeof(snugNodeBox));
	CALL(world, status = snugBody_GetBoxes(actor->body, level, boxes, capacity, &again));
	EXPECT(world, status == snug_success && again == count, "%llu boxes, then %llu", (unsigned long long)count,
	    (unsigned long long)again);
	ExpectBoxes(world, actor, boxes, capacity, !isVisited && capacity == count);
	if (capacity > 0)
	{
		const snugNodeBox* one = boxes + Below(world, (uint32_t)capacity);
		snugNodeBox box;
		CALL(world, status = snugBody_GetNodeBox(actor->body, one->node, &box));
		EXPECT(world, status == snug_success && box.node == one->node && box.level == one->level, "node %u", one->node);
		EXPECT(world, memcmp(box.lower, one->lower, sizeof(box.lower)) == 0, "another box of node %u", one->node);
	}
	return count > 0;
}

bool Validate(World* world)
{
	Actor* actor = AnyActor(world);
	snugValidation validation;
	snugStatus status;
	CALL(world, status = snugBody_Validate(actor->body, &validation));
	EXPECT(world, status == snug_success || (world->isExtreme && status == snug_outOfRange),
	    "%s: %llu violations, the worst by %g", snugGetStatusText(status), (unsigned long long)validation.violations,
	    validation.worst);
	return true;
}
