#include "papers/bdtree/curtain.h"

#include "papers/meshless/state.h"
#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 54
#define ROWS 111 // of cells, below the row of tabs
#define TABS 8
#define TAB_WIDTH 2
#define CELL 0.02        // metres
#define TOP 2.3          // height of the rod
#define SURFACE_MASS 0.2 // kilograms per square metre
#define AIR 0.9          // half of air's density times the drag of a plate, as pressure is AIR * speed^2
#define GRAVITY 9.81
#define DAMPING 1.0 // per second, of all motion
#define SETTLE_DAMPING 60.0
#define SUBSTEPS 20
#define SETTLE_FRAMES 60 // before the first that is kept
// Metres per newton: how much a constraint gives.
#define STRETCH 1e-7
#define SHEAR 3e-1
#define BEND 3e-1
#define BALL_MASS 0.15
#define BALL_GAP 0.004   // between the ball and the cloth that it begins to push
#define BALL_SPRING 25.0 // newtons per metre, for every vertex

#define ROOM 1e3 // metres: nothing that was simulated is so far away, or covers that much in a frame

#define VERTICES SIM_CURTAIN_VERTICES
// Six distances start at most vertices: to the right, down, on both diagonals, and two cells to the right and down.
#define MAX_CONSTRAINTS (6 * VERTICES)

typedef struct constraint
{
	uint32_t a, b;
	double length, compliance;
} constraint;

struct simCloth
{
	uint32_t frame;                       // settling included
	uint32_t grid[ROWS + 2][COLUMNS + 1]; // vertex number; row 0 is the top of the tabs; UINT32_MAX: none
	double position[VERTICES + 1][3];     // the last one is the ball's centre
	double previous[VERTICES + 1][3];
	double velocity[VERTICES + 1][3];
	double wind[VERTICES][3]; // as it was when the frame began
	double force[VERTICES + 1][3];
	double inverseMass[VERTICES + 1]; // zero where the cloth is held
	constraint constraints[MAX_CONSTRAINTS];
	uint32_t constraintCount, triangleCount;
	constraint tethers[VERTICES]; // from each vertex to where the cloth is held
	uint32_t triangles[3 * SIM_CURTAIN_TRIANGLES];
};

// ---- What the curtain is ---------------------------------------------------------------------------------------

// Whether a column of vertices goes up into a tab.
static bool IsInTab(int column)
{
	for (int tab = 0; tab < TABS; ++tab)
	{
		int first = (tab * (COLUMNS - TAB_WIDTH) + (TABS - 1) / 2) / (TABS - 1);
		if (column >= first && column <= first + TAB_WIDTH)
		{
			return true;
		}
	}
	return false;
}

// Vertices row by row from the top, in pleats that take a fifth of the width.
static void MakeVertices(simCloth* c)
{
	uint32_t count = 0;
	for (int row = 0; row < ROWS + 2; ++row)
	{
		for (int column = 0; column <= COLUMNS; ++column)
		{
			bool exists = row > 0 || IsInTab(column);
			c->grid[row][column] = exists ? count : UINT32_MAX;
			if (exists)
			{
				double along = (double)column / COLUMNS;
				double* p = c->position[count];
				p[0] = 0.8 * COLUMNS * CELL * (along - 0.5);
				p[1] = TOP - CELL * row;
				p[2] = 0.018 * sceneSine(2.0 * SCENE_PI * (TABS - 1) * along);
				c->inverseMass[count++] = row == 0 ? 0.0 : 1.0 / (SURFACE_MASS * CELL * CELL);
			}
		}
	}
}

static void AddConstraint(simCloth* c, int row, int column, int rows, int columns, double compliance)
{
	int otherRow = row + rows, otherColumn = column + columns;
	if (otherRow >= ROWS + 2 || otherColumn < 0 || otherColumn > COLUMNS)
	{
		return;
	}
	uint32_t a = c->grid[row][column], b = c->grid[otherRow][otherColumn];
	if (a != UINT32_MAX && b != UINT32_MAX)
	{
		double length = CELL * sqrt((double)(rows * rows + columns * columns));
		c->constraints[c->constraintCount++] = (constraint){ a, b, length, compliance };
	}
}

// From the top down, so that one pass carries the weight to the rod.
static void MakeConstraints(simCloth* c)
{
	for (int row = 0; row < ROWS + 2; ++row)
	{
		for (int column = 0; column <= COLUMNS; ++column)
		{
			AddConstraint(c, row, column, 0, 1, STRETCH);
			AddConstraint(c, row, column, 1, 0, STRETCH);
			AddConstraint(c, row, column, 1, 1, SHEAR);
			AddConstraint(c, row, column, 1, -1, SHEAR);
			AddConstraint(c, row, column, 0, 2, BEND);
			AddConstraint(c, row, column, 2, 0, BEND);
		}
	}
}

// No vertex can be farther from the nearest end of a tab than along the flat cloth (Kim et al. 2012): one step then
// keeps the curtain from stretching under its weight, which distances alone would take a hundred passes for.
static void MakeTethers(simCloth* c)
{
	for (int row = 0; row < ROWS + 2; ++row)
	{
		for (int column = 0; column <= COLUMNS; ++column)
		{
			int nearest = -1;
			for (int other = 0; other <= COLUMNS; ++other)
			{
				bool nearer = nearest < 0 || abs(other - column) < abs(nearest - column);
				nearest = c->grid[0][other] != UINT32_MAX && nearer ? other : nearest;
			}
			uint32_t v = c->grid[row][column];
			if (v != UINT32_MAX)
			{
				double across = (double)(nearest - column), length = CELL * sqrt(across * across + (double)(row * row));
				c->tethers[v] = (constraint){ c->grid[0][nearest], v, length, 0.0 };
			}
		}
	}
}

static void MakeTriangles(simCloth* c)
{
	for (int row = 0; row <= ROWS; ++row)
	{
		for (int column = 0; column < COLUMNS; ++column)
		{
			uint32_t a = c->grid[row][column], b = c->grid[row][column + 1];
			uint32_t d = c->grid[row + 1][column], e = c->grid[row + 1][column + 1];
			if (a == UINT32_MAX || b == UINT32_MAX)
			{
				continue;
			}
			uint32_t corners[6] = { a, d, e, a, e, b };
			memcpy(c->triangles + 3 * (size_t)c->triangleCount, corners, sizeof(corners));
			c->triangleCount += 2;
		}
	}
}

// ---- What moves it ---------------------------------------------------------------------------------------------

// Metres per second: it comes and goes, and is not the same everywhere.
static void SetWind(double time, const double p[3], double wind[3])
{
	double gust = 0.5 - 0.5 * sceneCosine(2.0 * SCENE_PI * time / 1.9);
	double ripple = sceneSine(5.0 * p[0] + 2.3 * p[1] - 7.0 * time);
	wind[0] = 0.3 * sceneSine(1.7 * time + 1.1 * p[1]);
	wind[1] = 0.15 * sceneSine(2.9 * time + 2.0 * p[0]);
	wind[2] = 0.2 + 1.1 * gust + 0.4 * ripple;
}

// Pressure along the normal, with the square of the speed at which air meets the triangle.
static void AddWind(simCloth* c)
{
	for (size_t t = 0; t < c->triangleCount; ++t)
	{
		const uint32_t* v = c->triangles + 3 * t;
		double e0[3], e1[3], speed[3]; // of the air against the triangle
		for (int k = 0; k < 3; ++k)
		{
			e0[k] = c->position[v[1]][k] - c->position[v[0]][k];
			e1[k] = c->position[v[2]][k] - c->position[v[0]][k];
			speed[k] = 0.0;
			for (int i = 0; i < 3; ++i)
			{
				speed[k] += (c->wind[v[i]][k] - c->velocity[v[i]][k]) / 3.0;
			}
		}
		double n[3] = { e0[1] * e1[2] - e0[2] * e1[1], e0[2] * e1[0] - e0[0] * e1[2], e0[0] * e1[1] - e0[1] * e1[0] };
		double area2 = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
		if (!(area2 > 0.0))
		{
			continue;
		}
		double across = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			across += n[k] / area2 * speed[k];
		}
		double push = AIR * across * fabs(across) / 6.0; // a third for each corner, times half of area2 in n
		for (int i = 0; i < 3; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				c->force[v[i]][k] += push * n[k];
			}
		}
	}
}

// Move both ends so that the distance is right, in inverse proportion to their masses.
static void Satisfy(simCloth* c, const constraint* s, double step, bool onlyPulls)
{
	double *a = c->position[s->a], *b = c->position[s->b];
	double d[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
	double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
	double wa = c->inverseMass[s->a], wb = c->inverseMass[s->b];
	if (!(length > 0.0) || !(wa + wb > 0.0) || (onlyPulls && length <= s->length))
	{
		return;
	}
	double pull = (length - s->length) / (length * (wa + wb + s->compliance / (step * step)));
	for (int k = 0; k < 3; ++k)
	{
		a[k] += wa * pull * d[k];
		b[k] -= wb * pull * d[k];
	}
}

static void Solve(simCloth* c, double step)
{
	for (uint32_t i = 0; i < c->constraintCount; ++i)
	{
		Satisfy(c, c->constraints + i, step, false);
	}
	for (uint32_t v = 0; v < VERTICES; ++v)
	{
		Satisfy(c, c->tethers + v, step, true);
	}
}

// Cloth inside the ball is pushed out by a spring, and pushes back. A constraint would not do: one pass per step cannot
// carry the weight of a ball that is thousands of times as heavy as a particle.
static void AddBall(simCloth* c)
{
	const double radius = SIM_CURTAIN_BALL_RADIUS + BALL_GAP;
	const double* ball = c->position[VERTICES];
	for (uint32_t v = 0; v < VERTICES; ++v)
	{
		const double* p = c->position[v];
		double d[3] = { p[0] - ball[0], p[1] - ball[1], p[2] - ball[2] };
		double length2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
		if (length2 >= radius * radius || !(length2 > 0.0))
		{
			continue;
		}
		double length = sqrt(length2), push = BALL_SPRING * (radius - length) / length;
		for (int k = 0; k < 3; ++k)
		{
			c->force[v][k] += push * d[k];
			c->force[VERTICES][k] -= push * d[k];
		}
	}
}

// Before the ball is thrown the cloth settles, in air as thick as honey at first.
static void Advance(simCloth* c, double time, double step, bool thrown)
{
	memset(c->force, 0, sizeof(c->force));
	AddWind(c);
	AddBall(c);
	for (size_t v = 0; v <= VERTICES; ++v)
	{
		bool moves = v < VERTICES || thrown;
		for (size_t k = 0; k < 3; ++k)
		{
			double acceleration = c->inverseMass[v] * c->force[v][k] - (k == 1 ? GRAVITY : 0.0);
			moves = moves && c->inverseMass[v] > 0.0;
			c->previous[v][k] = c->position[v][k];
			c->velocity[v][k] += moves ? step * acceleration : 0.0;
			c->position[v][k] += moves ? step * c->velocity[v][k] : 0.0;
		}
	}
	Solve(c, step);
	double keep = 1.0 - step * (DAMPING + (time < 0.5 * SETTLE_FRAMES / SIM_CURTAIN_FPS ? SETTLE_DAMPING : 0.0));
	for (size_t v = 0; v <= VERTICES; ++v)
	{
		bool moves = (v < VERTICES || thrown) && c->inverseMass[v] > 0.0;
		for (size_t k = 0; moves && k < 3; ++k)
		{
			c->velocity[v][k] = (c->position[v][k] - c->previous[v][k]) / step * (v < VERTICES ? keep : 1.0);
		}
	}
	double* ball = c->position[VERTICES];
	if (ball[1] < SIM_CURTAIN_BALL_RADIUS) // the floor
	{
		ball[1] = SIM_CURTAIN_BALL_RADIUS;
		c->velocity[VERTICES][1] *= c->velocity[VERTICES][1] < 0.0 ? -0.6 : 1.0;
	}
}

// ---- All of it -------------------------------------------------------------------------------------------------

simCloth* simCloth_Create(simError* error)
{
	static const double start[3] = { 0.12, 1.25, 3.0 }, thrown[3] = { -0.1, 2.4, -4.5 };
	simCloth* c = calloc(1, sizeof(simCloth));
	if (c == NULL)
	{
		simError_SetMemory(error);
		return NULL;
	}
	MakeVertices(c);
	MakeConstraints(c);
	MakeTethers(c);
	MakeTriangles(c);
	memcpy(c->position[VERTICES], start, sizeof(start));
	memcpy(c->velocity[VERTICES], thrown, sizeof(thrown));
	c->inverseMass[VERTICES] = 1.0 / BALL_MASS;
	return c;
}

void simCloth_Destroy(simCloth* c)
{
	free(c);
}

bool simCloth_IsSettled(const simCloth* c)
{
	return c->frame >= SETTLE_FRAMES;
}

double simCloth_GetTime(const simCloth* c)
{
	return ((double)c->frame - SETTLE_FRAMES) / SIM_CURTAIN_FPS;
}

const uint32_t* simCloth_GetTriangles(const simCloth* c)
{
	return c->triangles;
}

void simCloth_Advance(simCloth* c)
{
	const double step = 1.0 / (SIM_CURTAIN_FPS * SUBSTEPS);
	for (uint32_t v = 0; v < VERTICES; ++v)
	{
		SetWind((double)c->frame / SIM_CURTAIN_FPS, c->position[v], c->wind[v]);
	}
	for (uint32_t i = 0; i < SUBSTEPS; ++i)
	{
		Advance(c, step * (double)(c->frame * SUBSTEPS + i), step, c->frame >= SETTLE_FRAMES);
	}
	++c->frame;
}

void simCloth_GetFrame(const simCloth* c, float* positions, snugFrame* ball)
{
	for (size_t i = 0; i < 3 * VERTICES; ++i)
	{
		positions[i] = (float)c->position[i / 3][i % 3];
	}
	*ball = (snugFrame){ .rotation = { 0.0, 0.0, 0.0, 1.0 } };
	memcpy(ball->position, c->position[VERTICES], 3 * sizeof(double));
}

bool simCloth_WriteState(const simCloth* c, FILE* stream)
{
	fprintf(stream, "cloth %u\n", c->frame);
	return simState_WriteVectors(stream, c->position, c->velocity, VERTICES + 1);
}

// Held vertices must be where they were made, or the cloth would be torn away from there.
static bool CheckState(const simCloth* c, const simCloth* made, simError* error)
{
	for (uint32_t v = 0; v <= VERTICES; ++v)
	{
		for (int k = 0; k < 3; ++k)
		{
			if (!(fabs(c->position[v][k]) < ROOM) || !(fabs(c->velocity[v][k]) < ROOM * SIM_CURTAIN_FPS))
			{
				return simError_Set(error, "vertex %u is nowhere near the curtain", v);
			}
			if (c->inverseMass[v] == 0.0 && c->position[v][k] != made->position[v][k])
			{
				return simError_Set(error, "vertex %u is held, and not where it should be", v);
			}
		}
	}
	return true;
}

bool simCloth_ReadState(simCloth* c, FILE* stream, simError* error)
{
	simCloth* made = simCloth_Create(error);
	if (made == NULL)
	{
		return false;
	}
	bool good = fscanf(stream, " cloth %u", &c->frame) == 1 && c->frame <= SETTLE_FRAMES + SIM_CURTAIN_MAX_FRAMES;
	good = good || simError_Set(error, "there is no cloth where one is expected");
	good = good && simState_ReadVectors(stream, c->position, c->velocity, VERTICES + 1, error) &&
	       CheckState(c, made, error);
	if (!good)
	{
		memcpy(c, made, sizeof(*c));
	}
	free(made);
	return good;
}

static void Simulate(simCurtain* curtain, simCloth* c, simProgressFcn* progress, void* user)
{
	uint32_t total = SETTLE_FRAMES + curtain->frameCount;
	while (c->frame < total)
	{
		if (simCloth_IsSettled(c))
		{
			uint32_t kept = c->frame - SETTLE_FRAMES;
			simCloth_GetFrame(c, curtain->frames + (size_t)kept * VERTICES * 3, &curtain->ball[kept]);
		}
		simCloth_Advance(c);
		if (progress != NULL)
		{
			progress(user, "simulating cloth", c->frame - 1, total);
		}
	}
}

bool simCurtain_Create(simCurtain* curtain, uint32_t frameCount, simProgressFcn* progress, void* user, simError* error)
{
	*curtain = (simCurtain){ .frameCount = frameCount, .ballRadius = (float)SIM_CURTAIN_BALL_RADIUS };
	if (frameCount == 0 || frameCount > SIM_CURTAIN_MAX_FRAMES)
	{
		return simError_Set(error, "a curtain of %u frames cannot be made", frameCount);
	}
	simCloth* c = simCloth_Create(error);
	curtain->mesh = sceneMesh_Allocate(VERTICES, SIM_CURTAIN_TRIANGLES);
	curtain->frames = malloc((size_t)frameCount * VERTICES * 3 * sizeof(float));
	curtain->ball = calloc(frameCount, sizeof(snugFrame));
	if (c == NULL || !sceneMesh_IsValid(&curtain->mesh) || curtain->frames == NULL || curtain->ball == NULL)
	{
		simCloth_Destroy(c);
		simCurtain_Free(curtain);
		return simError_SetMemory(error);
	}
	Simulate(curtain, c, progress, user);
	memcpy(curtain->mesh.positions, curtain->frames, VERTICES * 3 * sizeof(float));
	memcpy(curtain->mesh.triangles, c->triangles, sizeof(c->triangles));
	simCloth_Destroy(c);
	return true;
}

void simCurtain_Free(simCurtain* curtain)
{
	sceneMesh_Free(&curtain->mesh);
	free(curtain->frames);
	free(curtain->ball);
	*curtain = (simCurtain){ 0 };
}
