#include "program/pictures/recording.h"

#include "io/bytes.h"
#include "io/grow.h"
#include "program/pictures/html.h"
#include "solvers/hoard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 65535.0f // of a coordinate
#define MAX_BYTES 4900000
#define OTHER_BYTES 80000 // of a page: the viewer, tables
#define STILL_WIDTH 640
#define MOST_DISPLACEMENTS 8 // per vertex: more would take as much room as some positions of all vertices

typedef struct mesh
{
	recordedMesh raw; ///< with arrays of its own, which are:
	simHoard hoard;
	float lower[3], step; ///< of positions at rest
	float targetStep;     ///< of displacements
	ioBytes parts[7];     ///< triangles, positions, numbers of influences, joints, weights, targets, displacements
	int partCount;
} mesh;

typedef struct body
{
	int mesh;
	recordedWhen when;
	float color[3];
	float* motion;    ///< all frames
	ioBytes contacts; ///< all frames: how many, then their numbers as differences
	size_t* starts;   ///< (frames) where each begins
} body;

typedef struct frame
{
	uint64_t number, pairs;
	double time;
	size_t firstBox;
} frame;

typedef struct box
{
	float lower[3], upper[3];
	recordedInk ink;
} box;

struct recording
{
	mesh* meshes;
	body* bodies;
	frame* frames;
	box* boxes;
	size_t meshCount, meshCapacity, bodyCount, bodyCapacity, frameCount, frameCapacity, boxCount, boxCapacity;
	size_t start; ///< 1 + the frame that it begins with; 0: the one with the most pairs
	bool failed;  ///< there was no memory
};

const float* recordingGetColor(int number)
{
	static const float colors[][3] = { { 0.33f, 0.52f, 0.84f }, { 0.90f, 0.83f, 0.68f }, { 0.36f, 0.68f, 0.60f },
		{ 0.66f, 0.56f, 0.80f }, { 0.62f, 0.66f, 0.70f }, { 0.82f, 0.70f, 0.40f } };
	return colors[number % (int)(sizeof(colors) / sizeof(colors[0]))];
}

// ---- Bytes -----------------------------------------------------------------------------------------------------

static void PutNumber(ioBytes* out, uint32_t value)
{
	for (; value >= 128; value >>= 7)
	{
		ioPutByte(out, (value & 127u) | 128u);
	}
	ioPutByte(out, value);
}

// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
static uint32_t Fold(int32_t value)
{
	return (uint32_t)value << 1 ^ (value < 0 ? UINT32_MAX : 0u);
}

// Of words that differ little only the lowest bytes do: they stand together, so that the others compress to nothing.
static void PutPlanes(ioBytes* out, const uint32_t* words, size_t count, int bytes)
{
	for (int k = 0; k < bytes; ++k)
	{
		for (size_t i = 0; i < count; ++i)
		{
			ioPutByte(out, words[i] >> 8 * k & 255u);
		}
	}
}

static void Deflate(ioBytes* raw, ioBytes* out)
{
	ioDeflate(out, raw->data, raw->count);
	out->failed = out->failed || raw->failed;
	free(raw->data);
	*raw = (ioBytes){ 0 };
}

// Make room for one more. @return null if there is no memory
static void* Grow(void** items, size_t* count, size_t* capacity, size_t size)
{
	return ioGrow(items, capacity, *count + 1, size) ? memset((char*)*items + (*count)++ * size, 0, size) : NULL;
}

static void FreeMesh(mesh* m)
{
	for (int k = 0; k < m->partCount; ++k)
	{
		free(m->parts[k].data);
	}
	simHoard_Free(&m->hoard);
}

recording* recording_Create(void)
{
	return calloc(1, sizeof(recording));
}

void recording_Destroy(recording* r)
{
	for (size_t i = 0; r != NULL && i < r->meshCount; ++i)
	{
		FreeMesh(r->meshes + i);
	}
	for (size_t i = 0; r != NULL && i < r->bodyCount; ++i)
	{
		free(r->bodies[i].motion);
		free(r->bodies[i].contacts.data);
		free(r->bodies[i].starts);
	}
	if (r != NULL)
	{
		free(r->meshes);
		free(r->bodies);
		free(r->frames);
		free(r->boxes);
		free(r);
	}
}

// ---- Places ----------------------------------------------------------------------------------------------------

/// A grid of equal steps along all axes that holds what was added.
typedef struct grid
{
	float lower[3], upper[3], step;
} grid;

static const grid emptyGrid = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, 0.0f };

static void Grid_Add(grid* g, const float* positions, size_t count)
{
	for (size_t i = 0; i < 3 * count; ++i)
	{
		g->lower[i % 3] = fminf(g->lower[i % 3], positions[i]);
		g->upper[i % 3] = fmaxf(g->upper[i % 3], positions[i]);
	}
}

static void Grid_Finish(grid* g)
{
	float size = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		size = fmaxf(size, g->upper[k] - g->lower[k]);
		g->lower[k] = isfinite(g->lower[k]) ? g->lower[k] : 0.0f;
	}
	g->step = size > 0.0f ? size / STEPS : 1.0f;
}

static uint32_t Grid_Find(const grid* g, int axis, float x)
{
	return (uint32_t)(fminf(fmaxf((x - g->lower[axis]) / g->step, 0.0f), STEPS) + 0.5f);
}

static uint32_t Fold16(uint32_t value, uint32_t expected)
{
	uint32_t difference = (value - expected) & 65535u;
	return Fold((int32_t)difference - (difference > 32767u ? 65536 : 0));
}

// ---- Meshes ----------------------------------------------------------------------------------------------------

static void EncodeTriangles(const recordedMesh* from, ioBytes* out)
{
	uint32_t last = 0;
	ioBytes raw = { 0 };
	for (size_t i = 0; i < 3 * (size_t)from->triangleCount; ++i)
	{
		PutNumber(&raw, Fold((int32_t)(from->triangles[i] - last)));
		last = from->triangles[i];
	}
	Deflate(&raw, out);
}

static bool EncodeRest(mesh* m, const recordedMesh* from, ioBytes* out)
{
	size_t count = 3 * (size_t)from->vertexCount;
	uint32_t *words = malloc((count + 1) * sizeof(uint32_t)), last[3] = { 0, 0, 0 };
	grid g = emptyGrid;
	ioBytes raw = { 0 };
	Grid_Add(&g, from->positions, from->vertexCount);
	Grid_Finish(&g);
	memcpy(m->lower, g.lower, sizeof(m->lower));
	m->step = g.step;
	for (size_t i = 0; words != NULL && i < count; ++i)
	{
		uint32_t at = Grid_Find(&g, (int)(i % 3), from->positions[i]);
		words[i] = Fold16(at, last[i % 3]);
		last[i % 3] = at;
	}
	PutPlanes(&raw, words, words != NULL ? count : 0, 2);
	Deflate(&raw, out);
	free(words);
	return words != NULL;
}

static bool EncodeWeights(mesh* m, const recordedMesh* from)
{
	ioBytes raw = { 0 };
	size_t influences = from->starts[from->vertexCount];
	uint32_t* words = malloc((influences + 1) * sizeof(uint32_t));
	for (size_t v = 0; v < from->vertexCount; ++v)
	{
		PutNumber(&raw, from->starts[v + 1] - from->starts[v]);
	}
	Deflate(&raw, &m->parts[m->partCount++]);
	for (size_t i = 0; words != NULL && i < influences; ++i)
	{
		PutNumber(&raw, from->joints[i]);
		words[i] = Fold((int32_t)floorf(fminf(fmaxf(from->weights[i], -1.0f), 1.0f) * 32767.0f + 0.5f));
	}
	Deflate(&raw, &m->parts[m->partCount++]);
	PutPlanes(&raw, words, words != NULL ? influences : 0, 2);
	Deflate(&raw, &m->parts[m->partCount++]);
	free(words);
	return words != NULL;
}

// How many displacements each vertex has, and of which targets; then how far they go, in steps of the largest.
static bool EncodeTargets(mesh* m, const recordedMesh* from)
{
	ioBytes raw = { 0 };
	const size_t count = from->targetStarts[from->vertexCount];
	uint32_t* words = malloc((3 * count + 1) * sizeof(uint32_t));
	float most = 0.0f;
	for (size_t v = 0; v < from->vertexCount; ++v)
	{
		PutNumber(&raw, from->targetStarts[v + 1] - from->targetStarts[v]);
	}
	for (size_t i = 0; i < count; ++i)
	{
		PutNumber(&raw, from->targets[i]);
	}
	Deflate(&raw, &m->parts[m->partCount++]);
	for (size_t i = 0; i < 3 * count; ++i)
	{
		most = fmaxf(most, fabsf(from->displacements[i]));
	}
	m->targetStep = most > 0.0f ? most / 32767.0f : 1.0f;
	for (size_t i = 0; words != NULL && i < 3 * count; ++i)
	{
		words[i] = Fold((int32_t)floorf(from->displacements[i] / m->targetStep + 0.5f));
	}
	PutPlanes(&raw, words, words != NULL ? 3 * count : 0, 2);
	Deflate(&raw, &m->parts[m->partCount++]);
	free(words);
	return words != NULL;
}

static void* Copy(simHoard* hoard, const void* from, size_t count, size_t size)
{
	void* copy = simHoard_Take(hoard, count, size);
	return copy != NULL ? memcpy(copy, from, count * size) : NULL;
}

static bool CopyMesh(mesh* m, const recordedMesh* from)
{
	simHoard* hoard = &m->hoard;
	size_t vertices = from->vertexCount, influences = from->jointCount > 1 ? from->starts[vertices] : 0;
	m->raw = (recordedMesh){
		.vertexCount = from->vertexCount,
		.triangleCount = from->triangleCount,
		.jointCount = from->jointCount,
		.targetCount = from->targetCount,
	};
	m->raw.triangles = Copy(hoard, from->triangles, from->triangleCount, 3 * sizeof(uint32_t));
	if (from->jointCount > 0)
	{
		m->raw.positions = Copy(hoard, from->positions, vertices, 3 * sizeof(float));
	}
	if (from->jointCount > 1)
	{
		m->raw.starts = Copy(hoard, from->starts, vertices + 1, sizeof(uint32_t));
		m->raw.joints = Copy(hoard, from->joints, influences, sizeof(uint16_t));
		m->raw.weights = Copy(hoard, from->weights, influences, sizeof(float));
	}
	if (from->targetCount > 0)
	{
		const size_t count = from->targetStarts[vertices];
		m->raw.targetStarts = Copy(hoard, from->targetStarts, vertices + 1, sizeof(uint32_t));
		m->raw.targets = Copy(hoard, from->targets, count, sizeof(uint16_t));
		m->raw.displacements = Copy(hoard, from->displacements, count, 3 * sizeof(float));
	}
	return !hoard->isShort;
}

static bool IsSame(const mesh* a, const mesh* b)
{
	bool same = a->partCount == b->partCount && a->raw.vertexCount == b->raw.vertexCount &&
	            a->raw.jointCount == b->raw.jointCount && a->raw.targetCount == b->raw.targetCount &&
	            a->step == b->step && a->targetStep == b->targetStep &&
	            memcmp(a->lower, b->lower, sizeof(a->lower)) == 0;
	for (int k = 0; same && k < a->partCount; ++k)
	{
		same = a->parts[k].count == b->parts[k].count &&
		       memcmp(a->parts[k].data, b->parts[k].data, a->parts[k].count) == 0;
	}
	return same;
}

// Bodies of the same surface share one.
static int Share(recording* r)
{
	mesh* last = r->meshes + r->meshCount - 1;
	for (size_t i = 0; !r->failed && i + 1 < r->meshCount; ++i)
	{
		if (IsSame(r->meshes + i, last))
		{
			FreeMesh(last);
			--r->meshCount;
			return (int)i;
		}
	}
	return (int)r->meshCount - 1;
}

int recording_AddMesh(recording* r, const recordedMesh* from)
{
	mesh* m = r != NULL ? Grow((void**)&r->meshes, &r->meshCount, &r->meshCapacity, sizeof(mesh)) : NULL;
	if (m == NULL)
	{
		return -1;
	}
	r->failed = !CopyMesh(m, from) || r->failed;
	EncodeTriangles(from, &m->parts[m->partCount++]);
	if (from->jointCount > 0)
	{
		r->failed = !EncodeRest(m, from, &m->parts[m->partCount++]) || r->failed;
	}
	if (from->jointCount > 1)
	{
		r->failed = !EncodeWeights(m, from) || r->failed;
	}
	if (from->targetCount > 0)
	{
		r->failed = !EncodeTargets(m, from) || r->failed;
	}
	return Share(r);
}

size_t recordingCountPosed(const snugModel* model)
{
	const snugModelInfo info = snugModel_GetInfo(model);
	const bool isSkin = info.deformer == snug_skin && info.blending == snug_blendLinear &&
	                    info.displacementCount <= MOST_DISPLACEMENTS * (uint64_t)info.vertexCount;
	return info.deformer == snug_rigid ? 12 : isSkin ? 12 * (size_t)info.jointCount + info.fieldCount : 0;
}

int recording_AddModel(recording* r, const snugModel* model)
{
	snugModelInfo info = snugModel_GetInfo(model);
	const bool isJointed = recordingCountPosed(model) > 0, isSkin = info.deformer == snug_skin;
	const uint32_t targetCount = isJointed && isSkin ? info.fieldCount : 0;
	simHoard hoard = { NULL, false };
	float* positions = simHoard_Take(&hoard, info.vertexCount, 3 * sizeof(float));
	uint32_t* triangles = simHoard_Take(&hoard, info.triangleCount, 3 * sizeof(uint32_t));
	uint32_t* starts = simHoard_Take(&hoard, (size_t)info.vertexCount + 1, sizeof(uint32_t));
	uint16_t* joints = simHoard_Take(&hoard, info.influenceCount, sizeof(uint16_t));
	float* weights = simHoard_Take(&hoard, info.influenceCount, sizeof(float));
	uint32_t* targetStarts = simHoard_Take(&hoard, (size_t)info.vertexCount + 1, sizeof(uint32_t));
	uint16_t* targets = simHoard_Take(&hoard, info.displacementCount, sizeof(uint16_t));
	float* displacements = simHoard_Take(&hoard, info.displacementCount, 3 * sizeof(float));
	int number = -1;
	if (!hoard.isShort)
	{
		recordedMesh from = { positions, info.vertexCount, triangles, info.triangleCount,
			!isJointed                    ? 0
			: info.deformer == snug_rigid ? 1
			                              : info.jointCount,
			starts, joints, weights, targetCount, targetStarts, targets, displacements };
		snugModel_GetPositions(model, positions, 0);
		snugModel_GetTriangles(model, triangles, 0);
		if (isSkin)
		{
			snugModel_GetWeights(model, starts, joints, weights);
		}
		if (targetCount > 0)
		{
			snugModel_GetFields(model, targetStarts, targets, displacements);
		}
		number = recording_AddMesh(r, &from);
	}
	simHoard_Free(&hoard);
	return number;
}

// ---- Frames ----------------------------------------------------------------------------------------------------

int recording_AddBody(recording* r, int meshNumber, const float color[3])
{
	body* b = r != NULL ? Grow((void**)&r->bodies, &r->bodyCount, &r->bodyCapacity, sizeof(body)) : NULL;
	if (b == NULL || meshNumber < 0)
	{
		return -1;
	}
	b->mesh = meshNumber;
	memcpy(b->color, color, sizeof(b->color));
	return (int)r->bodyCount - 1;
}

void recording_SetWhen(recording* r, int number, recordedWhen when)
{
	if (r != NULL && number >= 0)
	{
		r->bodies[number].when = when;
	}
}

static size_t GetSize(const recording* r, const body* b)
{
	const mesh* m = r->meshes + b->mesh;
	return m->raw.jointCount > 0 ? 12 * (size_t)m->raw.jointCount + m->raw.targetCount : 3 * (size_t)m->raw.vertexCount;
}

// Room for the frame in every body: motions of zero, and no contacts.
static bool GrowBody(const recording* r, body* b)
{
	size_t size = GetSize(r, b), frames = r->frameCount;
	float* motion = realloc(b->motion, frames * size * sizeof(float) + 1);
	b->motion = motion != NULL ? motion : b->motion;
	size_t* starts = realloc(b->starts, frames * sizeof(size_t));
	b->starts = starts != NULL ? starts : b->starts;
	if (motion == NULL || starts == NULL)
	{
		return false;
	}
	memset(motion + (frames - 1) * size, 0, size * sizeof(float));
	starts[frames - 1] = b->contacts.count;
	return true;
}

void recording_AddFrame(recording* r, uint64_t number, double time, uint64_t pairs)
{
	frame* f = r != NULL ? Grow((void**)&r->frames, &r->frameCount, &r->frameCapacity, sizeof(frame)) : NULL;
	if (f == NULL)
	{
		return;
	}
	*f = (frame){ number, pairs, time, r->boxCount };
	for (size_t i = 0; i < r->bodyCount; ++i)
	{
		r->failed = !GrowBody(r, r->bodies + i) || r->failed;
	}
}

static body* GetBody(const recording* r, int number)
{
	return r == NULL || r->failed || number < 0 ? NULL : r->bodies + number;
}

void recording_SetPairs(recording* r, uint64_t pairs)
{
	if (r != NULL && r->frameCount > 0)
	{
		r->frames[r->frameCount - 1].pairs = pairs;
	}
}

void recording_SetStart(recording* r)
{
	if (r != NULL)
	{
		r->start = r->frameCount;
	}
}

void recording_SetMotion(recording* r, int number, const float* numbers)
{
	body* b = GetBody(r, number);
	if (b != NULL)
	{
		size_t size = GetSize(r, b);
		memcpy(b->motion + (r->frameCount - 1) * size, numbers, size * sizeof(float));
	}
}

void recording_SetContacts(recording* r, int number, const uint32_t* triangles, uint32_t count)
{
	body* b = GetBody(r, number);
	for (uint32_t i = 0; b != NULL && i < count; ++i)
	{
		PutNumber(&b->contacts, i > 0 ? triangles[i] - triangles[i - 1] : triangles[i]);
	}
}

void recording_SetMarks(recording* r, int number, const uint8_t* marks)
{
	body* b = GetBody(r, number);
	uint32_t last = 0;
	for (uint32_t i = 0; b != NULL && i < r->meshes[b->mesh].raw.triangleCount; ++i)
	{
		if (marks[i] != 0)
		{
			PutNumber(&b->contacts, i - last);
			last = i;
		}
	}
}

void recording_AddBox(recording* r, const float lower[3], const float upper[3], recordedInk ink)
{
	box* b = r != NULL ? Grow((void**)&r->boxes, &r->boxCount, &r->boxCapacity, sizeof(box)) : NULL;
	if (b != NULL)
	{
		memcpy(b->lower, lower, sizeof(b->lower));
		memcpy(b->upper, upper, sizeof(b->upper));
		b->ink = ink;
	}
}

// ---- Encoding --------------------------------------------------------------------------------------------------

/// What is printed: some of the frames.
typedef struct cut
{
	const recording* recording;
	size_t* frames; ///< which
	size_t count, start;
	grid* grids; ///< per body
	grid boxes;
	ioBytes* parts; ///< motion and contacts per body, then boxes
	size_t partCount, bytes;
	bool failed;
} cut;

// The frame that was chosen, or the one with the most pairs; without any the one in the middle.
static size_t FindStart(const recording* r)
{
	size_t most = r->start > 0 ? r->start - 1 : r->frameCount / 2;
	for (size_t i = 0; i < r->frameCount && r->start == 0; ++i)
	{
		most = r->frames[i].pairs > r->frames[most].pairs ? i : most;
	}
	return most;
}

static void AddPart(cut* c, ioBytes* raw)
{
	ioBytes* part = c->parts + c->partCount++;
	Deflate(raw, part);
	c->bytes += part->count;
	c->failed = c->failed || part->failed;
}

// Bits of floats, as differences to those of the frame before.
static void EncodeFloats(const cut* c, const body* b, uint32_t* words)
{
	size_t size = GetSize(c->recording, b);
	for (size_t i = 0; i < c->count * size; ++i)
	{
		uint32_t now, before = 0;
		memcpy(&now, b->motion + c->frames[i / size] * size + i % size, sizeof(now));
		if (i >= size)
		{
			memcpy(&before, b->motion + c->frames[i / size - 1] * size + i % size, sizeof(before));
		}
		words[i] = now - before;
	}
}

// Steps, as differences to where the last two frames lead.
static void EncodePlaces(const cut* c, const body* b, grid* g, uint32_t* words)
{
	size_t size = GetSize(c->recording, b);
	*g = emptyGrid;
	for (size_t f = 0; f < c->count; ++f)
	{
		Grid_Add(g, b->motion + c->frames[f] * size, size / 3);
	}
	Grid_Finish(g);
	for (size_t i = 0; i < size; ++i)
	{
		uint32_t before = 0, last = 0;
		for (size_t f = 0; f < c->count; ++f)
		{
			uint32_t at = Grid_Find(g, (int)(i % 3), b->motion[c->frames[f] * size + i]);
			words[f * size + i] = Fold16(at, f > 1 ? 2 * last - before : last);
			before = last;
			last = at;
		}
	}
}

static void EncodeMotion(cut* c, size_t number)
{
	const body* b = c->recording->bodies + number;
	size_t count = GetSize(c->recording, b) * c->count;
	bool isJointed = c->recording->meshes[b->mesh].raw.jointCount > 0;
	uint32_t* words = malloc(count * sizeof(uint32_t) + 1);
	ioBytes raw = { .failed = words == NULL };
	if (words != NULL && isJointed)
	{
		EncodeFloats(c, b, words);
	}
	else if (words != NULL)
	{
		EncodePlaces(c, b, c->grids + number, words);
	}
	PutPlanes(&raw, words, words != NULL ? count : 0, isJointed ? 4 : 2);
	AddPart(c, &raw);
	free(words);
}

// A list after its length. Bytes without the highest bit end numbers.
static void EncodeContacts(cut* c, const body* b)
{
	ioBytes raw = { .failed = b->contacts.failed };
	for (size_t f = 0; f < c->count; ++f)
	{
		size_t begin = b->starts[c->frames[f]];
		size_t end = c->frames[f] + 1 < c->recording->frameCount ? b->starts[c->frames[f] + 1] : b->contacts.count;
		uint32_t count = 0;
		for (size_t i = begin; i < end; ++i)
		{
			count += b->contacts.data[i] < 128;
		}
		PutNumber(&raw, count);
		for (size_t i = begin; i < end; ++i)
		{
			ioPutByte(&raw, b->contacts.data[i]);
		}
	}
	AddPart(c, &raw);
}

static void EncodeBoxes(cut* c)
{
	const recording* r = c->recording;
	ioBytes raw = { 0 };
	c->boxes = emptyGrid;
	for (size_t i = 0; i < r->boxCount; ++i)
	{
		Grid_Add(&c->boxes, r->boxes[i].lower, 1);
		Grid_Add(&c->boxes, r->boxes[i].upper, 1);
	}
	Grid_Finish(&c->boxes);
	for (size_t f = 0; f < c->count; ++f)
	{
		size_t number = c->frames[f], begin = r->frames[number].firstBox;
		size_t end = number + 1 < r->frameCount ? r->frames[number + 1].firstBox : r->boxCount;
		PutNumber(&raw, (uint32_t)(end - begin));
		for (size_t i = begin; i < end; ++i)
		{
			uint32_t lower[3];
			PutNumber(&raw, (uint32_t)r->boxes[i].ink);
			for (int k = 0; k < 3; ++k)
			{
				lower[k] = Grid_Find(&c->boxes, k, r->boxes[i].lower[k]);
				PutNumber(&raw, lower[k]);
			}
			for (int k = 0; k < 3; ++k)
			{
				PutNumber(&raw, Grid_Find(&c->boxes, k, r->boxes[i].upper[k]) - lower[k]);
			}
		}
	}
	AddPart(c, &raw);
}

// Every so many frames, the one with the most pairs among them.
static cut MakeCut(const recording* r, size_t every)
{
	cut c = { .recording = r, .frames = malloc((r->frameCount + 1) * sizeof(size_t)) };
	c.grids = calloc(r->bodyCount + 1, sizeof(grid));
	c.parts = calloc(2 * r->bodyCount + 1, sizeof(ioBytes));
	c.failed = r->failed || c.frames == NULL || c.grids == NULL || c.parts == NULL;
	size_t start = FindStart(r);
	for (size_t i = start % every; !c.failed && i < r->frameCount; i += every)
	{
		c.start = i == start ? c.count : c.start;
		c.frames[c.count++] = i;
	}
	for (size_t i = 0; !c.failed && i < r->bodyCount; ++i)
	{
		EncodeMotion(&c, i);
		EncodeContacts(&c, r->bodies + i);
	}
	if (r->boxCount > 0 && !c.failed)
	{
		EncodeBoxes(&c);
	}
	return c;
}

static void FreeCut(cut* c)
{
	for (size_t i = 0; i < c->partCount; ++i)
	{
		free(c->parts[i].data);
	}
	free(c->frames);
	free(c->grids);
	free(c->parts);
}

// ---- A still ---------------------------------------------------------------------------------------------------

// Where a vertex is in front of the joints.
static void Morph(const recordedMesh* m, size_t v, const float* amplitudes, float x[3])
{
	memcpy(x, m->positions + 3 * v, 3 * sizeof(float));
	for (size_t i = m->targetCount > 0 ? m->targetStarts[v] : 0; m->targetCount > 0 && i < m->targetStarts[v + 1]; ++i)
	{
		for (size_t k = 0; k < 3; ++k)
		{
			x[k] += amplitudes[m->targets[i]] * m->displacements[3 * i + k];
		}
	}
}

// Positions of a frame, by the matrices of joints and amplitudes.
static void Blend(const recordedMesh* m, const float* matrices, float* out)
{
	memset(out, 0, 3 * (size_t)m->vertexCount * sizeof(float));
	for (size_t v = 0; v < m->vertexCount; ++v)
	{
		float x[3];
		Morph(m, v, matrices + 12 * (size_t)m->jointCount, x);
		size_t first = m->jointCount > 1 ? m->starts[v] : 0, end = m->jointCount > 1 ? m->starts[v + 1] : 1;
		for (size_t i = first; i < end; ++i)
		{
			const float* rows = matrices + (m->jointCount > 1 ? 12 * (size_t)m->joints[i] : 0);
			for (size_t k = 0; k < 3; ++k)
			{
				const float* row = rows + 4 * k;
				float moved = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3];
				out[3 * v + k] += (m->jointCount > 1 ? m->weights[i] : 1.0f) * moved;
			}
		}
	}
}

static void GetMarks(const recording* r, const body* b, size_t at, uint8_t* marks)
{
	size_t end = at + 1 < r->frameCount ? b->starts[at + 1] : b->contacts.count;
	uint32_t triangle = 0, value = 0;
	int shift = 0;
	for (size_t i = b->starts[at]; i < end; ++i)
	{
		value |= (b->contacts.data[i] & 127u) << shift;
		shift += 7;
		if (b->contacts.data[i] < 128)
		{
			triangle += value;
			marks[triangle] = 1;
			value = 0;
			shift = 0;
		}
	}
}

// With positions and marks of its own.
static bool MakePictureMesh(const recording* r, const body* b, size_t at, pictureMesh* out)
{
	const recordedMesh* m = &r->meshes[b->mesh].raw;
	const float* motion = b->motion + at * GetSize(r, b);
	float* positions = malloc(3 * (size_t)m->vertexCount * sizeof(float) + 1);
	uint8_t* marks = calloc((size_t)m->triangleCount + 1, 1);
	uint32_t triangleCount = b->when != recorded_withNodes ? m->triangleCount : 0;
	*out = (pictureMesh){ positions, m->vertexCount, m->triangles, triangleCount, marks,
		{ b->color[0], b->color[1], b->color[2] } };
	if (positions == NULL || marks == NULL)
	{
		return false;
	}
	if (m->jointCount > 0)
	{
		Blend(m, motion, positions);
	}
	else
	{
		memcpy(positions, motion, 3 * (size_t)m->vertexCount * sizeof(float));
	}
	GetMarks(r, b, at, marks);
	return true;
}

pixels recording_Draw(const recording* r, const recordedView* v, int width, int height)
{
	pixels drawn = { NULL, 0, 0 };
	picture* p = picture_Create(width, height);
	pictureMesh* meshes = calloc(r->bodyCount + 1, sizeof(pictureMesh));
	bool good = p != NULL && meshes != NULL && !r->failed && r->frameCount > 0;
	for (size_t i = 0; good && i < r->bodyCount; ++i)
	{
		good = MakePictureMesh(r, r->bodies + i, FindStart(r), meshes + i);
	}
	if (good)
	{
		camera c = cameraMake(
		    v->eye, v->target, v->vertical, v->degrees, picture_GetSampleWidth(p), picture_GetSampleHeight(p));
		good = picture_Draw(p, &c, v->ground, meshes, (int)r->bodyCount);
		drawn = good ? picture_Resolve(p) : drawn;
	}
	for (size_t i = 0; meshes != NULL && i < r->bodyCount; ++i)
	{
		free((void*)meshes[i].positions);
		free((void*)meshes[i].marks);
	}
	free(meshes);
	picture_Destroy(p);
	return drawn;
}

// ---- Printing --------------------------------------------------------------------------------------------------

static void PrintVector(const char* name, const float v[3], FILE* stream)
{
	fprintf(stream, "\"%s\":[%.7g,%.7g,%.7g],", name, (double)v[0], (double)v[1], (double)v[2]);
}

static void PrintView(const recordedView* v, FILE* stream)
{
	fputs("\"view\":{", stream);
	PrintVector("eye", v->eye, stream);
	PrintVector("target", v->target, stream);
	PrintVector("up", v->vertical, stream);
	fprintf(stream, "\"degrees\":%.7g,\"aspect\":%.7g,\"ground\":%.7g,\"size\":%.7g}", (double)v->degrees,
	    (double)v->aspect, (double)v->ground, (double)v->size);
}

static void PrintFrames(const cut* c, const recordingDef* def, FILE* stream)
{
	const frame* frames = c->recording->frames;
	bool hasBars = def->bars != NULL;
	uint64_t bars = hasBars ? def->barCount : c->recording->frameCount;
	fprintf(stream, ",\"unit\":\"%s\",\"total\":%llu,\"start\":%zu,\"frames\":[",
	    def->unit != NULL ? def->unit : "pair",
	    (unsigned long long)(def->total > 0 ? def->total : c->recording->frameCount), c->start);
	for (size_t i = 0; i < c->count; ++i)
	{
		const frame* f = frames + c->frames[i];
		fprintf(stream, "%s[%llu,%.6g,%llu]", i > 0 ? "," : "", (unsigned long long)f->number, f->time,
		    (unsigned long long)f->pairs);
	}
	fputs("],\"bars\":[", stream);
	for (uint64_t i = 0; i < bars; ++i)
	{
		fprintf(stream, "%s%llu", i > 0 ? "," : "", (unsigned long long)(hasBars ? def->bars[i] : frames[i].pairs));
	}
	fputc(']', stream);
}

static void PrintBodies(const cut* c, FILE* stream)
{
	const recording* r = c->recording;
	fputs(",\"meshes\":[", stream);
	for (size_t i = 0; i < r->meshCount; ++i)
	{
		const mesh* m = r->meshes + i;
		fprintf(stream, "%s{\"vertices\":%u,\"joints\":%u,\"targets\":%u,\"targetStep\":%.9g,", i > 0 ? "," : "",
		    m->raw.vertexCount, m->raw.jointCount, m->raw.targetCount, (double)m->targetStep);
		PrintVector("lower", m->lower, stream);
		fprintf(stream, "\"step\":%.9g}", (double)m->step);
	}
	fputs("],\"bodies\":[", stream);
	for (size_t i = 0; i < r->bodyCount; ++i)
	{
		fprintf(stream, "%s{\"mesh\":%d,\"when\":%d,", i > 0 ? "," : "", r->bodies[i].mesh, (int)r->bodies[i].when);
		PrintVector("color", r->bodies[i].color, stream);
		PrintVector("lower", c->grids[i].lower, stream);
		fprintf(stream, "\"step\":%.9g}", (double)c->grids[i].step);
	}
	fputc(']', stream);
	if (r->boxCount > 0)
	{
		fputs(",\"boxes\":{", stream);
		PrintVector("lower", c->boxes.lower, stream);
		// More hide what they are about.
		bool areFew = r->boxCount <= 8 * r->frameCount;
		fprintf(stream, "\"step\":%.9g,\"shown\":%s}", (double)c->boxes.step, areFew ? "true" : "false");
	}
}

// All parts one after the other, and where each ends.
static bool PrintParts(const cut* c, const char* id, FILE* stream)
{
	const recording* r = c->recording;
	ioBytes all = { 0 };
	fputs(",\"parts\":[", stream);
	for (size_t i = 0, m = 0; i < c->partCount || m < r->meshCount; m < r->meshCount ? ++m : ++i)
	{
		const ioBytes* parts = m < r->meshCount ? r->meshes[m].parts : c->parts + i;
		for (int k = 0; k < (m < r->meshCount ? r->meshes[m].partCount : 1); ++k)
		{
			fprintf(stream, "%s%zu", all.count > 0 ? "," : "", parts[k].count);
			for (size_t b = 0; b < parts[k].count; ++b)
			{
				ioPutByte(&all, parts[k].data[b]);
			}
			all.failed = all.failed || parts[k].failed;
		}
	}
	fprintf(stream, "]}</script>\n<script type=\"text/plain\" id=\"%s-data\">", id);
	htmlBase64(stream, all.data, all.failed ? 0 : all.count);
	fputs("</script>\n", stream);
	free(all.data);
	return !all.failed;
}

static void PrintStage(const recordingDef* def, const uint8_t* still, size_t bytes, FILE* stream)
{
	fprintf(stream, "<div class=\"viewer box\" data-recording=\"%s\"><div class=\"stage\"><img alt=\"", def->id);
	htmlText(stream, def->what);
	fputs("\" src=\"data:image/png;base64,", stream);
	htmlBase64(stream, still, bytes);
	fputs("\"><canvas tabindex=\"0\" role=\"img\" aria-label=\"", stream);
	htmlText(stream, def->what);
	fputs("\"></canvas></div>\n", stream);
}

static void PrintExcuse(FILE* stream)
{
	fputs("<p class=\"undrawn\">This browser does not draw here (no WebGL 2, or no scripts): a picture of one "
	      "frame.</p></div>\n",
	    stream);
}

// As many frames as fit.
static cut MakeFittingCut(const recording* r, size_t limit, size_t others)
{
	size_t every = 1;
	for (size_t i = 0; i < r->meshCount; ++i)
	{
		for (int k = 0; k < r->meshes[i].partCount; ++k)
		{
			others += r->meshes[i].parts[k].count;
		}
	}
	cut c = MakeCut(r, every);
	while (!c.failed && c.count > 1 && (c.bytes + others) / 3 * 4 > limit)
	{
		FreeCut(&c);
		c = MakeCut(r, every *= 2);
	}
	return c;
}

bool recording_Print(const recording* r, const recordingDef* def, FILE* stream)
{
	if (r == NULL || r->frameCount == 0)
	{
		return r != NULL;
	}
	size_t bytes = 0;
	pixels drawn = recording_Draw(r, def->view, STILL_WIDTH, (int)(STILL_WIDTH / def->view->aspect));
	uint8_t* still = drawn.data != NULL ? pixelsEncode(&drawn, &bytes) : NULL;
	cut c = MakeFittingCut(r, def->maxBytes > 0 ? def->maxBytes : MAX_BYTES, bytes + OTHER_BYTES);
	bool printed = !c.failed && still != NULL;
	if (printed)
	{
		PrintStage(def, still, bytes, stream);
		PrintExcuse(stream);
		fprintf(stream, "<script type=\"application/json\" id=\"%s-header\">{", def->id);
		PrintView(def->view, stream);
		PrintFrames(&c, def, stream);
		PrintBodies(&c, stream);
		printed = PrintParts(&c, def->id, stream);
	}
	FreeCut(&c);
	free(still);
	pixelsFree(&drawn);
	return printed;
}
