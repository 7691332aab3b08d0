#include "program/check/contacts.h"

#include "io/grow.h"
#include "program/check/brute.h"
#include "program/files/clock.h"

#include <stdlib.h>
#include <string.h>

typedef struct search
{
	cliContacts* contacts;
	cliStage* stage;
	const cliContactOptions* options;
	float** positions; ///< per body, for brute force
	snugBounds* boxes; ///< of those
} search;

static bool Fail(search* s, const char* text)
{
	if (s->stage->error.text[0] == '\0')
	{
		ioError_Set(&s->stage->error, s->stage->scene->files[0].path, 0, "%s", text);
	}
	return false;
}

// ---- Which bodies ----------------------------------------------------------------------------------------------

static bool BoxesMeet(const snugBounds* a, const snugBounds* b)
{
	bool meet = true;
	for (int k = 0; k < 3; ++k)
	{
		meet = meet && a->lower[k] <= b->upper[k] && b->lower[k] <= a->upper[k];
	}
	return meet;
}

static bool AreAsked(const search* s, int a, int b)
{
	const cliPart* parts = s->stage->scene->parts;
	return s->options->within || parts[a].file != parts[b].file;
}

// ---- Pairs -----------------------------------------------------------------------------------------------------

static bool AddPair(void* user, snugPair pair)
{
	cliContacts* c = user;
	if (!ioGrow(&c->pairs, &c->capacity, (size_t)c->count + 1, sizeof(cliPair)))
	{
		c->outOfMemory = true;
		return false;
	}
	c->pairs[c->count++] = (cliPair){ { c->bodies[0], c->bodies[1] }, pair, 0.0 };
	return true;
}

int cliPair_Compare(const void* first, const void* second)
{
	const cliPair *x = first, *y = second;
	for (int i = 0; i < 2; ++i)
	{
		if (x->bodies[i] != y->bodies[i])
		{
			return x->bodies[i] < y->bodies[i] ? -1 : 1;
		}
	}
	return x->pair.a != y->pair.a ? (x->pair.a < y->pair.a ? -1 : 1)
	                              : (x->pair.b > y->pair.b) - (x->pair.b < y->pair.b);
}

static void SortPairs(cliContacts* c)
{
	if (c->count > 1)
	{
		qsort(c->pairs, (size_t)c->count, sizeof(cliPair), cliPair_Compare);
	}
}

static void AddCounters(snugCounters* sum, const snugCounters* counters)
{
	sum->nodesRefitted += counters->nodesRefitted;
	sum->nodesAtFront += counters->nodesAtFront;
	sum->nodesAboveFront += counters->nodesAboveFront;
	sum->nodesBelowFront += counters->nodesBelowFront;
	sum->volumeTests += counters->volumeTests;
	sum->verticesEvaluated += counters->verticesEvaluated;
	sum->triangleTests += counters->triangleTests;
	sum->exactTests += counters->exactTests;
}

static bool CollideOurs(search* s, int a, int b)
{
	snugQuery query = { .callback = AddPair, .user = s->contacts };
	s->stage->telling = a;
	snugResult result =
	    (s->options->first ? snugTouches : snugCollide)(s->stage->bodies[a], s->stage->bodies[b], &query);
	AddCounters(&s->contacts->counters, &result.counters);
	return cliStage_Check(s->stage, a, s->contacts->outOfMemory ? snug_outOfMemory : result.status);
}

static bool CollideWithin(search* s, int a, int b)
{
	snugQuery query = { .callback = AddPair, .user = s->contacts };
	s->stage->telling = a;
	snugResult result = snugCollideWithin(s->stage->bodies[a], s->stage->bodies[b], s->options->margin, &query);
	AddCounters(&s->contacts->counters, &result.counters);
	return cliStage_Check(s->stage, a, s->contacts->outOfMemory ? snug_outOfMemory : result.status);
}

static bruteMesh GetMesh(const search* s, int body)
{
	const cliPart* part = s->stage->scene->parts + body;
	return (bruteMesh){ s->positions[body], part->triangles, part->triangleCount };
}

static bool CollideBrute(search* s, int a, int b)
{
	bruteMesh meshA = GetMesh(s, a), meshB = GetMesh(s, b);
	bruteResult result = bruteCollide(&meshA, &meshB);
	bool added = !result.outOfMemory;
	for (uint64_t i = 0; added && i < result.count && !(s->options->first && i > 0); ++i)
	{
		added = AddPair(s->contacts, result.pairs[i]);
	}
	s->contacts->counters.volumeTests += result.boxTests;
	s->contacts->counters.triangleTests += result.triangleTests;
	bruteResult_Free(&result);
	return cliStage_Check(s->stage, a, added ? snug_success : snug_outOfMemory);
}

// Bodies that are asked about, two at a time. How far is too far is left to the library; brute force has its own boxes.
static bool CollideTwo(search* s, int a, int b)
{
	if (!AreAsked(s, a, b) || (s->options->brute && !BoxesMeet(s->boxes + a, s->boxes + b)))
	{
		return true;
	}
	s->contacts->bodies[0] = a;
	s->contacts->bodies[1] = b;
	return s->options->brute          ? CollideBrute(s, a, b)
	       : s->options->margin > 0.0 ? CollideWithin(s, a, b)
	                                  : CollideOurs(s, a, b);
}

static bool CollideInTurn(search* s)
{
	int count = s->stage->scene->partCount;
	bool good = true;
	for (int a = 0; good && a < count; ++a)
	{
		for (int b = a + 1; good && b < count && !(s->options->first && s->contacts->count > 0); ++b)
		{
			good = CollideTwo(s, a, b);
		}
	}
	SortPairs(s->contacts);
	return good;
}

// ---- All pairs, by a scene ---------------------------------------------------------------------------------------

// Bodies of one file are not asked for.
static bool AreOfTwoFiles(void* user, uint32_t a, uint32_t b)
{
	const cliPart* parts = ((const cliStage*)user)->scene->parts;
	return parts[a].file != parts[b].file;
}

// A scene of the stage's bodies, whose ids are their numbers. Made once; it remembers what did not move.
static bool MakeCrowd(search* s)
{
	cliStage* stage = s->stage;
	uint32_t count = (uint32_t)stage->scene->partCount;
	snugSceneDef def = {
		.room = { .bodies = count },
		.filter = s->options->within ? NULL : AreOfTwoFiles,
		.filterUser = stage,
	};
	bool isMade = stage->crowd != NULL || snugScene_Create(&def, &stage->crowd) == snug_success;
	for (uint32_t i = 0; isMade && i < count && snugScene_GetBody(stage->crowd, i) == NULL; ++i)
	{
		uint32_t id;
		isMade = snugScene_Add(stage->crowd, &(snugSceneBodyDef){ .body = stage->bodies[i] }, &id) == snug_success;
	}
	return isMade || Fail(s, "out of memory");
}

// Costs are those of all attempts: what one without enough room has brought up to date, the next does not pay for.
static bool UpdateCrowd(search* s)
{
	const snugSceneQuery query = { .trianglePairs = true };
	snugSceneResult result = snugScene_Update(s->stage->crowd, &query);
	AddCounters(&s->contacts->counters, &result.counters);
	while (result.status == snug_outOfRange && result.body == UINT32_MAX)
	{
		if (snugScene_Reserve(s->stage->crowd, &result.needed) != snug_success)
		{
			return Fail(s, "out of memory for pairs");
		}
		result = snugScene_Update(s->stage->crowd, &query);
		AddCounters(&s->contacts->counters, &result.counters);
	}
	const int body = result.body != UINT32_MAX ? (int)result.body : 0;
	if (result.status != snug_success)
	{
		snugBounds bounds;
		s->stage->telling = body;
		snugBody_GetBounds(s->stage->bodies[body], NULL, &bounds); // a body that is too far says so in a sentence
	}
	return cliStage_Check(s->stage, body, result.status);
}

static bool CollideCrowd(search* s)
{
	if (!UpdateCrowd(s))
	{
		return false;
	}
	uint64_t count, triangleCount;
	const snugScenePair* pairs = snugScene_GetPairs(s->stage->crowd, &count);
	const snugPair* triangles = snugScene_GetTrianglePairs(s->stage->crowd, &triangleCount);
	for (uint64_t i = 0; i < count; ++i)
	{
		s->contacts->bodies[0] = (int)pairs[i].a;
		s->contacts->bodies[1] = (int)pairs[i].b;
		for (uint64_t k = 0; k < pairs[i].count; ++k)
		{
			if (!AddPair(s->contacts, triangles[pairs[i].first + k]))
			{
				return Fail(s, "out of memory for pairs");
			}
		}
	}
	return true;
}

// ---- More than pairs between bodies ----------------------------------------------------------------------------

static snugResult CollideSelf(const search* s, snugBody* body)
{
	const cliContactOptions* asked = s->options;
	const snugQuery query = { .callback = AddPair, .user = s->contacts, .keepRest = asked->keepRest };
	return asked->margin > 0.0 ? snugCollideSelfWithin(body, asked->margin, asked->restDistance, &query)
	       : asked->first      ? snugTouchesSelf(body, &query)
	                           : snugCollideSelf(body, &query);
}

static bool CollideSelves(search* s)
{
	for (int i = 0; i < s->stage->scene->partCount && !(s->options->first && s->contacts->count > 0); ++i)
	{
		s->contacts->bodies[0] = s->contacts->bodies[1] = i;
		s->stage->telling = i;
		const snugResult result = CollideSelf(s, s->stage->bodies[i]);
		AddCounters(&s->contacts->counters, &result.counters);
		if (!cliStage_Check(s->stage, i, s->contacts->outOfMemory ? snug_outOfMemory : result.status))
		{
			return false;
		}
	}
	SortPairs(s->contacts);
	return true;
}

static bool FindDistances(search* s)
{
	int count = s->stage->scene->partCount;
	bool found = true;
	for (int a = 0; found && a < count; ++a)
	{
		for (int b = a + 1; found && b < count; ++b)
		{
			found = !AreAsked(s, a, b) || cliNear_AddDistance(&s->contacts->near, s->stage, a, b);
		}
	}
	return found;
}

static bool FindInside(search* s)
{
	int count = s->stage->scene->partCount;
	bool found = true;
	for (int body = 0; found && body < count; ++body)
	{
		for (int outer = 0; found && outer < count; ++outer)
		{
			const bool isAsked =
			    body == outer ? s->options->self : AreAsked(s, body, outer) && !s->options->isOpen[outer];
			found = !isAsked || cliNear_AddInside(&s->contacts->near, s->stage, body, outer);
		}
	}
	return found;
}

// Of the bodies that meet: pairs are sorted by bodies.
static bool FindCurves(search* s)
{
	const cliContacts* c = s->contacts;
	bool found = true;
	for (uint64_t i = 0, next; found && i < c->count; i = next)
	{
		const int* bodies = c->pairs[i].bodies;
		for (next = i + 1; next < c->count && memcmp(c->pairs[next].bodies, bodies, sizeof(int[2])) == 0; ++next)
		{
		}
		found = cliNear_AddCurves(&s->contacts->near, s->stage, bodies[0], bodies[1], next - i);
	}
	return found;
}

// Not part of what a frame costs: neither of the time nor of the counters.
static bool FindMore(search* s)
{
	return (!s->options->distances || FindDistances(s)) && (!s->options->curves || FindCurves(s)) &&
	       (!s->options->inside || FindInside(s));
}

// ---- Brute force's own boxes -----------------------------------------------------------------------------------

static snugBounds BoundCorners(const cliPart* part, const float* positions)
{
	snugBounds box = { .lower = { 1.0f, 1.0f, 1.0f }, .upper = { -1.0f, -1.0f, -1.0f } };
	for (size_t i = 0; i < 3 * (size_t)part->triangleCount; ++i)
	{
		const float* p = positions + 3 * (size_t)part->triangles[i];
		for (int k = 0; k < 3; ++k)
		{
			box.lower[k] = i == 0 || p[k] < box.lower[k] ? p[k] : box.lower[k];
			box.upper[k] = i == 0 || p[k] > box.upper[k] ? p[k] : box.upper[k];
		}
	}
	return box;
}

// All positions, and boxes from nothing but them: brute force must not rest on what it checks.
static bool PoseAll(search* s)
{
	const cliScene* scene = s->stage->scene;
	s->positions = calloc((size_t)scene->partCount + 1, sizeof(float*));
	s->boxes = calloc((size_t)scene->partCount + 1, sizeof(snugBounds));
	if (s->positions == NULL || s->boxes == NULL)
	{
		return Fail(s, "out of memory");
	}
	for (int i = 0; i < scene->partCount; ++i)
	{
		const cliPart* part = scene->parts + i;
		s->positions[i] = malloc(((size_t)part->vertexCount + 1) * 3 * sizeof(float));
		if (s->positions[i] == NULL)
		{
			return cliStage_Check(s->stage, i, snug_outOfMemory);
		}
		if (!cliStage_GetVertices(s->stage, i, s->positions[i]))
		{
			return false;
		}
		s->boxes[i] = BoundCorners(part, s->positions[i]);
		s->contacts->counters.verticesEvaluated += part->vertexCount;
	}
	return true;
}

static void FreeSearch(search* s)
{
	for (int i = 0; s->positions != NULL && i < s->stage->scene->partCount; ++i)
	{
		free(s->positions[i]);
	}
	free(s->positions);
	free(s->boxes);
}

bool cliContacts_Find(cliContacts* contacts, cliStage* stage, double time, const cliContactOptions* options)
{
	search s = { .contacts = contacts, .stage = stage, .options = options };
	contacts->count = 0;
	contacts->outOfMemory = false;
	cliNear_Clear(&contacts->near);
	bool all = !options->brute && !options->first && !(options->margin > 0.0);
	contacts->failed = !cliStage_SetTime(stage, time) || (all && !MakeCrowd(&s));
	contacts->counters = options->brute ? (snugCounters){ .nodesRefitted = 0 } : stage->counters;
	if (!contacts->failed)
	{
		double start = clockNow();
		contacts->failed = !((!options->brute || PoseAll(&s)) && (all ? CollideCrowd(&s) : CollideInTurn(&s)) &&
		                     (!options->self || CollideSelves(&s)));
		contacts->microseconds = 1e3 * (clockNow() - start + stage->milliseconds);
		contacts->failed = contacts->failed || !FindMore(&s);
	}
	contacts->error = stage->error;
	FreeSearch(&s);
	return !contacts->failed;
}

// The first pair that is not before one. Pairs are sorted.
static uint64_t Seek(const cliContacts* contacts, const cliPair* wanted)
{
	uint64_t low = 0, high = contacts->count;
	while (low < high)
	{
		const uint64_t middle = low + (high - low) / 2;
		const bool isBefore = cliPair_Compare(contacts->pairs + middle, wanted) < 0;
		low = isBefore ? middle + 1 : low;
		high = isBefore ? high : middle;
	}
	return low;
}

static bool AreMeeting(const cliContacts* contacts, int a, int b)
{
	const uint64_t at = Seek(contacts, &(cliPair){ .bodies = { a, b } });
	return at < contacts->count && contacts->pairs[at].bodies[0] == a && contacts->pairs[at].bodies[1] == b;
}

// Tell a curve's pairs how deep it is. Returns how many there are.
static uint64_t TellDepth(cliContacts* contacts, const cliCurve* curve)
{
	uint64_t count = 0;
	const double depth = cliCurve_GetNewDepth(curve);
	for (size_t i = 0; i < curve->pairCount; ++i)
	{
		const cliPair wanted = { .bodies = { curve->bodies[0], curve->bodies[1] },
			.pair = contacts->near.pairs[curve->firstPair + i] };
		const uint64_t at = Seek(contacts, &wanted);
		if (at < contacts->count && cliPair_Compare(contacts->pairs + at, &wanted) == 0)
		{
			contacts->pairs[at].depth = depth > 0.0 ? depth : 0.0;
			++count;
		}
	}
	return count;
}

void cliContacts_KeepCurves(cliContacts* contacts)
{
	cliNear* near = &contacts->near;
	uint64_t inCurves = 0;
	size_t kept = 0, points = 0;
	for (size_t i = 0; i < near->curveCount; ++i)
	{
		cliCurve curve = near->curves[i];
		const uint64_t count = TellDepth(contacts, &curve);
		if (count > 0)
		{
			memmove(
			    near->points + 3 * points, near->points + 3 * curve.firstPoint, 3 * sizeof(float) * curve.pointCount);
			curve.firstPoint = points;
			points += curve.pointCount;
			near->curves[kept++] = curve;
		}
		inCurves += count;
	}
	near->curveCount = kept;
	near->pointCount = points;
	near->loose = contacts->count - inCurves;
}

bool cliContacts_FindBetween(cliContacts* contacts, cliStage* before, cliStage* stage, const cliContactOptions* options)
{
	const search s = { .contacts = contacts, .stage = stage, .options = options };
	for (int i = 0; !contacts->failed && i < stage->scene->partCount * stage->scene->partCount; ++i)
	{
		const int a = i / stage->scene->partCount, b = i % stage->scene->partCount;
		contacts->failed = a < b && AreAsked(&s, a, b) && !AreMeeting(contacts, a, b) &&
		                   !cliNear_AddBetween(&contacts->near, before, stage, a, b, options->margin);
	}
	contacts->error = stage->error.text[0] != '\0' ? stage->error : before->error;
	return !contacts->failed;
}

void cliContacts_Free(cliContacts* contacts)
{
	free(contacts->pairs);
	cliNear_Free(&contacts->near);
	*contacts = (cliContacts){ .pairs = NULL };
}
