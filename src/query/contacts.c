// src/query/contacts.c: what intersecting pairs of triangles have in common, point by point.
//
// Pairs come in the order of the trees. Each one's points get names of vertices, edges and triangles
// (geometry/contact.h), and a table of names makes points that several pairs share one point. A point's place is
// computed from its name: an edge from the vertex with the smaller number, a triangle as it is; so it does not matter
// which pair asks first.
#include "query/contacts.h"

#include "base/arrays.h"
#include "base/fpenv.h"
#include "geometry/contact.h"
#include "query/pairs.h"
#include "query/triangles.h"

#include <string.h>

// ---- Memory --------------------------------------------------------------------------------------------------------

static uint64_t TableSize(uint64_t points)
{
	uint64_t size = 2;
	while (size < 2 * points)
	{
		size *= 2;
	}
	return size;
}

#define ARRAY_COUNT 11

static void ListArrays(const snugContactBuffer* buffer, sgArray list[ARRAY_COUNT])
{
	const uint64_t count = buffer->capacity, points = SG_POINTS_PER_CONTACT * count;
	const sgArray arrays[ARRAY_COUNT] = {
		{ SG_ARRAY(snugContactBuffer, pairs, count) },
		{ SG_ARRAY(snugContactBuffer, contacts, count) },
		{ SG_ARRAY(snugContactBuffer, points, points) },
		{ SG_ARRAY(snugContactBuffer, curves, count) },
		{ SG_ARRAY(snugContactBuffer, curvePoints, 2 * count) },
		{ SG_ARRAY(snugContactBuffer, curveContacts, count) },
		{ SG_ARRAY(snugContactBuffer, depths, count) },
		{ SG_ARRAY(snugContactBuffer, table, buffer->tableSize) },
		{ SG_ARRAY(snugContactBuffer, firstAt, points) },
		{ SG_ARRAY(snugContactBuffer, nextAt, 2 * count) },
		{ SG_ARRAY(snugContactBuffer, degrees, 2 * points) },
	};
	memcpy(list, arrays, sizeof(arrays));
}

snugStatus snugContactBuffer_Create(const snugContactBufferDef* def, snugContactBuffer** buffer)
{
	SG_REQUIRE(buffer != NULL, snug_badArgument);
	*buffer = NULL;
	SG_REQUIRE(def != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	if (def->capacity == 0 || def->capacity > 100000000)
	{
		return sgFail(&def->messenger, snug_badInput, "a buffer for contacts has a capacity from 1 to 100 million");
	}
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	snugContactBuffer* made = sgAllocate(&allocator, sizeof(snugContactBuffer));
	if (made != NULL)
	{
		sgArray list[ARRAY_COUNT];
		*made = (snugContactBuffer){ .allocator = allocator, .capacity = def->capacity };
		made->tableSize = TableSize(SG_POINTS_PER_CONTACT * (uint64_t)def->capacity);
		ListArrays(made, list);
		made->bytes = sgArrays_Bytes(0, list, ARRAY_COUNT);
		made->memory = sgAllocate(&allocator, made->bytes);
		if (made->memory != NULL)
		{
			sgArrays_Bind(0, list, ARRAY_COUNT, made->memory, made);
			memset(made->table, 0, (size_t)made->tableSize * sizeof(uint32_t));
			*buffer = made;
			return snug_success;
		}
		sgRelease(&allocator, made, sizeof(snugContactBuffer));
	}
	return sgFail(&def->messenger, snug_outOfMemory, "no memory for %u contacts", def->capacity);
}

void snugContactBuffer_Destroy(snugContactBuffer* buffer)
{
	if (buffer != NULL)
	{
		snugAllocator allocator = buffer->allocator;
		sgRelease(&allocator, buffer->memory, buffer->bytes);
		sgRelease(&allocator, buffer, sizeof(snugContactBuffer));
	}
}

// The table's size is a power of two, and at least twice as many as all points: so is that of each part.
snugContactBuffer sgContactBuffer_Part(const snugContactBuffer* buffer, uint32_t part)
{
	snugContactBuffer made = *buffer;
	made.capacity = buffer->tableSize >= 2 * SG_CONTACT_PARTS ? buffer->capacity / SG_CONTACT_PARTS : 0;
	made.tableSize = buffer->tableSize / SG_CONTACT_PARTS;
	const size_t first = (size_t)part * made.capacity;
	made.pairs += first;
	made.contacts += first;
	made.points += SG_POINTS_PER_CONTACT * first;
	made.curves += first;
	made.curvePoints += 2 * first;
	made.curveContacts += first;
	made.depths += first;
	made.table += part * made.tableSize;
	made.firstAt += SG_POINTS_PER_CONTACT * first;
	made.nextAt += 2 * first;
	made.degrees += SG_POINTS_PER_CONTACT * first;
	return made;
}

// ---- Points --------------------------------------------------------------------------------------------------------

/// The two ends of an edge, the smaller vertex first.
typedef struct ContactEdge
{
	int first, second; ///< corners
} ContactEdge;

static ContactEdge EdgeOf(const sgPlacedTriangle* triangle, int part)
{
	int first = (part - sg_firstEdge) % 3, second = (first + 1) % 3;
	bool isSorted = triangle->vertices[first] < triangle->vertices[second];
	return isSorted ? (ContactEdge){ first, second } : (ContactEdge){ second, first };
}

static snugFeature FeatureOf(const sgPlacedTriangle* triangle, int part)
{
	if (part < sg_firstEdge)
	{
		return (snugFeature){ snug_featureVertex, triangle->vertices[part], 0 };
	}
	if (part == sg_inside)
	{
		return (snugFeature){ snug_featureTriangle, triangle->number, 0 };
	}
	ContactEdge edge = EdgeOf(triangle, part);
	return (snugFeature){ snug_featureEdge, triangle->vertices[edge.first], triangle->vertices[edge.second] };
}

static void PlaceCorner(const sgPlacedTriangle* triangle, int corner, double place[3])
{
	for (int k = 0; k < 3; ++k)
	{
		place[k] = triangle->corners[corner][k];
	}
}

static void PlaceEdge(
    const sgPlacedTriangle* triangle, int part, const sgPlacedTriangle* other, int partOfOther, double place[3])
{
	ContactEdge edge = EdgeOf(triangle, part);
	const float *p = triangle->corners[edge.first], *q = triangle->corners[edge.second];
	if (partOfOther == sg_inside)
	{
		sgMeetPlane(p, q, (const float(*)[3])other->corners, place);
		return;
	}
	ContactEdge across = EdgeOf(other, partOfOther);
	sgMeetEdge(p, q, other->corners[across.first], other->corners[across.second], place);
}

// Twins may differ in the sign of a zero, which is taken away.
static void PlacePoint(const sgPlacedTriangle* a, const sgPlacedTriangle* b, sgSharedPoint point, float position[3])
{
	double place[3];
	if (point.a < sg_firstEdge)
	{
		PlaceCorner(a, point.a, place);
	}
	else if (point.b < sg_firstEdge)
	{
		PlaceCorner(b, point.b, place);
	}
	else if (point.a < sg_inside)
	{
		PlaceEdge(a, point.a, b, point.b, place);
	}
	else
	{
		PlaceEdge(b, point.b, a, point.a, place);
	}
	for (int k = 0; k < 3; ++k)
	{
		position[k] = (float)place[k] + 0.0f;
	}
}

static uint64_t HashFeature(uint64_t hash, const snugFeature* feature)
{
	hash = (hash ^ ((uint64_t)feature->first << 32 | feature->second)) * 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 29 ^ (uint64_t)feature->kind) * 0xbf58476d1ce4e5b9u;
	return hash ^ hash >> 32;
}

// Any order of features, in which those of one body are named.
static bool IsBefore(const snugFeature* a, const snugFeature* b)
{
	return a->kind != b->kind ? a->kind < b->kind : a->first != b->first ? a->first < b->first : a->second < b->second;
}

/// A search under way.
typedef struct ContactSearch
{
	snugContactBuffer* buffer;
	sgTriangleSource a, b;
	uint64_t slots; ///< of the table that are used, a power of two: no more than fit in a cache, if contacts are few
	snugCounters counters;
	bool isOwn; ///< of one body
	bool isFull;
} ContactSearch;

// A new point; SG_NONE if there is no room.
static uint32_t AddPoint(ContactSearch* search, snugFeature a, snugFeature b)
{
	snugContactBuffer* buffer = search->buffer;
	if (buffer->pointCount == SG_POINTS_PER_CONTACT * buffer->capacity)
	{
		search->isFull = true;
		return SG_NONE;
	}
	buffer->points[buffer->pointCount] = (snugContactPoint){ .a = a, .b = b };
	return buffer->pointCount++;
}

// The point with a name, found or made. Of one body the two parts of a name have an order. A corner that both triangles
// have is no name: where a surface begins to cross itself, no segment follows another one.
// @param isTurned receives whether the part that comes first is b's
static uint32_t FindPoint(ContactSearch* search, sgSharedPoint shared, bool* isTurned)
{
	snugContactBuffer* buffer = search->buffer;
	const sgPlacedTriangle *a = &search->a.triangle, *b = &search->b.triangle;
	snugFeature featureA = FeatureOf(a, shared.a), featureB = FeatureOf(b, shared.b);
	*isTurned = search->isOwn && IsBefore(&featureB, &featureA);
	if (*isTurned)
	{
		const snugFeature feature = featureA;
		a = &search->b.triangle, b = &search->a.triangle;
		featureA = featureB, featureB = feature;
		shared = (sgSharedPoint){ shared.b, shared.a };
	}
	if (search->isOwn && sgIsSameFeature(&featureA, &featureB))
	{
		const uint32_t corner = AddPoint(search, featureA, featureB);
		if (corner != SG_NONE)
		{
			PlacePoint(a, b, shared, buffer->points[corner].position);
		}
		return corner;
	}
	uint64_t slot = HashFeature(HashFeature(1, &featureA), &featureB);
	for (;; ++slot)
	{
		uint32_t* entry = buffer->table + (slot & (search->slots - 1));
		if (*entry == 0)
		{
			uint32_t made = AddPoint(search, featureA, featureB);
			if (made != SG_NONE)
			{
				PlacePoint(a, b, shared, buffer->points[made].position);
				*entry = made + 1;
			}
			return made;
		}
		const snugContactPoint* point = buffer->points + *entry - 1;
		if (sgIsSameFeature(&point->a, &featureA) && sgIsSameFeature(&point->b, &featureB))
		{
			return *entry - 1;
		}
	}
}

// Whatever is found, the table is empty again afterwards, since every entry is that of a point.
static void ForgetNames(const ContactSearch* search)
{
	const snugContactBuffer* buffer = search->buffer;
	if (buffer->pointCount > search->slots / 8)
	{
		memset(buffer->table, 0, (size_t)search->slots * sizeof(uint32_t));
		return;
	}
	for (uint32_t i = 0; i < buffer->pointCount; ++i)
	{
		const snugContactPoint* point = buffer->points + i;
		uint64_t slot = HashFeature(HashFeature(1, &point->a), &point->b);
		while (buffer->table[slot & (search->slots - 1)] != 0)
		{
			buffer->table[slot++ & (search->slots - 1)] = 0;
		}
	}
}

// ---- Contacts ------------------------------------------------------------------------------------------------------

static const snugContactKind kinds[] = {
	[sgContact_none] = snug_contactPoint, // never: they intersect
	[sgContact_point] = snug_contactPoint,
	[sgContact_segment] = snug_contactSegment,
	[sgContact_polygon] = snug_contactPolygon,
	[sgContact_flat] = snug_contactFlat,
};

static uint32_t AddFlatPoint(ContactSearch* search, const double place[3])
{
	uint32_t made =
	    AddPoint(search, FeatureOf(&search->a.triangle, sg_inside), FeatureOf(&search->b.triangle, sg_inside));
	for (int k = 0; made != SG_NONE && k < 3; ++k)
	{
		search->buffer->points[made].position[k] = (float)place[k] + 0.0f;
	}
	return made;
}

// The caller's number of a triangle.
static uint32_t NumberAt(const ContactSearch* search, uint32_t place)
{
	const sgTree* tree = &search->a.body->model->tree;
	return tree->triangleMap[tree->leaves[place / SG_LANES].firstTriangle + place % SG_LANES];
}

static void AddContact(ContactSearch* search, snugPair* pair)
{
	if (search->isOwn && NumberAt(search, pair->b) < NumberAt(search, pair->a))
	{
		*pair = (snugPair){ pair->b, pair->a };
	}
	sgTriangleSource_Fetch(&search->a, pair->a, &search->counters);
	sgTriangleSource_Fetch(&search->b, pair->b, &search->counters);
	const sgPlacedTriangle *a = &search->a.triangle, *b = &search->b.triangle;
	sgContact found;
	sgTriangles_Contact((const float(*)[3])a->corners, (const float(*)[3])b->corners, &found);
	snugContact* contact = search->buffer->contacts + search->buffer->contactCount++;
	*contact = (snugContact){ .a = a->number, .b = b->number, .kind = kinds[found.kind], .curve = SNUG_NONE };
	contact->pointCount = (uint32_t)found.count;
	for (int i = 0; i < found.count; ++i)
	{
		bool isTurned = false;
		contact->points[i] = found.kind == sgContact_flat ? AddFlatPoint(search, found.ends[i])
		                                                  : FindPoint(search, found.points[i], &isTurned);
		contact->reserved |= (uint32_t)isTurned << i;
	}
	memcpy(contact->normalA, a->normal, sizeof(contact->normalA));
	memcpy(contact->normalB, b->normal, sizeof(contact->normalB));
}

// From vertices in tree order to the caller's.
static void Renumber(const snugModel* model, snugFeature* feature)
{
	const uint32_t* map = model->tree.vertexMap;
	if (feature->kind != snug_featureTriangle)
	{
		feature->first = map[feature->first];
		feature->second = feature->kind == snug_featureEdge ? map[feature->second] : 0;
	}
}

static void FindPairs(snugBody* a, snugBody* b, const snugContactQuery* query, snugContactBuffer* buffer,
    sgFpEnv callersEnvironment, snugResult* result)
{
	const sgPairOptions options = {
		.origin = query->origin,
		.asPlaces = true,
		.keepRest = query->keepRest,
		.workers = query->workers,
	};
	sgSink sink = { .pairs = buffer->pairs, .capacity = buffer->capacity, .callersEnvironment = callersEnvironment };
	sgFindPairs(a, b, &options, &sink, result);
	sgSink_Finish(&sink);
	result->count = sink.count;
}

static void FillBuffer(ContactSearch* search, uint64_t pairs, bool depths)
{
	snugContactBuffer* buffer = search->buffer;
	const uint64_t slots = TableSize(SG_MAX_SHARED * pairs);
	search->slots = slots < buffer->tableSize ? slots : buffer->tableSize;
	for (uint64_t i = 0; i < pairs && !search->isFull; ++i)
	{
		AddContact(search, buffer->pairs + i);
	}
	ForgetNames(search);
	const snugModel *a = search->a.body->model, *b = search->b.body->model;
	if (!search->isFull)
	{
		sgContactBuffer_Join(buffer, search->a.body, search->b.body);
		if (depths)
		{
			sgContactBuffer_FindDepths(buffer, &search->a, &search->b, &search->counters);
		}
		for (uint32_t i = 0; i < buffer->pointCount; ++i)
		{
			Renumber(a, &buffer->points[i].a);
			Renumber(b, &buffer->points[i].b);
		}
	}
}

// ---- Of one body -------------------------------------------------------------------------------------------------

static void TurnBy(const sgPlacement* placement, const double from[3], double to[3])
{
	for (int i = 0; i < 3; ++i)
	{
		const double* row = placement->rotation[i];
		to[i] = row[0] * from[0] + row[1] * from[1] + row[2] * from[2];
	}
}

static void TurnNormal(const sgPlacement* placement, float normal[3])
{
	const double from[3] = { normal[0], normal[1], normal[2] };
	double to[3];
	TurnBy(placement, from, to);
	for (int k = 0; k < 3; ++k)
	{
		normal[k] = (float)to[k];
	}
}

// What was found in body space is told where the body is.
static void MoveAll(snugContactBuffer* buffer, const sgPlacement* placement)
{
	const double* translation = placement->translation;
	for (uint32_t i = 0; i < buffer->pointCount; ++i)
	{
		float* position = buffer->points[i].position;
		const double from[3] = { position[0], position[1], position[2] };
		double to[3];
		TurnBy(placement, from, to);
		for (int k = 0; k < 3; ++k)
		{
			position[k] = (float)(to[k] + translation[k]);
		}
	}
	for (uint32_t i = 0; i < buffer->contactCount; ++i)
	{
		TurnNormal(placement, buffer->contacts[i].normalA);
		TurnNormal(placement, buffer->contacts[i].normalB);
	}
	for (uint32_t i = 0; i < buffer->curveCount; ++i)
	{
		const snugCurve curve = buffer->curves[i];
		TurnBy(placement, curve.area, buffer->curves[i].area);
		TurnBy(placement, curve.centroid, buffer->curves[i].centroid);
		for (int k = 0; k < 3; ++k)
		{
			buffer->curves[i].centroid[k] += translation[k];
		}
	}
}

static snugContactResult Report(const snugContactBuffer* buffer)
{
	return (snugContactResult){
		.complete = true,
		.contacts = buffer->contacts,
		.contactCount = buffer->contactCount,
		.pointCount = buffer->pointCount,
		.points = buffer->points,
		.curves = buffer->curves,
		.curveCount = buffer->curveCount,
		.curvePoints = buffer->curvePoints,
		.curveContacts = buffer->curveContacts,
	};
}

// The contacts of the pairs that a search has put into the buffer, which may have had no room for all.
static SG_NOINLINE snugContactResult Describe(
    snugBody* a, snugBody* b, snugContactBuffer* buffer, const snugContactQuery* query, snugResult pairs)
{
	ContactSearch search;
	search.buffer = buffer;
	search.isOwn = a == b;
	search.isFull = false;
	search.counters = (snugCounters){ 0 };
	const double* origin = a == b ? NULL : query->origin;
	buffer->contactCount = buffer->pointCount = buffer->curveCount = 0;
	buffer->curvePointCount = buffer->curveContactCount = 0;
	snugStatus status = pairs.status;
	status = status == snug_success ? sgTriangleSource_Start(&search.a, a, origin, &search.counters) : status;
	status = status == snug_success ? sgTriangleSource_Start(&search.b, b, origin, &search.counters) : status;
	sgPlacement placement = { .isIdentity = true };
	sgBox root;
	if (status == snug_success && a == b)
	{
		status = sgBody_MakePlacement(a, query->origin, &root, &placement, &search.counters);
	}
	snugContactResult result = { .status = status };
	if (status == snug_success && pairs.count <= buffer->capacity)
	{
		FillBuffer(&search, pairs.count, query->depths);
		if (a == b && !search.isFull && !placement.isIdentity)
		{
			MoveAll(buffer, &placement);
		}
		result = search.isFull ? result : Report(buffer);
		result.depths = query->depths && result.complete ? buffer->depths : NULL;
	}
	result.status = status;
	result.count = pairs.count;
	result.counters = pairs.counters;
	sgCounters_Add(&result.counters, &search.counters);
	return result;
}

snugContactResult sgFindContactsOf(snugBody* a, snugBody* b, snugContactBuffer* buffer, const snugContactQuery* query,
    const snugPair* places, uint64_t count)
{
	const snugResult pairs = { .status = snug_success, .count = count };
	if (count <= buffer->capacity)
	{
		memcpy(buffer->pairs, places, (size_t)count * sizeof(snugPair));
		sgSink_Finish(&(sgSink){ .pairs = buffer->pairs, .capacity = count, .count = count });
	}
	return Describe(a, b, buffer, query, pairs);
}

static snugContactResult Ask(snugBody* a, snugBody* b, bool isOwn, snugContactBuffer* buffer,
    const snugContactQuery* query, const char* function)
{
	static const snugContactQuery defaults = { .depths = false };
	const snugContactResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE_IN(function, a != NULL && b != NULL && (a == b) == isOwn && buffer != NULL, misuse);
	SG_REQUIRE_RESERVED_IN(function, query, misuse);
	SG_REQUIRE_IN(function, sgIsFinitePoint(query->origin), misuse);
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult pairs = { .status = snug_success };
	FindPairs(a, b, query, buffer, environment, &pairs);
	snugContactResult result = Describe(a, b, buffer, query, pairs);
	sgFpEnv_Leave(environment);
	return result;
}

snugContactResult snugFindContacts(snugBody* a, snugBody* b, snugContactBuffer* buffer, const snugContactQuery* query)
{
	return Ask(a, b, false, buffer, query, __func__);
}

snugContactResult snugFindSelfContacts(snugBody* body, snugContactBuffer* buffer, const snugContactQuery* query)
{
	return Ask(body, body, true, buffer, query, __func__);
}
