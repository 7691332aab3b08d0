#include "program/check/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* GetClipName(const check* c, int file)
{
	uint32_t clip = c->scene.files[file].clip;
	return clip != IO_NONE ? cliScene_GetAsset(&c->scene, file)->clips[clip].name : "-";
}

static const char* GetPairWord(const check* c)
{
	return c->contactOptions.margin > 0.0 ? "near" : "intersecting";
}

static void PrintBodies(const check* c)
{
	bool animated = c->sceneOptions.clips.count > 0;
	printf(
	    "%5s  %10s  %10s  %s\n", "body", "vertices", "triangles", animated ? "file, name and clip" : "file and name");
	for (int i = 0; i < c->scene.partCount; ++i)
	{
		const cliPart* part = c->scene.parts + i;
		printf("%5d  %10u  %10u  %s  %s", i, part->vertexCount, part->triangleCount, c->scene.files[part->file].path,
		    part->name);
		printf(animated ? "  %s\n" : "\n", GetClipName(c, part->file));
	}
}

// ---- Regions ---------------------------------------------------------------------------------------------------

static void PrintRegion(const check* c, uint32_t region)
{
	char name[256];
	cliRegions_GetShortName(&c->regions, region, name, sizeof(name));
	if (checkNamesFiles(c))
	{
		printf("%s ", c->scene.files[cliRegions_GetFile(&c->regions, region)].path);
	}
	printf("%s", name);
}

static void PrintTouch(const check* c, const cliTouch* touch)
{
	PrintRegion(c, touch->regions[0]);
	printf(" × ");
	PrintRegion(c, touch->regions[1]);
}

// Rows are sorted by pairs: what matters comes first.
#define MAX_TOUCHES 30

static void PrintTouches(const check* c)
{
	const cliTally* t = &c->tally;
	size_t shown = t->touchCount <= MAX_TOUCHES ? t->touchCount : MAX_TOUCHES;
	if (t->touchCount == 0)
	{
		return;
	}
	printf("\n%10s%s", "pairs", t->touches->depth > 0.0 ? "     depth" : "");
	printf(checkIsAnimated(c) ? " %7s %9s %9s  by joint\n" : "  by joint\n", "frames", "first, s", "last, s");
	for (size_t i = 0; i < shown; ++i)
	{
		const cliTouch* touch = t->touches + i;
		printf("%10llu", (unsigned long long)touch->pairs);
		if (t->touches->depth > 0.0)
		{
			printf(" %9.4g", touch->depth);
		}
		if (checkIsAnimated(c))
		{
			printf(" %7llu %9.4f %9.4f", (unsigned long long)touch->frames, t->frames[touch->firstFrame].time,
			    t->frames[touch->lastFrame].time);
		}
		printf("  ");
		PrintTouch(c, touch);
		printf("\n");
	}
	if (shown < t->touchCount)
	{
		printf("%10s and %zu more, which --json lists\n", "", t->touchCount - shown);
	}
}

// ---- Between frames ----------------------------------------------------------------------------------------------

#define MAX_BETWEEN 30

static void PrintBetween(const check* c)
{
	const cliTally* t = &c->tally;
	if (t->betweenCount == 0)
	{
		printf("\nNo bodies meet between frames that are apart in both.\n");
		return;
	}
	printf("\nBetween frames, in none of which they meet:\n%9s  %5s  %5s  %9s  %9s  %s\n", "from, s", "body", "body",
	    "triangle", "triangle", "frames");
	for (size_t i = 0; i < t->betweenCount && i < MAX_BETWEEN; ++i)
	{
		const cliTallyBetween* row = t->between + i;
		const cliBetween* b = &row->between;
		printf("%9.4f  %5d  %5d  %9u  %9u  %llu and %llu%s\n", b->time, b->bodies[0], b->bodies[1], b->triangles[0],
		    b->triangles[1], (unsigned long long)row->frame - 1, (unsigned long long)row->frame,
		    b->isSure ? "" : ", so near that it is not sure");
	}
	if (t->betweenCount > MAX_BETWEEN)
	{
		printf("%9s and %zu more, which --json lists\n", "", t->betweenCount - MAX_BETWEEN);
	}
}

// ---- One frame -------------------------------------------------------------------------------------------------

// Which bodies touch: pairs are sorted by bodies.
static void PrintBodyPairs(const cliContacts* contacts)
{
	printf("\n%5s  %5s  %10s\n", "body", "body", "pairs");
	for (uint64_t i = 0, next; i < contacts->count; i = next)
	{
		const int* bodies = contacts->pairs[i].bodies;
		for (next = i + 1; next < contacts->count && memcmp(contacts->pairs[next].bodies, bodies, sizeof(int[2])) == 0;
		     ++next)
		{
		}
		printf("%5d  %5d  %10llu\n", bodies[0], bodies[1], (unsigned long long)(next - i));
	}
}

static void PrintDistances(const cliNear* near)
{
	printf("\n%5s  %5s  %12s  %s\n", "body", "body", "distance", "from a point of the first to one of the second");
	for (size_t i = 0; i < near->distanceCount; ++i)
	{
		const cliDistance* d = near->distances + i;
		const float *from = d->points[0], *to = d->points[1];
		printf("%5d  %5d  %12.6g", d->bodies[0], d->bodies[1], d->distance);
		printf(isinf(d->distance) ? "\n" : "  %g %g %g  to  %g %g %g\n", (double)from[0], (double)from[1],
		    (double)from[2], (double)to[0], (double)to[1], (double)to[2]);
	}
}

static void PrintInsides(const cliNear* near)
{
	printf(near->insideCount > 0 ? "\n body     in    vertices  depth\n" : "\nno vertices inside\n");
	for (size_t i = 0; i < near->insideCount; ++i)
	{
		const cliInside* inside = near->insides + i;
		printf("%5d  %5d  %10zu", inside->bodies[0], inside->bodies[1], inside->count);
		printf(inside->bodies[0] == inside->bodies[1] ? "\n" : "  %.6g\n", inside->depth);
	}
}

// Lengths and areas of curves: how badly bodies meet.
static void PrintCurves(const cliNear* near)
{
	printf("\n%5s  %5s  %6s  %10s  %10s  %10s  curve\n", "body", "body", "points", "length", "area", "depth");
	for (size_t i = 0; i < near->curveCount; ++i)
	{
		const cliCurve* c = near->curves + i;
		const double* area = c->curve.area;
		printf("%5d  %5d  %6zu  %10.5g  %10.5g  %10.5g  %s\n", c->bodies[0], c->bodies[1], c->pointCount,
		    c->curve.length, sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]), c->depth,
		    c->curve.isClosed ? "closed" : "open");
	}
}

static void PrintOneFrame(const check* c, const cliContacts* contacts)
{
	PrintBodies(c);
	if (contacts->count > 0 && !c->summary)
	{
		PrintBodyPairs(contacts);
	}
	if (c->contactOptions.distances)
	{
		PrintDistances(&contacts->near);
	}
	if (c->contactOptions.inside)
	{
		PrintInsides(&contacts->near);
	}
	if (contacts->near.curveCount > 0 && c->curvePath != NULL && !c->summary)
	{
		PrintCurves(&contacts->near);
	}
	if (c->contactOptions.first && contacts->count > 0)
	{
		const cliPair* p = contacts->pairs;
		printf("\ncontact: triangle %u of body %d and triangle %u of body %d (the search stopped there)\n", p->pair.a,
		    p->bodies[0], p->pair.b, p->bodies[1]);
		return;
	}
	printf("\n%llu %s pairs in %.1f microseconds: %llu volume tests, %llu triangle tests, %llu vertices evaluated\n",
	    (unsigned long long)contacts->count, GetPairWord(c), contacts->microseconds,
	    (unsigned long long)contacts->counters.volumeTests, (unsigned long long)contacts->counters.triangleTests,
	    (unsigned long long)contacts->counters.verticesEvaluated);
}

// ---- Many frames -----------------------------------------------------------------------------------------------

static int CountBodyPairs(const cliContacts* contacts)
{
	int count = 0;
	for (uint64_t i = 0; i < contacts->count; ++i)
	{
		count += i == 0 || memcmp(contacts->pairs[i].bodies, contacts->pairs[i - 1].bodies, sizeof(int[2])) != 0;
	}
	return count;
}

static void PrintRow(const check* c, uint64_t frame, double time, const cliContacts* contacts)
{
	if (frame == 0)
	{
		PrintBodies(c);
	}
	if (c->summary)
	{
		return;
	}
	if (frame == 0)
	{
		printf("\n%7s %9s %8s %9s %9s %9s %9s %9s\n", "", "time", "touching", "", "volume", "vertices", "triangle",
		    "micro-");
		printf("%7s %9s %8s %9s %9s %9s %9s %9s%s%s%s%s%s\n", "frame", "s", "bodies", "pairs", "tests", "evaluated",
		    "tests", "seconds", c->contactOptions.between ? "  between" : "",
		    c->contactOptions.inside ? "   inside" : "", c->contactOptions.distances ? "  distance" : "",
		    c->curvePath != NULL ? "  curves     depth" : "", c->byJoint ? "  most by joint" : "");
	}
	printf("%7llu %9.4f %8d %9llu %9llu %9llu %9llu %9.1f", (unsigned long long)frame, time, CountBodyPairs(contacts),
	    (unsigned long long)contacts->count, (unsigned long long)contacts->counters.volumeTests,
	    (unsigned long long)contacts->counters.verticesEvaluated, (unsigned long long)contacts->counters.triangleTests,
	    contacts->microseconds);
	if (c->contactOptions.between)
	{
		printf("  %7zu", contacts->near.betweenCount);
	}
	if (c->contactOptions.inside)
	{
		printf("  %7zu", contacts->near.vertexCount);
	}
	const cliDistance* least = cliNear_GetLeast(&contacts->near);
	if (least != NULL)
	{
		printf("  %8.4g", least->distance);
	}
	if (c->curvePath != NULL)
	{
		printf("  %6zu  %8.4g", contacts->near.curveCount, cliNear_GetDepth(&contacts->near));
	}
	if (c->byJoint && c->tally.nowCount > 0)
	{
		printf("  ");
		PrintTouch(c, c->tally.now);
		printf(" %llu", (unsigned long long)c->tally.now->pairs);
	}
	printf("\n");
}

void checkPrintFrame(const check* c, uint64_t frame, double time, const cliContacts* contacts)
{
	if (checkIsAnimated(c))
	{
		PrintRow(c, frame, time, contacts);
	}
	else
	{
		PrintOneFrame(c, contacts);
	}
}

// Contacts that are as deep and as long as asked for.
static void PrintCounted(const cliTally* t)
{
	uint64_t count = 0;
	for (uint64_t first, last, from = 0; cliTally_FindContact(t, from, &first, &last); from = last + 1, ++count)
	{
		double depth = 0.0;
		for (uint64_t i = first; i <= last; ++i)
		{
			depth = fmax(depth, cliTallyFrame_GetDepth(t->frames + i));
		}
		if (count == 0)
		{
			printf("\n%9s %9s %9s  contacts that count\n", "from, s", "to, s", "depth");
		}
		printf("%9.4f %9.4f %9.4g\n", t->frames[first].time, t->frames[last].time, depth);
	}
	if (count == 0)
	{
		puts("no contact counts");
	}
}

void checkPrintSummary(const check* c)
{
	const cliTally* t = &c->tally;
	if (c->byJoint)
	{
		PrintTouches(c);
	}
	if (!checkIsAnimated(c) || t->frameCount == 0)
	{
		return;
	}
	if (c->contactOptions.between)
	{
		PrintBetween(c);
	}
	printf("\n%llu frame%s, %llu of them with contact", (unsigned long long)t->frameCount,
	    t->frameCount == 1 ? "" : "s", (unsigned long long)t->contactFrames);
	if (t->contactFrames > 0)
	{
		printf(" (from %.4f to %.4f s)", t->frames[t->firstContact].time, t->frames[t->lastContact].time);
	}
	if (c->contactOptions.first)
	{
		printf("; --first looks for one pair per frame");
	}
	else
	{
		printf("; %llu %s pairs", (unsigned long long)t->pairs, GetPairWord(c));
	}
	if (t->contactFrames > 0 && !c->contactOptions.first)
	{
		printf(", most in frame %llu: %llu", (unsigned long long)t->mostFrame, (unsigned long long)t->mostPairs);
	}
	if (t->frames[t->deepest].depth > 0.0)
	{
		printf(", deepest in frame %llu: %.4g", (unsigned long long)t->deepest, t->frames[t->deepest].depth);
	}
	if (c->contactOptions.inside && t->mostInside == 0)
	{
		printf("; no vertices inside");
	}
	else if (t->mostInside > 0)
	{
		printf("; most vertices inside in frame %llu: %llu", (unsigned long long)t->insideFrame,
		    (unsigned long long)t->mostInside);
	}
	printf("; %.1f microseconds per frame\n", t->microseconds / (double)t->frameCount);
	if (checkIsSelective(c))
	{
		PrintCounted(t);
	}
}
