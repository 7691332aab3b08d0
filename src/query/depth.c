// src/query/depth.c: how deep closed curves are: the vertices behind them, and how far they reach.
//
// The search for a surface's vertices behind a curve starts where its edges meet the other surface: at the end that is
// behind the triangle met there, unless the edge meets the other surface once more on the way. From there it follows
// edges that do not meet the other surface. Lists of points by edge say which do.
#include "base/vec.h"
#include "query/contacts.h"

#include "geometry/predicates.h"

#include <math.h>
#include <string.h>

/// The search behind one curve on one of the surfaces.
typedef struct Flood
{
	snugContactBuffer* buffer;
	sgTriangleSource* own;   ///< of the surface whose vertices are searched
	sgTriangleSource* other; ///< of the one that they are behind
	bool isA;                ///< the first is a's
	bool isSame;             ///< they are one
	uint32_t headCount;      ///< lists of names: heads in nextAt, then degrees; 1 + a name, or zero
	uint32_t* found;         ///< (SG_POINTS_PER_CONTACT * capacity): vertices behind the curve
	uint32_t count;
	uint32_t at; ///< the vertex whose neighbours are looked at
	bool isFull;
	snugCounters* counters;
} Flood;

// ---- Points by edge ------------------------------------------------------------------------------------------------

// A name is 2 * point + 0 or 1: which of the two parts of surfaces that the point is on.
static const snugFeature* FeatureOf(const Flood* flood, uint32_t name)
{
	const snugContactPoint* at = flood->buffer->points + name / 2;
	return name % 2 == 0 ? &at->a : &at->b;
}

static uint32_t OwnName(const Flood* flood, uint32_t point)
{
	return 2 * point + (flood->isA ? 0 : 1);
}

// Of an edge, or of a vertex if `w` is SG_NONE.
static uint32_t HeadOf(const Flood* flood, uint32_t v, uint32_t w)
{
	const uint64_t key = (uint64_t)(v < w ? v : w) << 32 | (v < w ? w : v);
	return (uint32_t)(((key ^ key >> 31) * 0x9e3779b97f4a7c15u >> 32) % flood->headCount);
}

static bool IsFeature(const snugFeature* feature, uint32_t v, uint32_t w)
{
	const uint32_t low = v < w ? v : w, high = v < w ? w : v;
	return w == SG_NONE ? feature->kind == snug_featureVertex && feature->first == v
	                    : feature->kind == snug_featureEdge && feature->first == low && feature->second == high;
}

// Of one surface both parts of a point are its own.
static void ListPoints(Flood* flood)
{
	snugContactBuffer* buffer = flood->buffer;
	flood->headCount = buffer->pointCount < 2 * buffer->capacity ? buffer->pointCount : 2 * buffer->capacity;
	memset(buffer->nextAt, 0, flood->headCount * sizeof(uint32_t));
	for (uint32_t i = 0; i < 2 * buffer->pointCount; ++i)
	{
		const snugFeature* feature = FeatureOf(flood, i);
		const bool isOwn = flood->isSame || i == OwnName(flood, i / 2);
		if (isOwn && feature->kind != snug_featureTriangle)
		{
			const uint32_t w = feature->kind == snug_featureEdge ? feature->second : SG_NONE;
			uint32_t* head = buffer->nextAt + HeadOf(flood, feature->first, w);
			buffer->degrees[i] = *head;
			*head = i + 1;
		}
	}
}

// Whether the other surface meets an edge or a vertex.
static bool IsMet(const Flood* flood, uint32_t v, uint32_t w)
{
	const snugContactBuffer* buffer = flood->buffer;
	uint32_t at = buffer->nextAt[HeadOf(flood, v, w)];
	while (at != 0 && !IsFeature(FeatureOf(flood, at - 1), v, w))
	{
		at = buffer->degrees[at - 1];
	}
	return at != 0;
}

// Whether no point of an edge that the other surface meets is nearer to its end v than this one.
static bool IsNearestTo(const Flood* flood, const float* end, uint32_t v, uint32_t w, uint32_t point)
{
	const snugContactBuffer* buffer = flood->buffer;
	const double distance2 = sgPointDistance2(buffer->points[point].position, end);
	bool isNearest = true;
	for (uint32_t at = buffer->nextAt[HeadOf(flood, v, w)]; at != 0 && isNearest; at = buffer->degrees[at - 1])
	{
		isNearest = !IsFeature(FeatureOf(flood, at - 1), v, w) ||
		            !(sgPointDistance2(buffer->points[(at - 1) / 2].position, end) < distance2);
	}
	return isNearest;
}

// ---- Vertices ------------------------------------------------------------------------------------------------------

static uint64_t SlotOf(const Flood* flood, uint32_t vertex)
{
	return ((uint64_t)vertex * 0x9e3779b97f4a7c15u >> 32) & (flood->buffer->tableSize - 1);
}

// Add a vertex, unless it is there. The table has at least twice as many places as there may be vertices.
static void Add(Flood* flood, uint32_t vertex)
{
	snugContactBuffer* buffer = flood->buffer;
	uint64_t slot = SlotOf(flood, vertex);
	while (buffer->table[slot] != 0 && buffer->table[slot] != vertex + 1)
	{
		slot = (slot + 1) & (buffer->tableSize - 1);
	}
	if (buffer->table[slot] != 0)
	{
		return;
	}
	flood->isFull = flood->isFull || flood->count == SG_POINTS_PER_CONTACT * buffer->capacity;
	if (!flood->isFull)
	{
		buffer->table[slot] = vertex + 1;
		flood->found[flood->count++] = vertex;
	}
}

static void Forget(Flood* flood)
{
	snugContactBuffer* buffer = flood->buffer;
	for (uint32_t i = 0; i < flood->count; ++i)
	{
		// Runs of places that hold nothing else are emptied as a whole.
		uint64_t slot = SlotOf(flood, flood->found[i]);
		for (; buffer->table[slot] != 0; slot = (slot + 1) & (buffer->tableSize - 1))
		{
			buffer->table[slot] = 0;
		}
	}
	flood->count = 0;
	flood->isFull = false;
}

static void AddNeighbours(void* context, const uint32_t corners[3])
{
	Flood* flood = context;
	for (int c = 0; c < 3; ++c)
	{
		const uint32_t w = corners[c];
		if (w != flood->at && !IsMet(flood, flood->at, w) && !IsMet(flood, w, SG_NONE))
		{
			Add(flood, w);
		}
	}
}

// The ends of the edge on which a contact's point is, if they are behind the other triangle.
static void AddEnds(Flood* flood, const snugContact* contact, uint32_t which)
{
	const uint32_t point = contact->points[which];
	const snugFeature* feature = FeatureOf(flood, OwnName(flood, point));
	const sgPlacedTriangle *own = &flood->own->triangle, *other = &flood->other->triangle;
	const sgPlane plane = sgPlane_Make(other->corners[1], other->corners[2], other->corners[0]);
	for (int c = 0; c < 3 && feature->kind == snug_featureEdge; ++c)
	{
		const uint32_t v = own->vertices[c], w = v == feature->first ? feature->second : feature->first;
		const bool isEnd = v == feature->first || v == feature->second;
		if (isEnd && sgPlane_Side(&plane, own->corners[c]) < 0 && !IsMet(flood, v, SG_NONE) &&
		    IsNearestTo(flood, own->corners[c], v, w, point))
		{
			Add(flood, v);
		}
	}
}

// All vertices behind a curve.
static void FindVertices(Flood* flood, const snugCurve* curve)
{
	snugContactBuffer* buffer = flood->buffer;
	for (uint32_t i = 0; i < curve->contactCount; ++i)
	{
		const uint32_t contact = buffer->curveContacts[curve->firstContact + i];
		const snugPair pair = buffer->pairs[contact];
		sgTriangleSource_Fetch(flood->own, flood->isA ? pair.a : pair.b, flood->counters);
		sgTriangleSource_Fetch(flood->other, flood->isA ? pair.b : pair.a, flood->counters);
		AddEnds(flood, buffer->contacts + contact, 0);
		AddEnds(flood, buffer->contacts + contact, 1);
	}
	for (uint32_t i = 0; i < flood->count && !flood->isFull; ++i)
	{
		flood->at = flood->found[i];
		sgBody_VisitStar(flood->own->body, flood->at, AddNeighbours, flood);
	}
}

// ---- Depths --------------------------------------------------------------------------------------------------------

static double AlongFrom(const float* origin, const double direction[3], const float* point)
{
	double sum = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		sum += direction[k] * ((double)point[k] - origin[k]);
	}
	return sum;
}

// How far the part of one surface behind a curve reaches along a direction, from the curve's first point.
static double FindReach(Flood* flood, const snugCurve* curve, const double direction[3])
{
	const snugContactBuffer* buffer = flood->buffer;
	const uint32_t* points = buffer->curvePoints + curve->firstPoint;
	const float* origin = buffer->points[points[0]].position;
	FindVertices(flood, curve);
	double reach = flood->isFull ? NAN : 0.0;
	for (uint32_t i = 0; i < curve->pointCount; ++i)
	{
		reach = sgMost(reach, AlongFrom(origin, direction, buffer->points[points[i]].position));
	}
	for (uint32_t i = 0; i < flood->count; ++i)
	{
		float position[3];
		sgTriangleSource_Vertex(flood->own, flood->found[i], position, flood->counters);
		reach = sgMost(reach, AlongFrom(origin, direction, position));
	}
	Forget(flood);
	return reach;
}

// Add how far one surface reaches to all closed curves: a along the area, b against it.
static void AddReaches(Flood* flood)
{
	snugContactBuffer* buffer = flood->buffer;
	ListPoints(flood);
	for (uint32_t i = 0; i < buffer->curveCount; ++i)
	{
		const snugCurve* curve = buffer->curves + i;
		const double* area = curve->area;
		const double length = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
		if (curve->isClosed && length > 0.0)
		{
			const double sign = flood->isA ? 1.0 / length : -1.0 / length;
			const double direction[3] = { sign * area[0], sign * area[1], sign * area[2] };
			buffer->depths[i] += FindReach(flood, curve, direction);
		}
	}
}

void sgContactBuffer_FindDepths(
    snugContactBuffer* buffer, sgTriangleSource* a, sgTriangleSource* b, snugCounters* counters)
{
	Flood flood = { .buffer = buffer, .found = buffer->firstAt, .isSame = a->body == b->body, .counters = counters };
	memset(buffer->depths, 0, buffer->curveCount * sizeof(double));
	flood.own = a;
	flood.other = b;
	flood.isA = true;
	AddReaches(&flood);
	flood.own = b;
	flood.other = a;
	flood.isA = false;
	AddReaches(&flood);
}
