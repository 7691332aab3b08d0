#include "program/prove/path.h"

#include "geometry/triangle.h"
#include "program/commands/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Times that the way between two frames is halved at most.
#define MAX_HALVINGS 10

// ---- Poses -----------------------------------------------------------------------------------------------------

static void FindFrame(const snugFrame* from, double frame[12])
{
	const double* q = from->rotation;
	const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = square > 0.0 ? 2.0 / square : 0.0;
	for (int i = 0; i < 3; ++i)
	{
		const int j = (i + 1) % 3, k = (i + 2) % 3;
		frame[4 * i + i] = 1.0 - s * (q[j] * q[j] + q[k] * q[k]);
		frame[4 * i + j] = s * (q[i] * q[j] - q[k] * q[3]);
		frame[4 * i + k] = s * (q[i] * q[k] + q[j] * q[3]);
		frame[4 * i + 3] = from->position[i];
	}
}

static bool TakeNumbers(provePose* pose, const float* first, size_t count, const float* second, size_t more)
{
	pose->numbers = malloc((count + more) * sizeof(float) + 1);
	if (pose->numbers != NULL && count > 0)
	{
		memcpy(pose->numbers, first, count * sizeof(float));
	}
	if (pose->numbers != NULL && more > 0)
	{
		memcpy(pose->numbers + count, second, more * sizeof(float));
	}
	return pose->numbers != NULL;
}

static bool TakeVertices(provePose* pose, cliStage* stage, int part)
{
	pose->vertexCount = stage->scene->parts[part].vertexCount;
	pose->numbers = malloc((size_t)pose->vertexCount * 3 * sizeof(float) + 1);
	FindFrame(&(snugFrame){ .rotation = { 0.0 } }, pose->frame);
	return pose->numbers != NULL && cliStage_GetVertices(stage, part, pose->numbers);
}

// Of what has no formula, vertices as the library places them.
static bool TakePose(provePose* pose, cliStage* stage, int part, const proveMesh* mesh)
{
	ioBodyPose given;
	*pose = (provePose){ .jointCount = 0 };
	if (mesh->isListed)
	{
		return TakeVertices(pose, stage, part);
	}
	if (!cliStage_FindPose(stage, part, &given))
	{
		return false;
	}
	FindFrame(&given.frame, pose->frame);
	pose->jointCount = given.jointCount;
	pose->fieldCount = given.fieldCount;
	return TakeNumbers(pose, given.joints, 12 * (size_t)given.jointCount, given.amplitudes, given.fieldCount);
}

// ---- Positions -------------------------------------------------------------------------------------------------

static void Apply(const double m[12], const double x[3], double out[3])
{
	for (int i = 0; i < 3; ++i)
	{
		out[i] = m[4 * i] * x[0] + m[4 * i + 1] * x[1] + m[4 * i + 2] * x[2] + m[4 * i + 3];
	}
}

static void Displace(const proveMesh* mesh, const float* amplitudes, uint32_t v, double x[3])
{
	for (uint32_t i = mesh->fieldStarts[v]; i < mesh->fieldStarts[v + 1]; ++i)
	{
		for (size_t k = 0; k < 3; ++k)
		{
			x[k] += (double)amplitudes[mesh->fields[i]] * (double)mesh->displacements[3 * (size_t)i + k];
		}
	}
}

static void Carry(const proveMesh* mesh, const float* joints, uint32_t v, double x[3])
{
	double blend[12] = { 0.0 }, from[3] = { x[0], x[1], x[2] };
	for (uint32_t i = mesh->starts[v]; i < mesh->starts[v + 1]; ++i)
	{
		const float* m = joints + 12 * (size_t)mesh->joints[i];
		const double w = (double)mesh->weights[i];
		for (int k = 0; k < 12; ++k)
		{
			blend[k] += w * (double)m[k];
		}
	}
	Apply(blend, from, x);
}

static double Raise(double most, double x)
{
	return fabs(x) > most ? fabs(x) : most;
}

// No sum of magnitudes on the way to any coordinate is above that.
static double FindReach(const proveMesh* mesh, const provePose* pose)
{
	const float* listed = pose->vertexCount > 0 ? pose->numbers : mesh->positions;
	const float* amplitudes = pose->numbers + 12 * (size_t)pose->jointCount;
	double reach = 0.0, most = 0.0, weights = 0.0;
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		reach = Raise(reach, (double)listed[i]);
	}
	for (uint32_t v = 0; pose->fieldCount > 0 && v < mesh->vertexCount; ++v)
	{
		double own = 0.0;
		for (uint32_t i = mesh->fieldStarts[v]; i < mesh->fieldStarts[v + 1]; ++i)
		{
			const float* d = mesh->displacements + 3 * (size_t)i;
			own += fabs((double)amplitudes[mesh->fields[i]]) *
			       Raise(Raise(fabs((double)d[0]), (double)d[1]), (double)d[2]);
		}
		most = Raise(most, own);
	}
	reach += most;
	if (pose->jointCount > 0)
	{
		most = 0.0;
		for (size_t i = 0; i < 3 * (size_t)pose->jointCount; ++i)
		{
			const float* row = pose->numbers + 4 * i;
			most = Raise(most,
			    (fabs((double)row[0]) + fabs((double)row[1]) + fabs((double)row[2])) * reach + fabs((double)row[3]));
		}
		for (uint32_t v = 0; v < mesh->vertexCount; ++v)
		{
			double own = 0.0;
			for (uint32_t i = mesh->starts[v]; i < mesh->starts[v + 1]; ++i)
			{
				own += fabs((double)mesh->weights[i]);
			}
			weights = Raise(weights, own);
		}
		reach = most * weights;
	}
	most = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		const double* row = pose->frame + 4 * i;
		most = Raise(most, (fabs(row[0]) + fabs(row[1]) + fabs(row[2])) * reach + fabs(row[3]));
	}
	return most;
}

// A coordinate is a sum of `terms` products of up to four numbers, and some more sums: fewer than 4 terms + 32
// roundings of numbers that are no larger than the reach. The rest is for points between two times, and for products
// with directions and their sums (program/prove/apart.c).
double provePath_Place(const provePath* path, size_t time, int body, double* places)
{
	const proveMesh* mesh = path->meshes + path->meshOf[body];
	const provePose* pose = path->poses + time * (size_t)path->scene->partCount + body;
	const float* listed = pose->vertexCount > 0 ? pose->numbers : mesh->positions;
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		const float* from = listed + 3 * (size_t)v;
		double x[3] = { (double)from[0], (double)from[1], (double)from[2] };
		if (pose->fieldCount > 0)
		{
			Displace(mesh, pose->numbers + 12 * (size_t)pose->jointCount, v, x);
		}
		if (pose->jointCount > 0)
		{
			Carry(mesh, pose->numbers, v, x);
		}
		Apply(pose->frame, x, places + 3 * (size_t)v);
	}
	return (4.0 * mesh->terms + 256.0) * 0x1p-53 * FindReach(mesh, pose);
}

// ---- Touching --------------------------------------------------------------------------------------------------

// What a vertex comes from in the first pose, or null at rest.
typedef struct corner
{
	const proveMesh* mesh;
	const provePose* pose;
	uint32_t vertex;
} corner;

static const float* SourceOf(const corner* c)
{
	const bool isListed = c->pose != NULL && c->pose->vertexCount > 0;
	return (isListed ? c->pose->numbers : c->mesh->positions) + 3 * (size_t)c->vertex;
}

static bool IsDisplaced(const corner* c)
{
	const proveMesh* mesh = c->mesh;
	if (c->pose == NULL || c->pose->fieldCount == 0)
	{
		return false;
	}
	const float* amplitudes = c->pose->numbers + 12 * (size_t)c->pose->jointCount;
	for (uint32_t i = mesh->fieldStarts[c->vertex]; i < mesh->fieldStarts[c->vertex + 1]; ++i)
	{
		const float* d = mesh->displacements + 3 * (size_t)i;
		if (amplitudes[mesh->fields[i]] != 0.0f && (d[0] != 0.0f || d[1] != 0.0f || d[2] != 0.0f))
		{
			return true;
		}
	}
	return false;
}

// Whether one affine map carries both: equal frames, and equal matrices with equal weights.
static bool AreCarriedAlike(const corner* c, const corner* other)
{
	if (c->pose == NULL)
	{
		return true;
	}
	const uint32_t *starts = c->mesh->starts, *others = other->mesh->starts;
	const bool hasJoints = c->pose->jointCount > 0, hasOther = other->pose->jointCount > 0;
	const uint32_t first = hasJoints ? starts[c->vertex] : 0, second = hasOther ? others[other->vertex] : 0;
	const uint32_t count = hasJoints ? starts[c->vertex + 1] - first : 0;
	bool areAlike = hasJoints == hasOther && (!hasOther || others[other->vertex + 1] - second == count) &&
	                memcmp(c->pose->frame, other->pose->frame, sizeof(c->pose->frame)) == 0;
	for (uint32_t i = 0; areAlike && i < count; ++i)
	{
		const float* m = c->pose->numbers + 12 * (size_t)c->mesh->joints[first + i];
		const float* n = other->pose->numbers + 12 * (size_t)other->mesh->joints[second + i];
		areAlike =
		    c->mesh->weights[first + i] == other->mesh->weights[second + i] && memcmp(m, n, 12 * sizeof(*m)) == 0;
	}
	return areAlike;
}

// The corners of a triangle that one map carries with another one; the rest is replaced by these. False if none is.
static bool TakeHull(const corner triangle[3], const corner* like, corner hull[3])
{
	const corner* kept = NULL;
	bool isKept[3];
	for (int i = 0; i < 3; ++i)
	{
		isKept[i] = !IsDisplaced(triangle + i) && AreCarriedAlike(triangle + i, like);
		kept = isKept[i] ? triangle + i : kept;
	}
	for (int i = 0; i < 3 && kept != NULL; ++i)
	{
		hull[i] = isKept[i] ? triangle[i] : *kept;
	}
	return kept != NULL;
}

// Whether hulls that one affine map carries meet, but where they have corners in common: it keeps that, whatever it is.
static bool DoHullsMeet(corner a[3], corner b[3], bool isSelf)
{
	float points[2][3][3];
	uint32_t shared = 0;
	for (size_t i = 0; i < 3; ++i)
	{
		memcpy(points[0][i], SourceOf(a + i), sizeof(points[0][0]));
		memcpy(points[1][i], SourceOf(b + i), sizeof(points[0][0]));
	}
	for (size_t i = 0; i < 9 && isSelf; ++i)
	{
		const uint32_t* twins = a->mesh->twins;
		const float *p = points[0][i / 3], *q = points[1][i % 3];
		const bool isOne =
		    twins[a[i / 3].vertex] == twins[b[i % 3].vertex] && p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
		shared |= (uint32_t)isOne << i;
	}
	// All corners are shared, each once: so is the inside, which is not of an edge.
	const uint32_t x = shared & 7, y = shared >> 3 & 7, z = shared >> 6;
	return (x + y + z == 7 && x * y * z == 8) ||
	       sgTriangles_IntersectBeyond((const float(*)[3])points[0], (const float(*)[3])points[1], shared);
}

// Some corners will do: if a triangle has an area, no point of their hull is on an edge between others.
bool provePath_Meet(const provePath* path, const int bodies[2], const uint32_t triangles[2], bool atRest)
{
	corner corners[2][3], hulls[2][3];
	for (size_t i = 0; i < 6; ++i)
	{
		const int body = bodies[i / 3];
		const proveMesh* mesh = path->meshes + path->meshOf[body];
		const uint32_t vertex = mesh->corners[3 * (size_t)triangles[i / 3] + i % 3];
		corners[i / 3][i % 3] = (corner){ mesh, atRest ? NULL : path->poses + body, vertex };
	}
	bool found = false;
	for (int i = 0; i < 3 && !found; ++i)
	{
		const corner* like = &corners[0][i];
		const bool isTried =
		    (i > 0 && AreCarriedAlike(like, &corners[0][0])) || (i > 1 && AreCarriedAlike(like, &corners[0][1]));
		found = !isTried && TakeHull(corners[0], like, hulls[0]) && TakeHull(corners[1], like, hulls[1]) &&
		        DoHullsMeet(hulls[0], hulls[1], bodies[0] == bodies[1]);
	}
	return found;
}

// ---- Times -----------------------------------------------------------------------------------------------------

// The vertices of all bodies at one time.
static double* PlaceAll(const provePath* path, size_t time)
{
	size_t count = 0, at = 0;
	for (int i = 0; i < path->scene->partCount; ++i)
	{
		count += path->meshes[path->meshOf[i]].vertexCount;
	}
	double* places = malloc(count * 3 * sizeof(double) + 1);
	for (int i = 0; places != NULL && i < path->scene->partCount; ++i)
	{
		provePath_Place(path, time, i, places + 3 * at);
		at += path->meshes[path->meshOf[i]].vertexCount;
	}
	return places;
}

// Take the poses of a time, to be the last one.
static bool AddTime(provePath* path, cliStage* stage, double time)
{
	const size_t parts = (size_t)path->scene->partCount;
	if (path->timeCount == path->capacity)
	{
		const size_t wanted = 2 * path->capacity + 64;
		double* times = realloc(path->times, wanted * sizeof(double));
		path->times = times != NULL ? times : path->times;
		provePose* poses = realloc(path->poses, wanted * parts * sizeof(provePose));
		path->poses = poses != NULL ? poses : path->poses;
		if (times == NULL || poses == NULL)
		{
			return false;
		}
		path->capacity = wanted;
	}
	provePose* poses = path->poses + path->timeCount * parts;
	memset(poses, 0, parts * sizeof(provePose));
	path->times[path->timeCount++] = time;
	bool good = cliStage_SetTime(stage, time);
	for (size_t i = 0; good && i < parts; ++i)
	{
		good = TakePose(poses + i, stage, (int)i, path->meshes + path->meshOf[i]);
	}
	return good;
}

static void FreePoses(provePath* path, size_t time)
{
	const size_t parts = (size_t)path->scene->partCount;
	for (size_t i = 0; i < parts; ++i)
	{
		free(path->poses[time * parts + i].numbers);
	}
}

static double FindSagitta(const provePath* path, const double* from, const double* middle, const double* to)
{
	double most = 0.0;
	size_t at = 0;
	for (int i = 0; i < path->scene->partCount; ++i)
	{
		const size_t count = path->meshes[path->meshOf[i]].vertexCount;
		for (const size_t end = at + 3 * count; at < end; at += 3)
		{
			double square = 0.0;
			for (size_t k = at; k < at + 3; ++k)
			{
				const double off = middle[k] - 0.5 * (from[k] + to[k]);
				square += off * off;
			}
			most = square > most ? square : most;
		}
	}
	return sqrt(most);
}

// From the last time to another one.
static bool AddWay(provePath* path, cliStage* stage, const double* from, double to, double stray, int halvings)
{
	const double start = path->times[path->timeCount - 1], half = 0.5 * (start + to);
	if (!AddTime(path, stage, half))
	{
		return false;
	}
	double* middle = PlaceAll(path, path->timeCount - 1);
	const size_t at = path->timeCount - 1;
	double* end = middle != NULL && AddTime(path, stage, to) ? PlaceAll(path, path->timeCount - 1) : NULL;
	bool good = end != NULL;
	if (good)
	{
		const double sagitta = FindSagitta(path, from, middle, end);
		const bool isFine = !(stray > 0.0 && sagitta > stray && halvings < MAX_HALVINGS);
		path->stray = isFine && sagitta > path->stray ? sagitta : path->stray;
		// Without the end; and without the middle, if that is not needed.
		const provePose* last = path->poses + (at + 1) * (size_t)path->scene->partCount;
		FreePoses(path, isFine ? at : at + 1);
		path->timeCount = at + 1;
		if (isFine)
		{
			memcpy(path->poses + at * (size_t)path->scene->partCount, last,
			    (size_t)path->scene->partCount * sizeof(provePose));
			path->times[at] = to;
		}
		else
		{
			path->timeCount = at; // to be taken again, one half of the way after the other
			FreePoses(path, at);
			good = AddWay(path, stage, from, half, stray, halvings + 1) &&
			       AddWay(path, stage, middle, to, stray, halvings + 1);
		}
	}
	free(middle);
	free(end);
	return good;
}

static bool AddTimes(provePath* path, cliStage* stage, const double times[2], double fps, uint64_t frames, double stray)
{
	bool good = AddTime(path, stage, times[0]);
	for (uint64_t i = 1; good && i < frames; ++i)
	{
		cliProgress("pose %llu of %llu", (unsigned long long)i, (unsigned long long)frames);
		double* start = PlaceAll(path, path->timeCount - 1);
		const double to = i + 1 < frames ? times[0] + (double)i / fps : times[1];
		good = start != NULL && AddWay(path, stage, start, to, stray, 0);
		free(start);
	}
	cliProgress("");
	return good;
}

// ---- Making ----------------------------------------------------------------------------------------------------

static bool TakeMeshes(provePath* path)
{
	const cliScene* scene = path->scene;
	path->meshes = calloc((size_t)scene->partCount + 1, sizeof(proveMesh));
	path->meshOf = calloc((size_t)scene->partCount + 1, sizeof(uint32_t));
	for (int i = 0; path->meshes != NULL && path->meshOf != NULL && i < scene->partCount; ++i)
	{
		uint32_t m = 0;
		for (; m < path->meshCount && path->meshes[m].model != scene->parts[i].model; ++m)
		{
		}
		path->meshOf[i] = m;
		if (m == path->meshCount)
		{
			path->meshCount++;
			if (!proveMesh_Create(path->meshes + m, scene->parts[i].model))
			{
				return false;
			}
		}
	}
	return path->meshes != NULL && path->meshOf != NULL;
}

bool provePath_Create(
    provePath* path, const cliScene* scene, const double times[2], double fps, uint64_t frames, double stray)
{
	cliStage stage = { .scene = NULL };
	*path = (provePath){ .scene = scene };
	if (!TakeMeshes(path))
	{
		cliError("%s: out of memory", scene->files[0].path);
		return false;
	}
	const bool good = cliStage_Create(&stage, scene) && AddTimes(path, &stage, times, fps, frames, stray);
	if (!good)
	{
		const bool isTold = stage.error.text[0] != '\0';
		cliError(isTold ? "%s" : "%s: out of memory", isTold ? stage.error.text : scene->files[0].path);
	}
	cliStage_Free(&stage);
	return good;
}

void provePath_Free(provePath* path)
{
	for (size_t i = 0; i < path->timeCount; ++i)
	{
		FreePoses(path, i);
	}
	for (uint32_t i = 0; i < path->meshCount; ++i)
	{
		proveMesh_Free(path->meshes + i);
	}
	free(path->meshes);
	free(path->meshOf);
	free(path->times);
	free(path->poses);
	*path = (provePath){ .scene = NULL };
}

void provePath_Print(const provePath* path, proveText* text)
{
	const size_t parts = (size_t)path->scene->partCount;
	proveText_Add(text, "snug poses 1\n");
	for (size_t i = 0; i < path->timeCount * parts; ++i)
	{
		const provePose* pose = path->poses + i;
		const size_t joints = 12 * (size_t)pose->jointCount;
		proveText_Add(text, "%zu %zu frame 12", i / parts, i % parts);
		proveText_AddDoubles(text, pose->frame, 12);
		if (pose->jointCount > 0)
		{
			proveText_Add(text, " joints %u", pose->jointCount);
			proveText_AddFloats(text, pose->numbers, joints);
		}
		if (pose->fieldCount > 0)
		{
			proveText_Add(text, " amplitudes %u", pose->fieldCount);
			proveText_AddFloats(text, pose->numbers + joints, pose->fieldCount);
		}
		if (pose->vertexCount > 0)
		{
			proveText_Add(text, " vertices %u", pose->vertexCount);
			proveText_AddFloats(text, pose->numbers, 3 * (size_t)pose->vertexCount);
		}
		proveText_AddBytes(text, "\n", 1);
	}
	proveText_Add(text, "end\n");
}
