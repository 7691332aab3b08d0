// test/io/compare_three.c: any file's poses as three.js has them. Usage: compare_three FILE POSED
//
// Compares a file's poses with those of three.js, which gltf_oracle/scene.mjs wrote, within 1e-5 of the scene's size:
// vertex by vertex where both have as many in one order. Elsewhere every point of three.js must be one of our vertices,
// and every vertex of ours one of its points.
//
// Prints one line: "agree", "differ: CAUSE" or "DISAGREE", then numbers. A cause is named only if our own evaluation,
// changed to do what three.js does (compare_changes.h), then agrees; or "quaternions not of length 1": three.js does
// not scale them, and scene.mjs does it for the comparison.
#include "compare_changes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-5

// ---- Points ----------------------------------------------------------------------------------------------------

typedef struct cloud
{
	double* points;
	size_t count;
	uint32_t *heads, *next; // cells of the size of the tolerance
	uint32_t mask;
	double cell;
} cloud;

static uint32_t HashCell(const cloud* c, const double p[3], const int step[3])
{
	uint64_t hash = 1469598103934665603u;
	for (int k = 0; k < 3; ++k)
	{
		hash = (hash ^ (uint64_t)((int64_t)floor(p[k] / c->cell) + step[k])) * 1099511628211u;
		hash ^= hash >> 29;
	}
	return (uint32_t)(hash >> 8) & c->mask;
}

static void Index(cloud* c, double cell)
{
	static const int none[3] = { 0, 0, 0 };
	uint32_t size = 1024;
	while (size < 2 * c->count)
	{
		size *= 2;
	}
	c->cell = cell;
	c->mask = size - 1;
	c->heads = malloc(size * sizeof(uint32_t));
	c->next = malloc((c->count + 1) * sizeof(uint32_t));
	memset(c->heads, 0xff, size * sizeof(uint32_t));
	for (size_t i = 0; i < c->count; ++i)
	{
		uint32_t* head = c->heads + HashCell(c, c->points + 3 * i, none);
		c->next[i] = *head;
		*head = (uint32_t)i;
	}
}

static double Distance(const double* a, const double* b)
{
	return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

// To the nearest point, if it is within a cell; infinite otherwise.
static double FindNear(const cloud* c, const double p[3])
{
	double best = INFINITY;
	for (int n = 0; n < 27; ++n)
	{
		const int step[3] = { n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1 };
		for (uint32_t i = c->heads[HashCell(c, p, step)]; i != UINT32_MAX; i = c->next[i])
		{
			best = fmin(best, Distance(p, c->points + 3 * (size_t)i));
		}
	}
	return best <= c->cell ? best : INFINITY;
}

// The largest distance of a point of `a` to `b`; what is far is measured for a few points only.
static double Farthest(const cloud* a, const cloud* b)
{
	double worst = 0.0;
	int measured = 0;
	for (size_t i = 0; i < a->count && measured < 50; ++i)
	{
		const double* p = a->points + 3 * i;
		double near = FindNear(b, p);
		if (near > b->cell)
		{
			++measured;
			for (size_t k = 0; k < b->count; ++k)
			{
				near = fmin(near, Distance(p, b->points + 3 * k));
			}
		}
		worst = !(near <= worst) ? near : worst;
	}
	return worst;
}

// The largest distance of two points of one number; infinite if there are more of either.
static double FarthestInOrder(const cloud* a, const cloud* b)
{
	double worst = a->count == b->count ? 0.0 : INFINITY;
	for (size_t i = 0; i < a->count && a->count == b->count; ++i)
	{
		const double distance = Distance(a->points + 3 * i, b->points + 3 * i);
		worst = !(distance <= worst) ? distance : worst;
	}
	return worst;
}

static double SizeOf(const cloud* c)
{
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (size_t i = 0; i < 3 * c->count; ++i)
	{
		low[i % 3] = fmin(low[i % 3], c->points[i]);
		high[i % 3] = fmax(high[i % 3], c->points[i]);
	}
	return sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2));
}

static void FreeCloud(cloud* c)
{
	free(c->points);
	free(c->heads);
	free(c->next);
}

// ---- Our poses -------------------------------------------------------------------------------------------------

// All vertices, or those that a triangle has.
static cloud Gather(const ioAsset* asset, const ioPose* pose, bool all)
{
	cloud c = { .count = 0 };
	size_t total = 0;
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		total += asset->meshes[asset->instances[i].mesh].mesh.vertexCount;
	}
	c.points = malloc((total + 1) * 3 * sizeof(double));
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		const ioMesh* mesh = &asset->meshes[asset->instances[i].mesh].mesh;
		float* positions = malloc((size_t)mesh->vertexCount * 12 + 1);
		bool* used = calloc(mesh->vertexCount + 1, 1);
		ioPose_EvaluateVertices(pose, i, positions);
		memset(used, all, mesh->vertexCount);
		for (size_t k = 0; k < 3 * (size_t)mesh->triangleCount; ++k)
		{
			used[mesh->triangles[k]] = true;
		}
		for (size_t v = 0; v < mesh->vertexCount; ++v)
		{
			for (size_t k = 0; used[v] && k < 3; ++k)
			{
				c.points[3 * c.count + k] = (double)positions[3 * v + k];
			}
			c.count += used[v];
		}
		free(positions);
		free(used);
	}
	return c;
}

// ---- Comparing -------------------------------------------------------------------------------------------------

typedef struct result
{
	double worst;             // of the size
	int poses, left, ordered; // poses that agree vertex by vertex
	double lengths;           // of quaternions, the largest difference to 1
	size_t points;
} result;

static double ComparePose(
    const ioAsset* asset, ioPose* pose, uint32_t clip, double time, cloud* theirs, size_t* points, int* ordered)
{
	ioPose_Evaluate(pose, clip, time);
	// Of FBX, three.js has the vertices of triangles only; of glTF, all that an accessor has.
	cloud ours = Gather(asset, pose, false), all = Gather(asset, pose, true);
	double size = SizeOf(theirs), worst = FarthestInOrder(&all, theirs) / size;
	*points += theirs->count;
	*ordered = worst <= TOLERANCE;
	if (!(worst <= TOLERANCE) && ours.count > 0 && theirs->count > 0)
	{
		Index(&all, 2.0 * TOLERANCE * size);
		Index(theirs, 2.0 * TOLERANCE * size);
		worst = fmax(Farthest(&ours, theirs), Farthest(theirs, &all)) / size;
	}
	FreeCloud(&ours);
	FreeCloud(&all);
	return worst;
}

// Between keys of an FBX curve three.js has another value than we: where a coordinate has no key, that of the key
// before.
static bool IsKeyTime(const ioClip* clip, double time)
{
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		const ioChannel* c = clip->channels + i;
		uint32_t key = 0;
		while (key + 1 < c->keyCount && (double)c->times[key + 1] <= time + 1e-5)
		{
			++key;
		}
		bool ended = c->keyCount == 1 || time >= (double)c->times[c->keyCount - 1];
		if (c->width == 1 && !ended && fabs((double)c->times[key] - time) > 1e-5)
		{
			return false;
		}
	}
	return true;
}

// A clip of ours by the name that three.js has.
static uint32_t FindClip(const ioAsset* asset, const char* names, uint32_t number)
{
	const char* p = names + 1;
	for (uint32_t i = 0; i < number && p != NULL; ++i)
	{
		p = strstr(p, "\",\"");
		p = p != NULL ? p + 2 : NULL;
	}
	for (uint32_t i = 0; p != NULL && i < asset->clipCount; ++i)
	{
		size_t length = strlen(asset->clips[i].name);
		if (strncmp(p + 1, asset->clips[i].name, length) == 0 && p[length + 1] == '"')
		{
			return i;
		}
	}
	return number < asset->clipCount ? number : IO_NONE;
}

// One pose; where curves jump, the best of what they may have there.
static double CompareChanged(
    const ioAsset* asset, ioPose* pose, uint32_t clip, double time, cloud* theirs, unsigned changes, result* r)
{
	double best = INFINITY;
	int ordered = 0;
	bool jumps = (changes & compare_jumps) != 0 && clip != IO_NONE;
	for (int which = jumps ? 0 : 2; which < 3 && !(best <= TOLERANCE); ++which)
	{
		bool chosen = jumps && compareChooseKeys(asset->clips + clip, time, which);
		size_t counted = 0;
		best = fmin(best, ComparePose(asset, pose, clip, time, theirs, &counted, &ordered));
		r->points += best <= TOLERANCE || which == 2 || (jumps && !chosen) ? counted : 0;
		which = jumps && !chosen ? 2 : which;
	}
	r->ordered += ordered;
	return best;
}

static bool CompareAll(const char* path, const char* posed, unsigned changes, result* r)
{
	ioAsset asset;
	ioError error;
	static char names[1 << 16];
	uint32_t header[2];
	double time;
	FILE* file = fopen(posed, "rb");
	*r = (result){ .worst = 0.0 };
	if (file == NULL || !compareLoad(path, changes, &asset, &error))
	{
		return false;
	}
	ioPose* pose = ioPose_Create(&asset);
	bool read = fgets(names, sizeof(names), file) != NULL;
	const char* bracket = strrchr(names, ']');
	r->lengths = bracket != NULL ? strtod(bracket + 1, NULL) : 0.0;
	uint32_t last = IO_NONE;
	while (read && fread(header, sizeof(header), 1, file) == 1 && fread(&time, sizeof(time), 1, file) == 1)
	{
		uint32_t clip = header[0] != IO_NONE ? FindClip(&asset, names, header[0]) : IO_NONE;
		cloud theirs = { .points = malloc((size_t)header[1] * 24 + 1), .count = header[1] };
		read = fread(theirs.points, 24, header[1], file) == header[1];
		if (clip != last || r->poses == 0)
		{
			// Every clip changes what the file has, so that each begins with the file.
			ioPose_Destroy(pose);
			ioAsset_Free(&asset);
			read = compareLoad(path, changes, &asset, &error);
			compareChangeClip(&asset, clip != IO_NONE ? asset.clips + clip : NULL, changes);
			pose = ioPose_Create(&asset);
		}
		last = clip;
		if (clip != IO_NONE && strcmp(asset.format, "FBX") == 0 && !IsKeyTime(asset.clips + clip, time))
		{
			r->left++;
			FreeCloud(&theirs);
			continue;
		}
		double worst = CompareChanged(&asset, pose, clip, time, &theirs, changes, r);
		r->worst = !(worst <= r->worst) ? worst : r->worst;
		r->poses++;
		FreeCloud(&theirs);
	}
	fclose(file);
	ioPose_Destroy(pose);
	ioAsset_Free(&asset);
	return r->poses > 0;
}

static int CountBits(unsigned bits)
{
	int count = 0;
	for (; bits != 0; bits &= bits - 1)
	{
		++count;
	}
	return count;
}

// Whether a node with pivots has no size at rest: what three.js then makes of the nodes below is rounding alone.
static bool HasZeroScale(const ioAsset* asset)
{
	bool has = false;
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		const ioNode* node = asset->nodes + i;
		const double* s = node->scale;
		has = has || (node->pivots != NULL && fmin(fabs(s[0]), fmin(fabs(s[1]), fabs(s[2]))) < 1e-9);
	}
	return has;
}

int main(int argumentCount, char** arguments)
{
	ioAsset asset;
	ioError error;
	if (argumentCount != 3 || !ioLoad(arguments[1], NULL, &asset, &error))
	{
		printf("refused: %s\n", argumentCount == 3 ? error.text : "usage");
		return argumentCount == 3 ? 0 : 2;
	}
	bool isFbx = strcmp(asset.format, "FBX") == 0, hasZeroScale = isFbx && HasZeroScale(&asset);
	ioAsset_Free(&asset);
	result plain = { .worst = 0.0 };
	for (int bits = 0; bits <= 3; ++bits) // as few causes as can be
	{
		for (unsigned changes = 0; changes < 1u << compare_changes; ++changes)
		{
			result r;
			char name[200];
			if (CountBits(changes) != bits || (!isFbx && (changes & ~(unsigned)compare_fourInfluences) != 0))
			{
				continue;
			}
			if (!CompareAll(arguments[1], arguments[2], changes, &r))
			{
				printf("DISAGREE: no poses\n");
				return 1;
			}
			plain = changes == 0 ? r : plain;
			if (r.worst <= TOLERANCE)
			{
				bool scaled = changes == 0 && r.lengths > 2e-6;
				printf(
				    "%s%s: %d poses, %d of them vertex by vertex (%d more are not at keys of all curves), %zu points, "
				    "worst %.1e of the size\n",
				    changes == 0 && !scaled ? "agree" : "differ: ",
				    scaled ? "quaternions not of length 1" : compareName(changes, name), plain.poses, r.ordered,
				    plain.left, plain.points, plain.worst);
				return 0;
			}
		}
	}
	if (hasZeroScale)
	{
		printf("differ: a scale of zero at rest, by which three.js divides (not repeated): %d poses, worst %.1e of the "
		       "size\n",
		    plain.poses, plain.worst);
		return 0;
	}
	printf("DISAGREE: %d poses, %zu points, worst %.1e of the size\n", plain.poses, plain.points, plain.worst);
	return 1;
}
