// Draws how bounds follow joints, for the page "How it works": usage: draw_bounds MAN.glb CREATURE.glb DIRECTORY
//
// Writes levels.svg (the boxes of some levels of the tree), poses.svg (one level in several poses) and visited.svg
// (what a query looked at, and found), and numbers.json, from which the page's sentences take their numbers. Everything
// comes through the public headers, as in anybody's program.
#include <math.h>
#include <snug/snug_io.h>
#include <snug/snug_queries.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	SHADES = 3,
	MAX_BOXES = 65536,
	MAX_PAIRS = 4096
};

// Metres per cell of the raster in which bodies are drawn.
#define CELL 0.0125f

// Seen from the side: z to the right, y up.
typedef struct View
{
	float left, bottom;
	int width, height; // in cells
} View;

typedef struct Actor
{
	snugAsset* asset;
	snugActor* actor;
	snugBody* body;
	snugInstance info;
	uint32_t clip;
	snugFrame frame;
	uint32_t* triangles;
	float* vertices;
} Actor;

static void Require(bool holds, const char* what)
{
	if (!holds)
	{
		fprintf(stderr, "draw_bounds: %s\n", what);
		exit(1);
	}
}

static void* Allocate(size_t bytes)
{
	void* memory = calloc(1, bytes);
	Require(memory != NULL, "out of memory");
	return memory;
}

static FILE* Open(const char* directory, const char* name)
{
	char path[4096];
	Require(snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path, "the path is too long");
	FILE* file = fopen(path, "w");
	Require(file != NULL, path);
	return file;
}

static void Close(FILE* file)
{
	bool written = !ferror(file);
	Require(fclose(file) == 0 && written, "cannot write");
}

static void LoadActor(Actor* actor, const char* path, const char* clip)
{
	Require(snugAsset_LoadFile(path, NULL, &actor->asset) == snug_success, path);
	Require(snugAsset_GetInstance(actor->asset, 0, &actor->info) == snug_success && actor->info.jointCount > 0, path);
	Require(snugActor_Create(actor->asset, NULL, &actor->actor) == snug_success, path);
	actor->body = snugActor_GetBodies(actor->actor, NULL)[0];
	actor->clip = snugAsset_FindClip(actor->asset, clip);
	Require(actor->clip != SNUG_NONE, clip);
	actor->triangles = Allocate(3 * sizeof(uint32_t) * actor->info.triangleCount);
	snugModel_GetTriangles(snugBody_GetModel(actor->body), actor->triangles, 0);
	actor->vertices = Allocate(3 * sizeof(float) * actor->info.vertexCount);
}

static void ReleaseActor(Actor* actor)
{
	free(actor->triangles);
	free(actor->vertices);
	snugActor_Destroy(actor->actor);
	snugAsset_Destroy(actor->asset);
}

static void PoseActor(Actor* actor, double time)
{
	Require(snugActor_SetTime(actor->actor, actor->clip, time, &actor->frame) == snug_success, "cannot pose");
}

// The raster: for each cell what is nearest to the eye, and its shade; 0 where nothing is.
typedef struct Raster
{
	View view;
	float* depths;
	unsigned char* shades;
} Raster;

static void FillCell(Raster* raster, int column, int row, float depth, unsigned char shade)
{
	size_t cell = (size_t)row * (size_t)raster->view.width + (size_t)column;
	if (raster->shades[cell] == 0 || depth > raster->depths[cell])
	{
		raster->depths[cell] = depth;
		raster->shades[cell] = shade;
	}
}

static int Clamp(float value, int limit)
{
	return value < 0 ? 0 : value > (float)limit ? limit : (int)value;
}

static unsigned char ShadeOf(const float* corners[3])
{
	float u[3], v[3];
	for (int i = 0; i < 3; ++i)
	{
		u[i] = corners[1][i] - corners[0][i];
		v[i] = corners[2][i] - corners[0][i];
	}
	const float normal[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
	float length = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
	float light = length > 0 ? (0.5f * fabsf(normal[0]) + 0.7f * normal[1] + 0.3f * normal[2]) / length : 0;
	return (unsigned char)(1 + Clamp((light + 0.6f) / 1.5f * SHADES, SHADES - 1));
}

// Centres of cells that a triangle covers, by the signs of three edges.
static void FillTriangle(Raster* raster, const float* corners[3])
{
	float x[3], y[3];
	for (int i = 0; i < 3; ++i)
	{
		x[i] = (corners[i][2] - raster->view.left) / CELL;
		y[i] = (corners[i][1] - raster->view.bottom) / CELL;
	}
	float area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
	if (area == 0)
	{
		return;
	}
	unsigned char shade = ShadeOf(corners);
	int firstRow = Clamp(fminf(y[0], fminf(y[1], y[2])), raster->view.height - 1);
	int lastRow = Clamp(fmaxf(y[0], fmaxf(y[1], y[2])), raster->view.height - 1);
	int firstColumn = Clamp(fminf(x[0], fminf(x[1], x[2])), raster->view.width - 1);
	int lastColumn = Clamp(fmaxf(x[0], fmaxf(x[1], x[2])), raster->view.width - 1);
	for (int row = firstRow; row <= lastRow; ++row)
	{
		for (int column = firstColumn; column <= lastColumn; ++column)
		{
			float px = (float)column + 0.5f, py = (float)row + 0.5f;
			float weights[3];
			for (int i = 0; i < 3; ++i)
			{
				int j = (i + 1) % 3, k = (i + 2) % 3;
				weights[i] = ((x[k] - x[j]) * (py - y[j]) - (y[k] - y[j]) * (px - x[j])) / area;
			}
			if (weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0)
			{
				float depth = weights[0] * corners[0][0] + weights[1] * corners[1][0] + weights[2] * corners[2][0];
				FillCell(raster, column, row, depth, shade);
			}
		}
	}
}

// One path per shade, made of the runs of each row.
static void WriteRuns(FILE* file, const Raster* raster, const char* const* colors)
{
	for (int shade = 1; shade <= SHADES; ++shade)
	{
		fprintf(file, "<path fill=\"%s\" d=\"", colors[shade - 1]);
		for (int row = 0; row < raster->view.height; ++row)
		{
			const unsigned char* cells = raster->shades + (size_t)row * (size_t)raster->view.width;
			for (int column = 0, first; column < raster->view.width; ++column)
			{
				for (first = column; column < raster->view.width && cells[column] == shade; ++column)
				{
				}
				if (column > first)
				{
					fprintf(
					    file, "M%d %dh%dv1h-%dz", first, raster->view.height - 1 - row, column - first, column - first);
				}
			}
		}
		fprintf(file, "\"/>\n");
	}
}

static void DrawActor(FILE* file, View view, Actor* actor, const char* const* colors)
{
	size_t cells = (size_t)view.width * (size_t)view.height;
	Raster raster = { view, Allocate(cells * sizeof(float)), Allocate(cells) };
	Require(snugBody_GetVertices(actor->body, NULL, actor->vertices, 0) == snug_success, "no vertices");
	for (uint32_t i = 0; i < actor->info.triangleCount; ++i)
	{
		const float* corners[3];
		for (int corner = 0; corner < 3; ++corner)
		{
			corners[corner] = actor->vertices + 3 * (size_t)actor->triangles[3 * i + (uint32_t)corner];
		}
		FillTriangle(&raster, corners);
	}
	WriteRuns(file, &raster, colors);
	free(raster.depths);
	free(raster.shades);
}

// Boxes as the query that is drawn left them: drawing positions asks for all vertices, so boxes are read before.
typedef struct Boxes
{
	snugNodeBox* boxes;
	uint64_t count;
} Boxes;

static Boxes ReadLevel(Actor* actor, uint32_t level)
{
	Boxes boxes = { Allocate(MAX_BOXES * sizeof(snugNodeBox)), 0 };
	Require(snugBody_GetBoxes(actor->body, level, boxes.boxes, MAX_BOXES, &boxes.count) == snug_success, "no boxes");
	Require(boxes.count <= MAX_BOXES, "too many boxes");
	return boxes;
}

static Boxes ReadVisited(Actor* actor)
{
	Boxes boxes = { Allocate(MAX_BOXES * sizeof(snugNodeBox)), 0 };
	Require(
	    snugBody_GetBoxes(actor->body, SNUG_NONE, boxes.boxes, MAX_BOXES, &boxes.count) == snug_success, "no boxes");
	Require(boxes.count <= MAX_BOXES, "too many boxes");
	return boxes;
}

static void WriteBox(FILE* file, View view, const snugNodeBox* box, const double* turn)
{
	float low = INFINITY, high = -INFINITY;
	for (int corner = 0; corner < 4; ++corner)
	{
		float x = corner & 1 ? box->upper[0] : box->lower[0];
		float z = corner & 2 ? box->upper[2] : box->lower[2];
		float across = (float)(turn[0] * x + turn[1] * z + turn[2]);
		low = fminf(low, across);
		high = fmaxf(high, across);
	}
	fprintf(file, "M%.1f %.1fh%.1fv%.1fH%.1fz", (low - view.left) / CELL,
	    (float)view.height - (box->upper[1] - view.bottom) / CELL, (high - low) / CELL,
	    (box->upper[1] - box->lower[1]) / CELL, (low - view.left) / CELL);
}

// The frames here are turned by multiples of a right angle, so boxes stay boxes. Deeper levels have thinner lines: a
// path for each level.
static void DrawBoxes(FILE* file, View view, Boxes boxes, const double* turn, const char* color, float thickness)
{
	uint32_t deepest = 0;
	for (uint64_t i = 0; i < boxes.count; ++i)
	{
		deepest = boxes.boxes[i].level > deepest ? boxes.boxes[i].level : deepest;
	}
	for (uint32_t level = 0; level <= deepest; ++level)
	{
		fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\" d=\"", color,
		    thickness / (1 + 0.35f * (float)level));
		for (uint64_t i = 0; i < boxes.count; ++i)
		{
			if (boxes.boxes[i].level == level)
			{
				WriteBox(file, view, &boxes.boxes[i], turn);
			}
		}
		fprintf(file, "\"/>\n");
	}
	free(boxes.boxes);
}

static const char* const manColors[SHADES] = { "#66738a", "#8491a8", "#a3afc4" };
static const char* const creatureColors[SHADES] = { "#80705d", "#9f8d77", "#bdab95" };
static const char* const boxColor = "#1f78d1";
static const char* const otherBoxColor = "#c2571a";
static const char* const contactColor = "#e01b24";

// A row of panels, each with a title below it.
static FILE* BeginPanels(const char* directory, const char* name, View view, int count, const char* description)
{
	FILE* file = Open(directory, name);
	fprintf(file,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
	    "font-size=\"9.5\">\n"
	    "<title>%s</title>\n",
	    view.width * count, view.height + 17, description);
	return file;
}

static void BeginPanel(FILE* file, View view, int index, const char* title)
{
	fprintf(file,
	    "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#7b8494\">%s</text>\n"
	    "<svg x=\"%d\" y=\"0\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
	    view.width * index + view.width / 2, view.height + 12, title, view.width * index, view.width, view.height,
	    view.width, view.height);
}

static void EndPanel(FILE* file)
{
	fprintf(file, "</svg>\n");
}

static void EndPanels(FILE* file)
{
	fprintf(file, "</svg>\n");
	Close(file);
}

// Where z of a body's own space goes, of a body that stands where it was modelled.
static const double straight[3] = { 0, 1, 0 };

static void DrawLevels(const char* directory, Actor* man, FILE* numbers)
{
	const View view = { -0.36f, -0.04f, 133, 152 };
	FILE* file = BeginPanels(directory, "levels.svg", view, 4, "Boxes of four levels of the tree around a kicking man");
	PoseActor(man, 0.8);
	fprintf(numbers, "\"levels\": [");
	for (uint32_t level = 0; level < 4; ++level)
	{
		Boxes boxes = ReadLevel(man, level);
		fprintf(numbers, "%s%llu", level ? ", " : "", (unsigned long long)boxes.count);
		char title[64];
		snprintf(title, sizeof title, "level %u: %llu %s", level, (unsigned long long)boxes.count,
		    boxes.count == 1 ? "box" : "boxes");
		BeginPanel(file, view, (int)level, title);
		DrawActor(file, view, man, manColors);
		DrawBoxes(file, view, boxes, straight, boxColor, 1.2f);
		EndPanel(file);
	}
	fprintf(numbers, "],\n");
	EndPanels(file);
}

static void DrawPoses(const char* directory, Actor* man)
{
	const View view = { -0.36f, -0.04f, 133, 152 };
	const double times[] = { 0, 0.55, 0.8, 1.15 };
	FILE* file = BeginPanels(directory, "poses.svg", view, 4, "The same nodes in four poses of a kick");
	for (int i = 0; i < 4; ++i)
	{
		PoseActor(man, times[i]);
		char title[64];
		snprintf(title, sizeof title, "%.2f s", times[i]);
		BeginPanel(file, view, i, title);
		Boxes boxes = ReadLevel(man, 2);
		DrawActor(file, view, man, manColors);
		DrawBoxes(file, view, boxes, straight, boxColor, 1.2f);
		EndPanel(file);
	}
	EndPanels(file);
}

static void DrawContact(FILE* file, View view, Actor* actor, const snugPair* pairs, uint64_t count, bool isFirst)
{
	fprintf(file, "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"0.8\" d=\"", contactColor, contactColor);
	for (uint64_t i = 0; i < count; ++i)
	{
		uint32_t triangle = isFirst ? pairs[i].a : pairs[i].b;
		for (uint32_t corner = 0; corner < 3; ++corner)
		{
			const float* position = actor->vertices + 3 * (size_t)actor->triangles[3 * triangle + corner];
			fprintf(file, "%c%.2f %.2f", corner ? 'L' : 'M', (position[2] - view.left) / CELL,
			    (float)view.height - (position[1] - view.bottom) / CELL);
		}
		fprintf(file, "z");
	}
	fprintf(file, "\"/>\n");
}

static void DrawVisit(FILE* file, View view, Actor* man, Actor* creature, double time, bool isLast, FILE* numbers)
{
	static snugPair pairs[MAX_PAIRS];
	PoseActor(man, time);
	PoseActor(creature, time);
	snugQuery query = { .pairs = pairs, .capacity = MAX_PAIRS };
	snugResult result = snugCollide(man->body, creature->body, &query);
	Require(result.status == snug_success && result.count <= MAX_PAIRS, "the query failed");
	Boxes ofMan = ReadVisited(man), ofCreature = ReadVisited(creature);
	fprintf(numbers, "{\"time\": %.2f, \"boxes\": %llu, \"vertices\": %llu, \"pairs\": %llu}%s", time,
	    (unsigned long long)(ofMan.count + ofCreature.count), (unsigned long long)result.counters.verticesEvaluated,
	    (unsigned long long)result.count, isLast ? "" : ", ");
	DrawActor(file, view, creature, creatureColors);
	DrawActor(file, view, man, manColors);
	// A quarter turn about y takes z to -x.
	const double turned[3] = { -1, 0, 1.2 };
	DrawBoxes(file, view, ofMan, straight, boxColor, 1.4f);
	DrawBoxes(file, view, ofCreature, turned, otherBoxColor, 1.4f);
	DrawContact(file, view, man, pairs, result.count, true);
	DrawContact(file, view, creature, pairs, result.count, false);
}

static void DrawVisited(const char* directory, Actor* man, Actor* creature, FILE* numbers)
{
	const View view = { -0.36f, -0.04f, 173, 196 };
	const double times[] = { 0, 0.7, 0.8134 };
	const char* const titles[] = { "apart", "close", "in contact" };
	creature->frame = (snugFrame){ { 0.05, 0, 1.2 }, { 0, sqrt(0.5), 0, sqrt(0.5) } };
	FILE* file = BeginPanels(directory, "visited.svg", view, 3, "What a query looks at: apart, close and in contact");
	fprintf(numbers, "\"visits\": [");
	for (int i = 0; i < 3; ++i)
	{
		BeginPanel(file, view, i, titles[i]);
		DrawVisit(file, view, man, creature, times[i], i == 2, numbers);
		EndPanel(file);
	}
	fprintf(numbers, "],\n");
	EndPanels(file);
}

int main(int argumentCount, char** arguments)
{
	Require(argumentCount == 4, "usage: draw_bounds MAN.glb CREATURE.glb DIRECTORY");
	const char* directory = arguments[3];
	Actor man = { 0 }, creature = { 0 };
	LoadActor(&man, arguments[1], "kick");
	LoadActor(&creature, arguments[2], "idle");
	FILE* numbers = Open(directory, "numbers.json");
	fprintf(numbers, "{\n");
	DrawLevels(directory, &man, numbers);
	DrawPoses(directory, &man);
	DrawVisited(directory, &man, &creature, numbers);
	fprintf(numbers, "\"joints\": %u, \"vertices\": %u, \"triangles\": %u, \"bothVertices\": %u\n}\n",
	    man.info.jointCount, man.info.vertexCount, man.info.triangleCount,
	    man.info.vertexCount + creature.info.vertexCount);
	Close(numbers);
	ReleaseActor(&man);
	ReleaseActor(&creature);
	return 0;
}
