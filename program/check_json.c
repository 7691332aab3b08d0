// What is printed here is described in docs/check-json.md, and a test holds the two together.
#include "program/check.h"
#include "program/json.h"

#include <math.h>
#include <stdio.h>

static void PrintBodies(const check* c)
{
	printf(",\"bodies\":[");
	for (int i = 0; i < c->scene.partCount; ++i)
	{
		const cliPart* part = c->scene.parts + i;
		printf(i > 0 ? ",[" : "[");
		cliPrintJsonString(stdout, c->scene.files[part->file].path);
		printf(",");
		cliPrintJsonString(stdout, part->name);
		printf(",%u]", part->triangleCount);
	}
	printf("]");
}

// Of each body, and whether one pair is all that was looked for.
static void PrintClips(const check* c)
{
	printf(",\"clips\":[");
	for (int i = 0; i < c->scene.partCount; ++i)
	{
		int file = c->scene.parts[i].file;
		uint32_t clip = c->scene.files[file].clip;
		printf(i > 0 ? "," : "");
		if (clip != IO_NONE)
		{
			cliPrintJsonString(stdout, cliScene_GetAsset(&c->scene, file)->clips[clip].name);
		}
		else
		{
			printf("null");
		}
	}
	printf("],\"first\":%s", c->contactOptions.first ? "true" : "false");
}

// As far as the limit of the whole run goes.
static void PrintPairs(check* c, const cliContacts* contacts)
{
	printf(",\"pairs\":[");
	for (uint64_t i = 0; i < contacts->count && c->listed < (uint64_t)c->limit; ++i, ++c->listed)
	{
		const cliPair* p = contacts->pairs + i;
		printf("%s[%d,%u,%d,%u]", i > 0 ? "," : "", p->bodies[0], p->pair.a, p->bodies[1], p->pair.b);
	}
	printf("],\"count\":%llu", (unsigned long long)contacts->count);
	if (c->contactOptions.margin > 0.0)
	{
		printf(",\"margin\":");
		cliPrintJsonNumber(stdout, c->contactOptions.margin);
	}
}

static void PrintRegion(const check* c, const char* key, uint32_t region)
{
	char name[256];
	cliRegions_GetName(&c->regions, region, name, sizeof(name));
	printf("\"%s\":[", key);
	cliPrintJsonString(stdout, c->scene.files[cliRegions_GetFile(&c->regions, region)].path);
	printf(",");
	cliPrintJsonString(stdout, name);
	printf("]");
}

static void PrintTouches(const check* c, const cliTouch* touches, size_t count, bool ofAllFrames)
{
	printf(",\"joints\":[");
	for (size_t i = 0; i < count; ++i)
	{
		const cliTouch* t = touches + i;
		printf(i > 0 ? ",{" : "{");
		PrintRegion(c, "a", t->regions[0]);
		printf(",");
		PrintRegion(c, "b", t->regions[1]);
		printf(",\"count\":%llu", (unsigned long long)t->pairs);
		if (ofAllFrames)
		{
			printf(",\"frames\":%llu,\"firstFrame\":%llu,\"lastFrame\":%llu,\"mostFrame\":%llu,\"mostCount\":%llu",
			    (unsigned long long)t->frames, (unsigned long long)t->firstFrame, (unsigned long long)t->lastFrame,
			    (unsigned long long)t->mostFrame, (unsigned long long)t->mostPairs);
		}
		printf("}");
	}
	printf("]");
}

static void PrintFloats(const float point[3])
{
	printf("[");
	for (int k = 0; k < 3; ++k)
	{
		printf(k > 0 ? "," : "");
		cliPrintJsonNumber(stdout, (double)point[k]);
	}
	printf("]");
}

// JSON has no infinity: bodies without triangles are at no distance.
static void PrintDistances(const cliNear* near)
{
	printf(",\"distances\":[");
	for (size_t i = 0; i < near->distanceCount; ++i)
	{
		const cliDistance* d = near->distances + i;
		printf("%s{\"bodies\":[%d,%d],\"distance\":", i > 0 ? "," : "", d->bodies[0], d->bodies[1]);
		if (isinf(d->distance))
		{
			printf("null}");
			continue;
		}
		cliPrintJsonNumber(stdout, d->distance);
		printf(",\"triangles\":[%u,%u],\"points\":[", d->triangles[0], d->triangles[1]);
		PrintFloats(d->points[0]);
		printf(",");
		PrintFloats(d->points[1]);
		printf("]}");
	}
	printf("]");
}

void checkPrintJson(check* c, uint64_t frame, double time, const cliContacts* contacts)
{
	const snugCounters* counters = &contacts->counters;
	printf("{\"version\":%d,\"frame\":%llu,\"time\":", CHECK_JSON_VERSION, (unsigned long long)frame);
	cliPrintJsonNumber(stdout, time);
	PrintBodies(c);
	PrintClips(c);
	PrintPairs(c, contacts);
	if (c->byJoint)
	{
		PrintTouches(c, c->tally.now, c->tally.nowCount, false);
	}
	if (c->contactOptions.distances)
	{
		PrintDistances(&contacts->near);
	}
	if (c->curvePath != NULL)
	{
		printf(",\"curves\":%zu,\"loose\":%llu", contacts->near.curveCount, (unsigned long long)contacts->near.loose);
	}
	if (c->costs)
	{
		printf(",\"cost\":{\"nodesRefitted\":%llu,\"volumeTests\":%llu,\"verticesEvaluated\":%llu,"
		       "\"triangleTests\":%llu,\"microseconds\":%.3f}",
		    (unsigned long long)counters->nodesRefitted, (unsigned long long)counters->volumeTests,
		    (unsigned long long)counters->verticesEvaluated, (unsigned long long)counters->triangleTests,
		    contacts->microseconds);
	}
	printf("}\n");
}

// Frames with contact that follow each other, as first and last.
static void PrintIntervals(const cliTally* tally)
{
	bool any = false;
	printf(",\"contacts\":[");
	for (uint64_t i = 0, last; i < tally->frameCount; i = last + 1)
	{
		last = i;
		if (tally->frames[i].pairs == 0)
		{
			continue;
		}
		while (last + 1 < tally->frameCount && tally->frames[last + 1].pairs > 0)
		{
			++last;
		}
		printf("%s[%llu,%llu]", any ? "," : "", (unsigned long long)i, (unsigned long long)last);
		any = true;
	}
	printf("]");
}

static void PrintWays(const versus* v)
{
	printf(",\"ways\":[");
	for (int i = 0; i < v->count; ++i)
	{
		const versusRow* row = v->rows + i;
		printf(i > 0 ? ",{\"name\":" : "{\"name\":");
		cliPrintJsonString(stdout, row->name);
		printf(",\"microseconds\":%.3f,\"vertices\":%.1f,\"pairs\":%llu,\"missed\":%llu,\"invented\":%llu}",
		    1e3 * row->milliseconds, row->vertices, (unsigned long long)row->pairs, (unsigned long long)row->missed,
		    (unsigned long long)row->invented);
	}
	printf("]");
}

void checkPrintJsonSummary(const check* c)
{
	const cliTally* t = &c->tally;
	printf("{\"version\":%d,\"frames\":%llu,\"complete\":%s,\"from\":", CHECK_JSON_VERSION,
	    (unsigned long long)t->frameCount, checkIsCut(c) ? "false" : "true");
	cliPrintJsonNumber(stdout, c->from);
	printf(",\"fps\":");
	cliPrintJsonNumber(stdout, c->fps);
	PrintBodies(c);
	PrintClips(c);
	printf(
	    ",\"count\":%llu,\"contactFrames\":%llu", (unsigned long long)t->pairs, (unsigned long long)t->contactFrames);
	PrintIntervals(t);
	printf(
	    ",\"mostFrame\":%llu,\"mostCount\":%llu", (unsigned long long)t->mostFrame, (unsigned long long)t->mostPairs);
	if (c->byJoint)
	{
		PrintTouches(c, t->touches, t->touchCount, true);
	}
	if (c->costs)
	{
		printf(",\"cost\":{\"microseconds\":%.3f", t->microseconds);
		if (c->hasOthers)
		{
			PrintWays(&c->others);
		}
		printf("}");
	}
	printf("}\n");
}

void checkPrintCsv(const check* c, uint64_t frame, double time, const cliContacts* contacts)
{
	const snugCounters* counters = &contacts->counters;
	if (frame == 0)
	{
		printf("frame,time,count%s%s\n", c->contactOptions.distances ? ",distance" : "",
		    c->costs ? ",nodesRefitted,volumeTests,verticesEvaluated,triangleTests,microseconds" : "");
	}
	printf("%llu,", (unsigned long long)frame);
	cliPrintJsonNumber(stdout, time);
	printf(",%llu", (unsigned long long)contacts->count);
	if (c->contactOptions.distances)
	{
		const cliDistance* least = cliNear_GetLeast(&contacts->near);
		printf(",");
		if (least != NULL && !isinf(least->distance))
		{
			cliPrintJsonNumber(stdout, least->distance);
		}
	}
	if (c->costs)
	{
		printf(",%llu,%llu,%llu,%llu,%.3f", (unsigned long long)counters->nodesRefitted,
		    (unsigned long long)counters->volumeTests, (unsigned long long)counters->verticesEvaluated,
		    (unsigned long long)counters->triangleTests, contacts->microseconds);
	}
	printf("\n");
}
