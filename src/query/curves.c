// src/query/curves.c: segments joined to curves, by the names of their ends.
#include "query/contacts.h"

#include <math.h>
#include <string.h>

// An end of a segment: contact and which of its two points.
static uint32_t EndOf(uint32_t contact, uint32_t end)
{
	return 1 + 2 * contact + end;
}

// Whether another segment has the same two points: two triangles that share an edge of the one surface, which lies in
// the plane of a triangle of the other. One of them is enough.
static bool IsRepeated(const snugContactBuffer* buffer, const snugContact* contact)
{
	bool isRepeated = false;
	for (uint32_t at = buffer->firstAt[contact->points[0]]; at != 0 && !isRepeated; at = buffer->nextAt[at - 1])
	{
		isRepeated = buffer->contacts[(at - 1) / 2].points[1 - (at - 1) % 2] == contact->points[1];
	}
	return isRepeated;
}

// The lists of segments at each point.
static void Link(snugContactBuffer* buffer)
{
	memset(buffer->firstAt, 0, buffer->pointCount * sizeof(uint32_t));
	memset(buffer->degrees, 0, buffer->pointCount * sizeof(uint32_t));
	for (uint32_t i = 0; i < buffer->contactCount; ++i)
	{
		const snugContact* contact = buffer->contacts + i;
		if (contact->kind != snug_contactSegment || IsRepeated(buffer, contact))
		{
			continue;
		}
		for (uint32_t end = 0; end < 2; ++end)
		{
			uint32_t point = contact->points[end];
			buffer->nextAt[2 * i + end] = buffer->firstAt[point];
			buffer->firstAt[point] = EndOf(i, end);
			++buffer->degrees[point];
		}
	}
}

static bool IsLinked(const snugContactBuffer* buffer, uint32_t contact)
{
	const snugContact* segment = buffer->contacts + contact;
	bool isLinked = false;
	if (segment->kind == snug_contactSegment)
	{
		for (uint32_t at = buffer->firstAt[segment->points[0]]; at != 0 && !isLinked; at = buffer->nextAt[at - 1])
		{
			isLinked = (at - 1) / 2 == contact;
		}
	}
	return isLinked;
}

// Of the two segments at a point, the other one.
static uint32_t OtherEnd(const snugContactBuffer* buffer, uint32_t point, uint32_t contact)
{
	uint32_t at = buffer->firstAt[point];
	return (at - 1) / 2 != contact ? at : buffer->nextAt[at - 1];
}

// Where the surface ends, at a point on a vertex or an edge of it.
static bool IsAtBoundary(const snugBody* body, const snugFeature* feature)
{
	return feature->kind != snug_featureTriangle &&
	       sgBody_IsBoundary(body, feature->first, feature->kind == snug_featureEdge ? feature->second : SG_NONE);
}

static snugCurveEnd FindEnd(const snugContactBuffer* buffer, const snugBody* a, const snugBody* b, uint32_t point)
{
	const snugContactPoint* at = buffer->points + point;
	if (a == b && sgIsSameFeature(&at->a, &at->b))
	{
		return snug_endCorner;
	}
	if (buffer->degrees[point] > 2)
	{
		return snug_endBranch;
	}
	return IsAtBoundary(a, &at->a) || IsAtBoundary(b, &at->b) ? snug_endBoundary : snug_endOther;
}

// Of one body: whether triangle b is on the first part that a point of a segment names.
static bool IsTurnedAt(const snugContactBuffer* buffer, uint32_t contact, uint32_t end)
{
	return (buffer->contacts[contact].reserved >> end & 1) != 0;
}

// Of one body: let the two triangles of a segment change places. Then it goes the other way.
static void Turn(snugContactBuffer* buffer, uint32_t contact)
{
	const snugContact before = buffer->contacts[contact];
	snugContact* after = buffer->contacts + contact;
	const snugPair pair = buffer->pairs[contact];
	buffer->pairs[contact] = (snugPair){ pair.b, pair.a };
	after->a = before.b, after->b = before.a;
	after->points[0] = before.points[1], after->points[1] = before.points[0];
	after->reserved = (~before.reserved >> 1 & 1) | (~before.reserved & 1) << 1;
	memcpy(after->normalA, before.normalB, sizeof(after->normalA));
	memcpy(after->normalB, before.normalA, sizeof(after->normalB));
}

// Of one body: name the parts of points in the order of their contacts' triangles. Contacts of a closed curve agree.
static void NamePoints(snugContactBuffer* buffer)
{
	uint32_t* isNamed = buffer->firstAt;
	memset(isNamed, 0, buffer->pointCount * sizeof(uint32_t));
	for (uint32_t i = 0; i < 2 * buffer->contactCount; ++i)
	{
		snugContact* contact = buffer->contacts + i % buffer->contactCount;
		const bool isLate = i >= buffer->contactCount;
		for (uint32_t k = 0; k < contact->pointCount && isLate == (contact->curve == SNUG_NONE); ++k)
		{
			snugContactPoint* point = buffer->points + contact->points[k];
			if (isNamed[contact->points[k]]++ == 0 && (contact->reserved >> k & 1) != 0)
			{
				const snugFeature first = point->a;
				point->a = point->b, point->b = first;
			}
		}
	}
	for (uint32_t i = 0; i < buffer->contactCount; ++i)
	{
		buffer->contacts[i].reserved = 0;
	}
}

// From one end of a segment on, until nothing or more than one segment follows, or the first point comes again.
static snugCurve* Trace(snugContactBuffer* buffer, uint32_t contact, uint32_t end)
{
	snugCurve* curve = buffer->curves + buffer->curveCount;
	*curve = (snugCurve){ .firstPoint = buffer->curvePointCount, .firstContact = buffer->curveContactCount };
	const uint32_t start = buffer->contacts[contact].points[end];
	buffer->curvePoints[buffer->curvePointCount++] = start;
	for (;;)
	{
		snugContact* segment = buffer->contacts + contact;
		const uint32_t point = segment->points[1 - end];
		segment->curve = buffer->curveCount;
		buffer->curveContacts[buffer->curveContactCount++] = contact;
		curve->isClosed = point == start && buffer->degrees[point] == 2;
		if (curve->isClosed)
		{
			break;
		}
		buffer->curvePoints[buffer->curvePointCount++] = point;
		if (buffer->degrees[point] != 2)
		{
			break;
		}
		const uint32_t next = OtherEnd(buffer, point, contact) - 1;
		const bool isTurned = IsTurnedAt(buffer, contact, 1 - end);
		contact = next / 2;
		end = next % 2;
		if (IsTurnedAt(buffer, contact, end) != isTurned)
		{
			Turn(buffer, contact);
			end = 1 - end;
		}
	}
	curve->pointCount = buffer->curvePointCount - curve->firstPoint;
	curve->contactCount = buffer->curveContactCount - curve->firstContact;
	++buffer->curveCount;
	return curve;
}

// Sums over its segments, relative to the first point.
static void Measure(const snugContactBuffer* buffer, snugCurve* curve)
{
	const uint32_t* points = buffer->curvePoints + curve->firstPoint;
	const float* origin = buffer->points[points[0]].position;
	for (uint32_t i = 0; i < curve->contactCount; ++i)
	{
		const float* p = buffer->points[points[i]].position;
		const float* q = buffer->points[points[(i + 1) % curve->pointCount]].position;
		double from[3], to[3], length = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			from[k] = (double)p[k] - origin[k];
			to[k] = (double)q[k] - origin[k];
			length += (to[k] - from[k]) * (to[k] - from[k]);
		}
		length = sqrt(length);
		curve->length += length;
		for (int k = 0; k < 3; ++k)
		{
			int u = (k + 1) % 3, v = (k + 2) % 3;
			curve->area[k] += 0.5 * (from[u] * to[v] - from[v] * to[u]);
			curve->centroid[k] += 0.5 * length * (from[k] + to[k]);
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		double mean = curve->length > 0.0 ? curve->centroid[k] / curve->length : 0.0;
		curve->centroid[k] = origin[k] + mean;
	}
}

// First those with an end, in the direction of their first segment if it begins there; then closed ones.
void sgContactBuffer_Join(snugContactBuffer* buffer, const snugBody* a, const snugBody* b)
{
	Link(buffer);
	for (int pass = 0; pass < 3; ++pass)
	{
		for (uint32_t i = 0; i < buffer->contactCount; ++i)
		{
			const snugContact* contact = buffer->contacts + i;
			const uint32_t end = pass == 1 ? 1 : 0;
			if (contact->curve != SNUG_NONE || !IsLinked(buffer, i) ||
			    (pass < 2 && buffer->degrees[contact->points[end]] == 2))
			{
				continue;
			}
			snugCurve* curve = Trace(buffer, i, end);
			if (!curve->isClosed)
			{
				const uint32_t* points = buffer->curvePoints + curve->firstPoint;
				curve->ends[0] = FindEnd(buffer, a, b, points[0]);
				curve->ends[1] = FindEnd(buffer, a, b, points[curve->pointCount - 1]);
			}
			Measure(buffer, curve);
		}
	}
	if (a == b)
	{
		NamePoints(buffer);
	}
}
