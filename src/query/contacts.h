// src/query/contacts.h: memory for contacts, and the steps that fill it: pairs (pairs.c), what they have in common
// (contacts.c), curves (curves.c).
#ifndef SG_CONTACTS_H
#define SG_CONTACTS_H

#include "query/triangles.h"
#include "snug/snug_queries.h"

/// Points that a buffer has room for, for each pair.
#define SG_POINTS_PER_CONTACT 3

struct snugContactBuffer
{
	snugAllocator allocator;
	unsigned char* memory; ///< everything below
	size_t bytes;
	uint32_t capacity;

	snugPair* pairs;          ///< (capacity)
	snugContact* contacts;    ///< (capacity)
	snugContactPoint* points; ///< (SG_POINTS_PER_CONTACT * capacity)
	snugCurve* curves;        ///< (capacity)
	uint32_t* curvePoints;    ///< (2 * capacity)
	uint32_t* curveContacts;  ///< (capacity)
	double* depths;           ///< (capacity)

	/// Points by name: open addressing, zero or 1 + the number of a point.
	uint32_t* table; ///< (tableSize), a power of two, at least twice as many as points
	uint64_t tableSize;

	/// Segments by their ends: lists that begin at a point and go on from 2 * contact + end. 1 + 2 * contact + end, or
	/// zero.
	uint32_t* firstAt; ///< (SG_POINTS_PER_CONTACT * capacity)
	uint32_t* nextAt;  ///< (2 * capacity)
	uint32_t* degrees; ///< (2 * SG_POINTS_PER_CONTACT * capacity): segments at a point; later, lists of names

	uint32_t contactCount, pointCount, curveCount, curvePointCount, curveContactCount;
};

static inline bool sgIsSameFeature(const snugFeature* a, const snugFeature* b)
{
	return a->kind == b->kind && a->first == b->first && a->second == b->second;
}

/// A buffer is divided into so many parts, for as many pairs of bodies at once.
#define SG_CONTACT_PARTS 8

/// One part of a buffer, for as long as the buffer itself is not used.
snugContactBuffer sgContactBuffer_Part(const snugContactBuffer* buffer, uint32_t part);

/// What pairs of triangles that intersect have in common: snugFindContacts without the search. Of one body, if `a` is
/// `b`, as everywhere here: snugFindSelfContacts.
/// @param places (count): pairs of places, leaf * SG_LANES + lane, in any order
snugContactResult sgFindContactsOf(snugBody* a, snugBody* b, snugContactBuffer* buffer, const snugContactQuery* query,
    const snugPair* places, uint64_t count);

/// Whether an edge, or any edge at a vertex (`w` is SG_NONE), belongs to one triangle alone. By twins, as the body's
/// pose has them.
bool sgBody_IsBoundary(const snugBody* body, uint32_t v, uint32_t w);

/// The triangles at a vertex: of twins the one that stands for them.
/// @param visit called with the vertices of each triangle, of twins likewise
typedef void sgStarFcn(void* context, const uint32_t corners[3]);
void sgBody_VisitStar(const snugBody* body, uint32_t vertex, sgStarFcn* visit, void* context);

/// Join the segments of a buffer to curves. Of one body, bit i of a contact's `reserved` says that its triangle b is
/// the one that is on the first part which its point i names; all are zero afterwards.
void sgContactBuffer_Join(snugContactBuffer* buffer, const snugBody* a, const snugBody* b);

/// Find how deep closed curves are. Vertices in names are in tree order still. Uses the memory for names and lists.
void sgContactBuffer_FindDepths(
    snugContactBuffer* buffer, sgTriangleSource* a, sgTriangleSource* b, snugCounters* counters);

#endif
