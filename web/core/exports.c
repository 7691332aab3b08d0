// web/core/exports.c: the library for JavaScript. Flat arguments, pointers into linear memory, no 64-bit integers, so
// that nothing becomes a BigInt; no imports. web/package/snug.mjs is the other half.
//
// What needs none of this is exported by its own name: see web/CMakeLists.txt.
//
// A function that may fail returns a snugStatus; what the library said about it waits in webMessages. Numbers that may
// exceed 32 bits go out as doubles, which hold integers up to 2^53.
#include <snug/snug.h>
#include <snug/snug_queries.h>
#include <snug/snug_scene.h>

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(void*) == 4 && sizeof(size_t) == 4, "snug.mjs writes pointers and sizes as 32-bit words");

#define EXPORT(name) __attribute__((export_name(#name)))

// ---- What the library says ---------------------------------------------------------------------------------------

// Sentences since webForget, each as a letter for its severity, the text, a newline. What does not fit is left out.
static char messages[4096];
static size_t messageLength;

static void Append(const char* text)
{
	size_t length = strlen(text);
	if (length < sizeof(messages) - messageLength)
	{
		memcpy(messages + messageLength, text, length + 1);
		messageLength += length;
	}
}

static void Remember(void* user, snugSeverity severity, const char* text)
{
	(void)user;
	Append(severity == snug_error ? "e" : "w");
	Append(text);
	Append("\n");
}

static void RememberMisuse(void* user, const char* condition, const char* function)
{
	(void)user;
	Append("e");
	Append(function);
	Append(": ");
	Append(condition);
	Append("\n");
}

static const snugMessenger messenger = { .message = Remember };

EXPORT(start) void webStart(void)
{
	snugSetAssertHandler(RememberMisuse, NULL);
}

EXPORT(messages) const char* webMessages(void)
{
	return messages;
}

EXPORT(forget) void webForget(void)
{
	messageLength = 0;
	messages[0] = '\0';
}

// ---- What a page does not have -----------------------------------------------------------------------------------

// Stands in for the C library's, which would import the environment from a WASI.
char* getenv(const char* name)
{
	(void)name;
	return NULL;
}

// ---- Models ------------------------------------------------------------------------------------------------------

/// snugModelDef as 32-bit words; null pointers where there is nothing.
typedef struct webModelDef
{
	const float* positions;
	uint32_t vertexCount;
	const uint32_t* triangles;
	uint32_t triangleCount;
	uint32_t deformer;
	uint32_t blending;
	uint32_t jointCount;
	const uint32_t* influenceStarts;
	uint32_t influencesPerVertex;
	const uint16_t* joints;
	const float* weights;
	const float* jointPositions;
	uint32_t fieldCount;
	const uint32_t* fieldStarts;
	const uint16_t* fields;
	const float* displacements;
} webModelDef;

EXPORT(modelCreate) snugStatus webModelCreate(const webModelDef* from, snugModel** model)
{
	snugModelDef def = {
		.positions = from->positions,
		.vertexCount = from->vertexCount,
		.triangles = from->triangles,
		.triangleCount = from->triangleCount,
		.deformer = (snugDeformer)from->deformer,
		.skin = {
			.jointCount = from->jointCount,
			.starts = from->influenceStarts,
			.influencesPerVertex = from->influencesPerVertex,
			.joints = from->joints,
			.weights = from->weights,
			.jointPositions = from->jointPositions,
			.blending = (snugBlending)from->blending,
		},
		.fields = {
			.fieldCount = from->fieldCount,
			.starts = from->fieldStarts,
			.fields = from->fields,
			.displacements = from->displacements,
		},
		.messenger = messenger,
	};
	return snugModel_Create(&def, model);
}

EXPORT(modelLoad) snugStatus webModelLoad(const void* block, size_t bytes, snugModel** model)
{
	return snugModel_LoadMemory(block, bytes, &(snugLoadDef){ .messenger = messenger }, model);
}

/// @param words receives, in this order: vertices, triangles, deformer, joints, fields, influences, most influences of
/// a vertex, displacements, nodes of the tree, bytes, blending
EXPORT(modelInfo) void webModelInfo(const snugModel* model, uint32_t words[11])
{
	snugModelInfo info = snugModel_GetInfo(model);
	const uint32_t all[11] = { info.vertexCount, info.triangleCount, (uint32_t)info.deformer, info.jointCount,
		info.fieldCount, info.influenceCount, info.maxInfluences, info.displacementCount, info.nodeCount, info.bytes,
		(uint32_t)info.blending };
	memcpy(words, all, sizeof(all));
}

EXPORT(modelPositions) snugStatus webModelPositions(const snugModel* model, float* positions)
{
	return snugModel_GetPositions(model, positions, 0);
}

EXPORT(modelTriangles) snugStatus webModelTriangles(const snugModel* model, uint32_t* triangles)
{
	return snugModel_GetTriangles(model, triangles, 0);
}

// ---- Bodies ------------------------------------------------------------------------------------------------------

EXPORT(poolCreate) snugStatus webPoolCreate(size_t bytes, snugPool** pool)
{
	return snugPool_Create(&(snugPoolDef){ .bytes = bytes, .messenger = messenger }, pool);
}

/// @param pool nullable
EXPORT(bodyCreate)
snugStatus webBodyCreate(const snugModel* model, snugStrategy strategy, snugPool* pool, snugBody** body)
{
	snugBodyDef def = { .model = model, .strategy = strategy, .pool = pool, .messenger = messenger };
	return snugBody_Create(&def, body);
}

EXPORT(bodySetJoints) snugStatus webBodySetJoints(snugBody* body, const float* matrices, uint32_t count)
{
	return snugBody_SetJoints4x4(body, matrices, 0, count);
}

EXPORT(bodySetVertices)
snugStatus webBodySetVertices(snugBody* body, const float* positions, uint32_t first, uint32_t count)
{
	return snugBody_SetVertices(body, positions, 0, first, count);
}

EXPORT(bodyGetVertices) snugStatus webBodyGetVertices(snugBody* body, const double* origin, float* positions)
{
	return snugBody_GetVertices(body, origin, positions, 0);
}

// ---- Queries -----------------------------------------------------------------------------------------------------

#define COUNTERS 9

/// What queries share, as snug.mjs lays it out.
typedef struct webAsk
{
	double origin[3];          ///< in
	double limit;              ///< in: maxDistance, or the margin
	double counters[COUNTERS]; ///< out: as in snugCounters
	double count;              ///< out: what was found, possibly more than there is room for
} webAsk;

#define ORIGIN(ask)                                          \
	{                                                        \
		(ask)->origin[0], (ask)->origin[1], (ask)->origin[2] \
	}

_Static_assert(sizeof(snugCounters) == 8 * COUNTERS + 3 * 8, "webAsk has room for all counters");

// A query's counters, as doubles.
static void AddCounters(double out[COUNTERS], const snugCounters* from)
{
	uint64_t counters[COUNTERS];
	memcpy(counters, from, sizeof(counters));
	for (int i = 0; i < COUNTERS; ++i)
	{
		out[i] += (double)counters[i];
	}
}

static void CopyCounters(double out[COUNTERS], const snugCounters* from)
{
	memset(out, 0, COUNTERS * sizeof(double));
	AddCounters(out, from);
}

// Of any kind of result.
#define ANSWER(ask, result) Answer(ask, (result).status, &(result).counters, (double)(result).count)

static snugStatus Answer(webAsk* ask, snugStatus status, const snugCounters* counters, double count)
{
	CopyCounters(ask->counters, counters);
	ask->count = count;
	return status;
}

EXPORT(collide) snugStatus webCollide(snugBody* a, snugBody* b, snugPair* pairs, uint32_t capacity, webAsk* ask)
{
	const snugResult result =
	    snugCollide(a, b, &(snugQuery){ .origin = ORIGIN(ask), .pairs = pairs, .capacity = capacity });
	return ANSWER(ask, result);
}

/// @param witness nullable
EXPORT(touches) snugStatus webTouches(snugBody* a, snugBody* b, snugWitness* witness, webAsk* ask)
{
	const snugResult result = snugTouches(a, b, &(snugQuery){ .origin = ORIGIN(ask), .witness = witness });
	return ANSWER(ask, result);
}

_Static_assert(sizeof(snugRayHit) == 64 && sizeof(snugClosest) == 40 && sizeof(snugVertexDepth) == 40,
    "snug.mjs reads hits, closest points and depths");

EXPORT(castRays)
snugStatus webCastRays(snugBody* body, const snugRay* rays, uint32_t count, snugRayHit* hits, uint32_t any, webAsk* ask)
{
	const snugRayQuery query = { .origin = ORIGIN(ask), .any = any != 0 };
	snugResult result = snugCastRays(body, rays, count, hits, &query);
	return ANSWER(ask, result);
}

EXPORT(findHits)
snugStatus webFindHits(snugBody* body, const snugRay* ray, snugRayHit* hits, uint32_t capacity, webAsk* ask)
{
	const snugRayQuery query = { .origin = ORIGIN(ask) };
	snugResult result = snugFindHits(body, ray, hits, capacity, &query);
	return ANSWER(ask, result);
}

EXPORT(findClosest)
snugStatus webFindClosest(snugBody* body, const float* points, uint32_t count, snugClosest* closest, webAsk* ask)
{
	const snugDistanceQuery query = { .origin = ORIGIN(ask), .maxDistance = ask->limit };
	snugResult result = snugFindClosest(body, points, 0, count, closest, &query);
	return ANSWER(ask, result);
}

_Static_assert(sizeof(snugPointSide) == 12, "snug.mjs reads sides");

EXPORT(findSelfInside)
snugStatus webFindSelfInside(snugBody* body, snugPointSide* vertices, snugPointSide* triangles, webAsk* ask)
{
	snugResult result = snugFindSelfInside(body, vertices, triangles);
	return ANSWER(ask, result);
}

EXPORT(findVertexDepths)
snugStatus webFindVertexDepths(snugBody* body, snugBody* outer, snugVertexDepth* depths, uint32_t capacity, webAsk* ask)
{
	const snugDistanceQuery query = { .origin = ORIGIN(ask), .maxDistance = ask->limit };
	snugResult result = snugFindVertexDepths(body, outer, depths, capacity, &query);
	return ANSWER(ask, result);
}

/// The distance of two bodies, or infinity, in ask->count.
/// @param words receives the triangles
/// @param points receives the point on a, then that on b
EXPORT(findDistance)
snugStatus webFindDistance(snugBody* a, snugBody* b, webAsk* ask, uint32_t words[2], float points[6])
{
	const snugDistanceQuery query = { .origin = ORIGIN(ask), .maxDistance = ask->limit };
	snugDistanceResult result = snugFindDistance(a, b, &query);
	words[0] = result.a;
	words[1] = result.b;
	memcpy(points, result.pointA, sizeof(result.pointA));
	memcpy(points + 3, result.pointB, sizeof(result.pointB));
	return Answer(ask, result.status, &result.counters, result.distance);
}

_Static_assert(sizeof(snugSweepContact) == 88, "snug.mjs reads contacts of sweeps");

// What is asked: tolerance, maxTime, maxSteps, newOnly, turning. The margin is in ask->limit.
static snugSweepQuery ReadSweep(const webAsk* ask, const double numbers[19])
{
	const snugSweepQuery query = { .origin = ORIGIN(ask),
		.margin = ask->limit,
		.tolerance = numbers[0],
		.maxTime = numbers[1],
		.maxSteps = (uint64_t)numbers[2],
		.newOnly = numbers[3] != 0.0,
		.path = numbers[4] != 0.0 ? snug_pathTurning : snug_pathStraight };
	return query;
}

// What is found: answer, time, latest, triangles of a and b, kind, first and second of both features, position, normal,
// stray, complete.
static void WriteSweep(const snugSweepResult* r, double numbers[19])
{
	const double out[19] = { (double)r->answer, r->time, r->latest, r->a, r->b, (double)r->featureA.kind,
		r->featureA.first, r->featureA.second, (double)r->featureB.kind, r->featureB.first, r->featureB.second,
		(double)r->position[0], (double)r->position[1], (double)r->position[2], (double)r->normal[0],
		(double)r->normal[1], (double)r->normal[2], r->stray, r->complete ? 1.0 : 0.0 };
	memcpy(numbers, out, sizeof(out));
}

/// When two bodies first meet, or all that do; ends are nullable.
/// @param numbers in and out
/// @param contacts nullable: the first contact alone
/// @return how many contacts there are: in ask->count
EXPORT(sweep)
snugStatus webSweep(snugBody* startA, snugBody* endA, snugBody* startB, snugBody* endB, webAsk* ask, double numbers[19],
    snugSweepContact* contacts, uint32_t capacity)
{
	const snugSweepQuery query = ReadSweep(ask, numbers);
	const snugSweepResult r = contacts == NULL ? snugSweep(startA, endA, startB, endB, &query)
	                                           : snugSweepAll(startA, endA, startB, endB, &query, contacts, capacity);
	WriteSweep(&r, numbers);
	return ANSWER(ask, r);
}

/// How far a pose half-way is from the straight way: in ask->count.
EXPORT(findSagitta)
snugStatus webFindSagitta(snugBody* start, snugBody* middle, snugBody* end, webAsk* ask)
{
	return snugFindSagitta(start, middle, end, ask->origin, &ask->count);
}

EXPORT(collideWithin)
snugStatus webCollideWithin(snugBody* a, snugBody* b, snugPair* pairs, uint32_t capacity, webAsk* ask)
{
	snugQuery query = { .pairs = pairs, .capacity = capacity };
	memcpy(query.origin, ask->origin, sizeof(query.origin));
	snugResult result = snugCollideWithin(a, b, ask->limit, &query);
	return ANSWER(ask, result);
}

EXPORT(collideSelf)
snugStatus webCollideSelf(snugBody* body, snugPair* pairs, uint32_t capacity, uint32_t keepRest, webAsk* ask)
{
	snugQuery query = { .pairs = pairs, .capacity = capacity, .keepRest = keepRest != 0 };
	snugResult result = snugCollideSelf(body, &query);
	return ANSWER(ask, result);
}

EXPORT(collideSelfWithin)
snugStatus webCollideSelfWithin(snugBody* body, snugPair* pairs, uint32_t capacity, double restDistance, webAsk* ask)
{
	snugQuery query = { .pairs = pairs, .capacity = capacity };
	memcpy(query.origin, ask->origin, sizeof(query.origin));
	snugResult result = snugCollideSelfWithin(body, ask->limit, restDistance, &query);
	return ANSWER(ask, result);
}

EXPORT(touchesSelf) snugStatus webTouchesSelf(snugBody* body, uint32_t keepRest, webAsk* ask)
{
	snugResult result = snugTouchesSelf(body, &(snugQuery){ .keepRest = keepRest != 0 });
	return ANSWER(ask, result);
}

// ---- Contacts ----------------------------------------------------------------------------------------------------

_Static_assert(sizeof(snugContact) == 72 && sizeof(snugContactPoint) == 36 && sizeof(snugCurve) == 88,
    "snug.mjs reads contacts, points and curves");

EXPORT(contactBufferCreate) snugStatus webContactBufferCreate(uint32_t capacity, snugContactBuffer** buffer)
{
	return snugContactBuffer_Create(&(snugContactBufferDef){ .capacity = capacity, .messenger = messenger }, buffer);
}

/// Find contacts, of one body with itself if `a` is `b`; ask->count receives how many there are, more than the buffer
/// has room for if words[0] is zero.
/// @param words receives: whether complete; contacts, points and curves with their numbers; points of curves
static void CopyContacts(uint32_t words[8], const snugContactResult* r)
{
	const uint32_t all[8] = { r->complete, (uint32_t)r->contacts, r->contactCount, (uint32_t)r->points, r->pointCount,
		(uint32_t)r->curves, r->curveCount, (uint32_t)r->curvePoints };
	memcpy(words, all, sizeof(all));
}

EXPORT(findContacts)
snugStatus webFindContacts(
    snugBody* a, snugBody* b, uint32_t keepRest, snugContactBuffer* buffer, webAsk* ask, uint32_t words[8])
{
	const snugContactQuery query = { .origin = ORIGIN(ask), .keepRest = keepRest != 0 };
	snugContactResult result =
	    a == b ? snugFindSelfContacts(a, buffer, &query) : snugFindContacts(a, b, buffer, &query);
	CopyContacts(words, &result);
	return ANSWER(ask, result);
}

// ---- Scenes ------------------------------------------------------------------------------------------------------

_Static_assert(sizeof(snugScenePair) == 24, "snug.mjs reads pairs of bodies");

/// Contacts of two bodies, as an update found them: copies, which follow in the same block.
typedef struct webTold
{
	struct webTold* next;
	uint32_t words[8]; ///< as webFindContacts has them
} webTold;

/// A scene, and whose part each body is, by ids: zero, nobody's.
typedef struct webScene
{
	snugScene* scene;
	double origin[3];
	webTold *first, *last; ///< of the last update, one for each two bodies that touch, in order
	bool isShort;          ///< of memory for them
	uint32_t* owners;
	uint32_t capacity;
} webScene;

// A snugSceneFilterFcn: parts of one owner do not meet each other.
static bool AreOfTwo(void* user, uint32_t a, uint32_t b)
{
	const webScene* s = user;
	return s->owners[a] == 0 || s->owners[a] != s->owners[b];
}

EXPORT(sceneCreate) snugStatus webSceneCreate(const double origin[3], webScene** scene)
{
	webScene* s = calloc(1, sizeof(webScene));
	if (s == NULL)
	{
		return snug_outOfMemory;
	}
	snugSceneDef def = { .messenger = messenger, .filter = AreOfTwo, .filterUser = s };
	memcpy(def.origin, origin, sizeof(def.origin));
	memcpy(s->origin, origin, sizeof(s->origin));
	snugStatus status = snugScene_Create(&def, &s->scene);
	if (status != snug_success)
	{
		free(s);
		return status;
	}
	*scene = s;
	return snug_success;
}

static void ForgetTold(webScene* s)
{
	while (s->first != NULL)
	{
		webTold* next = s->first->next;
		free(s->first);
		s->first = next;
	}
	s->last = NULL;
	s->isShort = false;
}

EXPORT(sceneDestroy) void webSceneDestroy(webScene* s)
{
	ForgetTold(s);
	snugScene_Destroy(s->scene);
	free(s->owners);
	free(s);
}

static bool KeepOwner(webScene* s, uint32_t id, uint32_t owner)
{
	if (id >= s->capacity)
	{
		uint32_t capacity = 2 * id + 16;
		uint32_t* owners = realloc(s->owners, capacity * sizeof(uint32_t));
		if (owners == NULL)
		{
			return false;
		}
		s->owners = owners;
		s->capacity = capacity;
	}
	s->owners[id] = owner;
	return true;
}

// Kind, from, to, radius, normal, offset.
static snugShape ShapeOf(const double numbers[12])
{
	snugShape shape = { .kind = (snugShapeKind)numbers[0], .radius = (float)numbers[7], .plane.offset = numbers[11] };
	for (int k = 0; k < 3; ++k)
	{
		shape.from[k] = (float)numbers[1 + k];
		shape.to[k] = (float)numbers[4 + k];
		shape.plane.normal[k] = numbers[8 + k];
	}
	return shape;
}

/// Makes room for another body where there is none.
/// @param body nullable; then `shape` is added
/// @param owner bodies with the same number do not meet, unless it is zero
EXPORT(sceneAdd)
snugStatus webSceneAdd(webScene* s, snugBody* body, const double shape[12], snugBody* replaces, uint32_t isStatic,
    uint32_t meetsItself, uint32_t groups, uint32_t mask, uint32_t owner, uint32_t count, uint32_t* id)
{
	const snugShape own = ShapeOf(shape);
	snugSceneRoom room = snugScene_GetRoom(s->scene);
	snugStatus status = snug_success;
	if (room.bodies < count + 1)
	{
		status = snugScene_Reserve(s->scene, &(snugSceneRoom){ .bodies = 2 * (count + 1) });
	}
	snugSceneBodyDef def = { .body = body,
		.isStatic = isStatic != 0,
		.meetsItself = meetsItself != 0,
		.groups = groups,
		.mask = mask,
		.shape = body == NULL ? &own : NULL,
		.replaces = replaces };
	status = status == snug_success ? snugScene_Add(s->scene, &def, id) : status;
	if (status == snug_success && !KeepOwner(s, *id, owner))
	{
		snugScene_Remove(s->scene, *id);
		status = snug_outOfMemory;
	}
	return status;
}

EXPORT(sceneSetShape) snugStatus webSceneSetShape(webScene* s, uint32_t id, const double shape[12])
{
	const snugShape own = ShapeOf(shape);
	return snugScene_SetShape(s->scene, id, &own);
}

EXPORT(sceneRemove) snugStatus webSceneRemove(webScene* s, uint32_t id)
{
	return snugScene_Remove(s->scene, id);
}

EXPORT(sceneCastRays)
snugStatus webSceneCastRays(
    webScene* s, const snugRay* rays, uint32_t count, snugRayHit* hits, uint32_t any, uint32_t mask, webAsk* ask)
{
	snugRayQuery query = { .any = any != 0, .mask = mask };
	snugSceneResult result = snugScene_CastRays(s->scene, rays, count, hits, &query);
	return ANSWER(ask, result);
}

EXPORT(sceneFindHits)
snugStatus webSceneFindHits(
    webScene* s, const snugRay* ray, snugRayHit* hits, uint32_t capacity, uint32_t mask, webAsk* ask)
{
	snugRayQuery query = { .mask = mask };
	snugSceneResult result = snugScene_FindHits(s->scene, ray, hits, capacity, &query);
	return ANSWER(ask, result);
}

/// When any two first meet.
/// @param ends by id; nullable each: it rests
/// @param words receives both ids
EXPORT(sceneSweep)
snugStatus webSceneSweep(
    webScene* s, snugBody* const* ends, uint32_t endCount, webAsk* ask, double numbers[19], uint32_t words[2])
{
	const snugSweepQuery query = ReadSweep(ask, numbers);
	snugSceneSweep first;
	snugSceneResult result = snugScene_Sweep(s->scene, ends, endCount, &query, &first);
	CopyCounters(ask->counters, &result.counters);
	while (result.status == snug_outOfRange && result.needed.candidates > 0)
	{
		const snugStatus status = snugScene_Reserve(s->scene, &result.needed);
		if (status != snug_success)
		{
			return status;
		}
		webForget();
		result = snugScene_Sweep(s->scene, ends, endCount, &query, &first);
		AddCounters(ask->counters, &result.counters);
	}
	words[0] = first.a;
	words[1] = first.b;
	WriteSweep(&first.sweep, numbers);
	return result.status;
}

static void* PutBehind(char** at, const void* from, size_t bytes)
{
	char* to = *at;
	memcpy(to, from, bytes);
	*at += bytes;
	return to;
}

static void KeepTold(webScene* s, const snugContactResult* found)
{
	size_t curvePoints = 0;
	for (uint32_t i = 0; i < found->curveCount; ++i)
	{
		curvePoints += found->curves[i].pointCount;
	}
	const size_t contacts = found->contactCount * sizeof(snugContact), curves = found->curveCount * sizeof(snugCurve);
	const size_t points = found->pointCount * sizeof(snugContactPoint);
	webTold* told = malloc(sizeof(webTold) + 8 + curves + contacts + points + curvePoints * sizeof(uint32_t));
	s->isShort = s->isShort || told == NULL || !found->complete;
	if (told == NULL)
	{
		return;
	}
	snugContactResult copy = *found;
	char* at = (char*)(((uintptr_t)(told + 1) + 7) & ~(uintptr_t)7); // curves have doubles
	copy.curves = PutBehind(&at, found->curves, curves);
	copy.contacts = PutBehind(&at, found->contacts, contacts);
	copy.points = PutBehind(&at, found->points, points);
	copy.curvePoints = PutBehind(&at, found->curvePoints, curvePoints * sizeof(uint32_t));
	CopyContacts(told->words, &copy);
	told->next = NULL;
	*(s->last != NULL ? &s->last->next : &s->first) = told;
	s->last = told;
}

// A snugSceneContactsFcn. What there was too little room for is found again.
static void Tell(void* user, uint32_t a, uint32_t b, const snugContactResult* found)
{
	webScene* s = user;
	snugContactBuffer* buffer = NULL;
	snugContactResult again = *found;
	if (!found->complete && webContactBufferCreate((uint32_t)found->count, &buffer) == snug_success)
	{
		const snugContactQuery query = { .origin = ORIGIN(s) };
		again = snugFindContacts(snugScene_GetBody(s->scene, a), snugScene_GetBody(s->scene, b), buffer, &query);
	}
	KeepTold(s, &again);
	snugContactBuffer_Destroy(buffer);
}

/// Contacts of the last update, of one two bodies that touch after those of another.
/// @param told null: the first
/// @return null after the last
EXPORT(sceneTold) const webTold* webSceneTold(const webScene* s, const webTold* told, uint32_t words[8])
{
	told = told != NULL ? told->next : s->first;
	if (told != NULL)
	{
		memcpy(words, told->words, sizeof(told->words));
	}
	return told;
}

/// Update, making room until there is enough.
/// @param contacts nullable; room for contacts, which are found as well
/// @param words receives: moved bodies, candidates, queries, kept pairs; pairs and their number, triangle pairs; begun
/// events and their number, persisting ones, ended ones
EXPORT(sceneUpdate)
snugStatus webSceneUpdate(
    webScene* s, uint32_t trianglePairs, snugContactBuffer* contacts, double counters[COUNTERS], uint32_t words[13])
{
	snugScene* scene = s->scene;
	snugSceneQuery query = { .trianglePairs = trianglePairs != 0,
		.contacts = contacts != NULL ? Tell : NULL,
		.contactsUser = s,
		.contactBuffer = contacts };
	ForgetTold(s);
	snugSceneResult result = snugScene_Update(scene, &query);
	CopyCounters(counters, &result.counters);
	const snugSceneRoom none = { 0 };
	while (result.status == snug_outOfRange && memcmp(&result.needed, &none, sizeof(none)) != 0)
	{
		snugStatus status = snugScene_Reserve(scene, &result.needed);
		if (status != snug_success)
		{
			return status;
		}
		webForget();
		// What bodies have evaluated they keep: the work of both is the work of this update.
		result = snugScene_Update(scene, &query);
		AddCounters(counters, &result.counters);
	}
	uint64_t pairCount, triangleCount;
	const snugScenePair* pairs = snugScene_GetPairs(scene, &pairCount);
	const snugPair* triangles = snugScene_GetTrianglePairs(scene, &triangleCount);
	snugSceneEvents events = snugScene_GetEvents(scene);
	const uint32_t all[13] = { result.moved, (uint32_t)result.candidates, (uint32_t)result.queries,
		(uint32_t)result.kept, (uint32_t)pairs, (uint32_t)pairCount, (uint32_t)triangles, (uint32_t)events.begun,
		(uint32_t)events.begunCount, (uint32_t)events.persisting, (uint32_t)events.persistingCount,
		(uint32_t)events.ended, (uint32_t)events.endedCount };
	memcpy(words, all, sizeof(all));
	return s->isShort ? snug_outOfMemory : result.status;
}
