// What is printed here is described in docs/check-json.md, and a test holds the two together.
#include "program/check/check.h"
#include "program/files/json.h"

#include <math.h>
#include <stdio.h>

static void PrintBodies(const check* c)
{
	fprintf(c->out, ",\"bodies\":[");
	for (int i = 0; i < c->scene.partCount; ++i)
	{
		const cliPart* part = c->scene.parts + i;
		fprintf(c->out, i > 0 ? ",[" : "[");
		cliPrintJsonString(c->out, c->scene.files[part->file].path);
		fprintf(c->out, ",");
		cliPrintJsonString(c->out, part->name);
		fprintf(c->out, ",%u]", part->triangleCount);
	}
	fprintf(c->out, "]");
}

// Of each body, and whether one pair is all that was looked for.
static void PrintClips(const check* c)
{
	fprintf(c->out, ",\"clips\":[");
	for (int i = 0; i < c->scene.partCount; ++i)
	{
		int file = c->scene.parts[i].file;
		uint32_t clip = c->scene.files[file].clip;
		fprintf(c->out, i > 0 ? "," : "");
		if (clip != IO_NONE)
		{
			cliPrintJsonString(c->out, cliScene_GetAsset(&c->scene, file)->clips[clip].name);
		}
		else
		{
			fprintf(c->out, "null");
		}
	}
	fprintf(c->out, "],\"first\":%s", c->contactOptions.first ? "true" : "false");
}

// As far as the limit of the whole run goes.
static void PrintPairs(check* c, const cliContacts* contacts)
{
	fprintf(c->out, ",\"pairs\":[");
	c->listable += contacts->count;
	for (uint64_t i = 0; i < contacts->count && c->listed < (uint64_t)c->limit; ++i, ++c->listed)
	{
		const cliPair* p = contacts->pairs + i;
		fprintf(c->out, "%s[%d,%u,%d,%u]", i > 0 ? "," : "", p->bodies[0], p->pair.a, p->bodies[1], p->pair.b);
	}
	fprintf(c->out, "],\"count\":%llu", (unsigned long long)contacts->count);
	if (c->contactOptions.margin > 0.0)
	{
		fprintf(c->out, ",\"margin\":");
		cliPrintJsonNumber(c->out, c->contactOptions.margin);
	}
}

static void PrintRegion(const check* c, const char* key, uint32_t region)
{
	char name[256];
	cliRegions_GetName(&c->regions, region, name, sizeof(name));
	fprintf(c->out, "\"%s\":[", key);
	cliPrintJsonString(c->out, c->scene.files[cliRegions_GetFile(&c->regions, region)].path);
	fprintf(c->out, ",");
	cliPrintJsonString(c->out, name);
	fprintf(c->out, "]");
}

static void PrintTouches(const check* c, const cliTouch* touches, size_t count, bool ofAllFrames)
{
	fprintf(c->out, ",\"joints\":[");
	for (size_t i = 0; i < count; ++i)
	{
		const cliTouch* t = touches + i;
		fprintf(c->out, i > 0 ? ",{" : "{");
		PrintRegion(c, "a", t->regions[0]);
		fprintf(c->out, ",");
		PrintRegion(c, "b", t->regions[1]);
		fprintf(c->out, ",\"count\":%llu", (unsigned long long)t->pairs);
		if (c->contactOptions.curves)
		{
			fprintf(c->out, ",\"depth\":");
			cliPrintJsonNumber(c->out, t->depth);
		}
		if (ofAllFrames)
		{
			fprintf(c->out,
			    ",\"frames\":%llu,\"firstFrame\":%llu,\"lastFrame\":%llu,\"mostFrame\":%llu,\"mostCount\":%llu",
			    (unsigned long long)t->frames, (unsigned long long)t->firstFrame, (unsigned long long)t->lastFrame,
			    (unsigned long long)t->mostFrame, (unsigned long long)t->mostPairs);
		}
		fprintf(c->out, "}");
	}
	fprintf(c->out, "]");
}

static void PrintFloats(const check* c, const float point[3])
{
	fprintf(c->out, "[");
	for (int k = 0; k < 3; ++k)
	{
		fprintf(c->out, k > 0 ? "," : "");
		cliPrintJsonNumber(c->out, (double)point[k]);
	}
	fprintf(c->out, "]");
}

// JSON has no infinity: bodies without triangles are at no distance.
static void PrintDistances(const check* c, const cliNear* near)
{
	fprintf(c->out, ",\"distances\":[");
	for (size_t i = 0; i < near->distanceCount; ++i)
	{
		const cliDistance* d = near->distances + i;
		fprintf(c->out, "%s{\"bodies\":[%d,%d],\"distance\":", i > 0 ? "," : "", d->bodies[0], d->bodies[1]);
		if (isinf(d->distance))
		{
			fprintf(c->out, "null}");
			continue;
		}
		cliPrintJsonNumber(c->out, d->distance);
		fprintf(c->out, ",\"triangles\":[%u,%u],\"points\":[", d->triangles[0], d->triangles[1]);
		PrintFloats(c, d->points[0]);
		fprintf(c->out, ",");
		PrintFloats(c, d->points[1]);
		fprintf(c->out, "]}");
	}
	fprintf(c->out, "]");
}

static void PrintInsides(check* c, const cliNear* near)
{
	fprintf(c->out, ",\"inside\":[");
	for (size_t i = 0; i < near->insideCount; ++i)
	{
		const cliInside* inside = near->insides + i;
		const uint64_t left = (uint64_t)c->limit - c->listed, count = inside->count < left ? inside->count : left;
		fprintf(c->out, "%s{\"bodies\":[%d,%d],\"count\":%zu,\"vertices\":[", i > 0 ? "," : "", inside->bodies[0],
		    inside->bodies[1], inside->count);
		for (uint64_t k = 0; k < count; ++k)
		{
			fprintf(c->out, k > 0 ? ",%u" : "%u", near->vertices[inside->first + k].vertex);
		}
		fprintf(c->out, inside->bodies[0] == inside->bodies[1] ? "]" : "],\"depths\":[");
		for (uint64_t k = 0; k < count && inside->bodies[0] != inside->bodies[1]; ++k)
		{
			fprintf(c->out, k > 0 ? "," : "");
			cliPrintJsonNumber(c->out, near->vertices[inside->first + k].depth);
		}
		fprintf(c->out, inside->bodies[0] == inside->bodies[1] ? "}" : "]}");
		c->listed += count;
		c->listable += inside->count;
	}
	fprintf(c->out, "]");
}

static void PrintBetween(const check* c, const cliNear* near)
{
	fprintf(c->out, ",\"between\":[");
	for (size_t i = 0; i < near->betweenCount; ++i)
	{
		const cliBetween* b = near->between + i;
		fprintf(c->out, "%s{\"bodies\":[%d,%d],\"triangles\":[%u,%u],\"time\":", i > 0 ? "," : "", b->bodies[0],
		    b->bodies[1], b->triangles[0], b->triangles[1]);
		cliPrintJsonNumber(c->out, b->time);
		fprintf(c->out, ",\"sure\":%s,\"position\":", b->isSure ? "true" : "false");
		PrintFloats(c, b->position);
		fprintf(c->out, "}");
	}
	fprintf(c->out, "]");
}

void checkPrintJson(check* c, uint64_t frame, double time, const cliContacts* contacts)
{
	const snugCounters* counters = &contacts->counters;
	fprintf(c->out, "{\"version\":%d,\"frame\":%llu,\"time\":", CHECK_FRAME_VERSION, (unsigned long long)frame);
	cliPrintJsonNumber(c->out, time);
	PrintBodies(c);
	PrintClips(c);
	PrintPairs(c, contacts);
	if (c->byJoint)
	{
		PrintTouches(c, c->tally.now, c->tally.nowCount, false);
	}
	if (c->contactOptions.distances)
	{
		PrintDistances(c, &contacts->near);
	}
	if (c->curvePath != NULL)
	{
		fprintf(c->out, ",\"curves\":%zu,\"loose\":%llu", contacts->near.curveCount,
		    (unsigned long long)contacts->near.loose);
	}
	if (c->contactOptions.between)
	{
		PrintBetween(c, &contacts->near);
	}
	if (c->contactOptions.inside)
	{
		PrintInsides(c, &contacts->near);
	}
	if (c->costs)
	{
		fprintf(c->out,
		    ",\"cost\":{\"nodesRefitted\":%llu,\"volumeTests\":%llu,\"verticesEvaluated\":%llu,"
		    "\"triangleTests\":%llu,\"microseconds\":%.3f}",
		    (unsigned long long)counters->nodesRefitted, (unsigned long long)counters->volumeTests,
		    (unsigned long long)counters->verticesEvaluated, (unsigned long long)counters->triangleTests,
		    contacts->microseconds);
	}
	fprintf(c->out, "}\n");
}

// Frames with contact that follow each other, as first and last.
static void PrintIntervals(const check* c, const cliTally* tally)
{
	const char* before = "";
	fprintf(c->out, ",\"contacts\":[");
	for (uint64_t first, last, from = 0; cliTally_FindContact(tally, from, &first, &last); from = last + 1)
	{
		fprintf(c->out, "%s[%llu,%llu]", before, (unsigned long long)first, (unsigned long long)last);
		before = ",";
	}
	fprintf(c->out, "]");
}

void checkPrintJsonSummary(const check* c)
{
	const cliTally* t = &c->tally;
	fprintf(c->out, "{\"version\":%d,\"frames\":%llu,\"complete\":%s,\"from\":", CHECK_SUMMARY_VERSION,
	    (unsigned long long)t->frameCount, checkIsCut(c) ? "false" : "true");
	cliPrintJsonNumber(c->out, c->from);
	fprintf(c->out, ",\"fps\":");
	cliPrintJsonNumber(c->out, c->fps);
	PrintBodies(c);
	PrintClips(c);
	fprintf(c->out, ",\"count\":%llu,\"contactFrames\":%llu", (unsigned long long)t->pairs,
	    (unsigned long long)t->contactFrames);
	PrintIntervals(c, t);
	fprintf(c->out, ",\"mostFrame\":%llu,\"mostCount\":%llu", (unsigned long long)t->mostFrame,
	    (unsigned long long)t->mostPairs);
	if (c->byJoint)
	{
		PrintTouches(c, t->touches, t->touchCount, true);
	}
	if (c->contactOptions.between)
	{
		fprintf(c->out, ",\"between\":%zu", t->betweenCount);
	}
	if (c->contactOptions.curves)
	{
		fprintf(c->out, ",\"deepestFrame\":%llu,\"depth\":", (unsigned long long)t->deepest);
		cliPrintJsonNumber(c->out, t->frameCount > 0 ? t->frames[t->deepest].depth : 0.0);
	}
	if (c->contactOptions.inside)
	{
		fprintf(c->out, ",\"insideFrame\":%llu,\"inside\":%llu", (unsigned long long)t->insideFrame,
		    (unsigned long long)t->mostInside);
	}
	if (c->costs)
	{
		uint64_t vertices = 0;
		for (uint64_t i = 0; i < t->frameCount; ++i)
		{
			vertices += t->frames[i].vertices;
		}
		fprintf(c->out, ",\"cost\":{\"microseconds\":%.3f,\"verticesEvaluated\":%llu}", t->microseconds,
		    (unsigned long long)vertices);
	}
	fprintf(c->out, "}\n");
}

void checkPrintCsv(const check* c, uint64_t frame, double time, const cliContacts* contacts)
{
	const snugCounters* counters = &contacts->counters;
	if (frame == 0)
	{
		fprintf(c->out, "frame,time,count%s%s%s%s\n", c->contactOptions.between ? ",between" : "",
		    c->contactOptions.inside ? ",inside" : "", c->contactOptions.distances ? ",distance" : "",
		    c->costs ? ",nodesRefitted,volumeTests,verticesEvaluated,triangleTests,microseconds" : "");
	}
	fprintf(c->out, "%llu,", (unsigned long long)frame);
	cliPrintJsonNumber(c->out, time);
	fprintf(c->out, ",%llu", (unsigned long long)contacts->count);
	if (c->contactOptions.between)
	{
		fprintf(c->out, ",%zu", contacts->near.betweenCount);
	}
	if (c->contactOptions.inside)
	{
		fprintf(c->out, ",%zu", contacts->near.vertexCount);
	}
	if (c->contactOptions.distances)
	{
		const cliDistance* least = cliNear_GetLeast(&contacts->near);
		fprintf(c->out, ",");
		if (least != NULL && !isinf(least->distance))
		{
			cliPrintJsonNumber(c->out, least->distance);
		}
	}
	if (c->costs)
	{
		fprintf(c->out, ",%llu,%llu,%llu,%llu,%.3f", (unsigned long long)counters->nodesRefitted,
		    (unsigned long long)counters->volumeTests, (unsigned long long)counters->verticesEvaluated,
		    (unsigned long long)counters->triangleTests, contacts->microseconds);
	}
	fprintf(c->out, "\n");
}
