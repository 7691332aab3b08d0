// A chair and a bridge, put together from boxes and tubes that reach into each other.
//
// Their parts are divided so that there are as many vertices and triangles as in the models of James and Pai 2004. The
// sides of a box do not share vertices, as in models with sharp edges, but have them at the same positions, bit for
// bit: a point is computed from its place in the grid of the whole box.
#include "lab/scenes/mesh.h"
#include "solvers/sine.h"

#include <math.h>

typedef struct builder
{
	sceneMesh mesh;
	uint32_t vertexCount, triangleCount; // made so far
	uint32_t coarser;                    // cells are so many times as large
} builder;

// So many cells, or fewer.
static uint32_t Coarsen(const builder* b, uint32_t cells, uint32_t least)
{
	return cells / b->coarser > least ? cells / b->coarser : least;
}

static builder Begin(uint32_t vertexCount, uint32_t triangleCount, uint32_t coarser)
{
	return (builder){ .mesh = sceneMesh_Allocate(vertexCount, triangleCount), .coarser = coarser };
}

static sceneMesh Finish(const builder* b)
{
	sceneMesh mesh = b->mesh;
	mesh.vertexCount = b->vertexCount;
	mesh.triangleCount = b->triangleCount;
	return mesh;
}

static void AddTriangle(builder* b, uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t* corners = b->mesh.triangles + 3 * (size_t)b->triangleCount++;
	corners[0] = x;
	corners[1] = y;
	corners[2] = z;
}

static void AddVertex(builder* b, const double p[3])
{
	float* position = b->mesh.positions + 3 * (size_t)b->vertexCount++;
	for (int k = 0; k < 3; ++k)
	{
		position[k] = (float)p[k];
	}
}

// ---- Boxes -----------------------------------------------------------------------------------------------------

typedef struct box
{
	double origin[3], edges[3][3]; // a corner, and the three edges from it, right-handed
	uint32_t cells[3];             // along each edge
} box;

static void AddBoxVertex(builder* b, const box* s, const uint32_t place[3])
{
	double p[3];
	for (int k = 0; k < 3; ++k)
	{
		p[k] = s->origin[k];
		for (int e = 0; e < 3; ++e)
		{
			p[k] += s->edges[e][k] * ((double)place[e] / (double)s->cells[e]);
		}
	}
	AddVertex(b, p);
}

// The side across edge w: at its beginning or, if `far`, at its end. Triangles face outwards.
static void AddSide(builder* b, const box* s, int w, bool far)
{
	int u = (w + 1) % 3, v = (w + 2) % 3;
	uint32_t first = b->vertexCount, pitch = s->cells[u] + 1, place[3];
	place[w] = far ? s->cells[w] : 0;
	for (place[v] = 0; place[v] <= s->cells[v]; ++place[v])
	{
		for (place[u] = 0; place[u] <= s->cells[u]; ++place[u])
		{
			AddBoxVertex(b, s, place);
		}
	}
	for (uint32_t j = 0; j < s->cells[v]; ++j)
	{
		for (uint32_t i = 0; i < s->cells[u]; ++i)
		{
			uint32_t a = first + j * pitch + i, c = a + pitch;
			AddTriangle(b, a, far ? a + 1 : c + 1, far ? c + 1 : a + 1);
			AddTriangle(b, a, far ? c + 1 : c, far ? c : c + 1);
		}
	}
}

static void AddBox(builder* b, const box* fine)
{
	box s = *fine;
	for (int w = 0; w < 3; ++w)
	{
		s.cells[w] = Coarsen(b, fine->cells[w], 1);
	}
	for (int w = 0; w < 3; ++w)
	{
		AddSide(b, &s, w, false);
		AddSide(b, &s, w, true);
	}
}

// Two unit vectors across a direction, which with it are right-handed.
static double FindAcross(const double direction[3], double u[3], double v[3])
{
	double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
	double d[3] = { direction[0] / length, direction[1] / length, direction[2] / length };
	int least = fabs(d[2]) <= fabs(d[0]) && fabs(d[2]) <= fabs(d[1]) ? 2 : fabs(d[0]) <= fabs(d[1]) ? 0 : 1;
	double part = d[least], across = sqrt(1.0 - part * part);
	for (int k = 0; k < 3; ++k)
	{
		u[k] = ((k == least ? 1.0 : 0.0) - part * d[k]) / across;
	}
	for (int k = 0; k < 3; ++k)
	{
		int next = (k + 1) % 3, last = (k + 2) % 3;
		v[k] = d[next] * u[last] - d[last] * u[next];
	}
	return length;
}

// A square beam from one point to another.
static void AddBeam(
    builder* b, const double from[3], const double to[3], double thickness, uint32_t cellsAcross, uint32_t cellsAlong)
{
	double along[3] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] }, u[3], v[3];
	FindAcross(along, u, v);
	box s = { .cells = { cellsAlong, cellsAcross, cellsAcross } };
	for (int k = 0; k < 3; ++k)
	{
		s.origin[k] = from[k] - 0.5 * thickness * (u[k] + v[k]);
		s.edges[0][k] = along[k];
		s.edges[1][k] = thickness * u[k];
		s.edges[2][k] = thickness * v[k];
	}
	AddBox(b, &s);
}

// ---- Tubes -----------------------------------------------------------------------------------------------------

// A round bar, thinner or thicker towards its end, closed by a fan at either: around * rings + 2 vertices, shared.
static void AddTube(builder* b, const double from[3], const double to[3], double fromRadius, double toRadius,
    uint32_t fineAround, uint32_t fineRings)
{
	uint32_t around = Coarsen(b, fineAround, 3), rings = Coarsen(b, fineRings, 2);
	double along[3] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] }, u[3], v[3];
	FindAcross(along, u, v);
	uint32_t first = b->vertexCount, last = first + around * rings;
	for (uint32_t ring = 0; ring < rings; ++ring)
	{
		double s = (double)ring / (double)(rings - 1), radius = fromRadius + s * (toRadius - fromRadius);
		for (uint32_t i = 0; i < around; ++i)
		{
			double angle = 2.0 * SCENE_PI * (double)i / (double)around, p[3];
			for (int k = 0; k < 3; ++k)
			{
				p[k] = from[k] + s * along[k] + radius * (sceneCosine(angle) * u[k] + sceneSine(angle) * v[k]);
			}
			AddVertex(b, p);
		}
	}
	AddVertex(b, from);
	AddVertex(b, to);
	for (uint32_t i = 0; i < around; ++i)
	{
		uint32_t next = (i + 1) % around;
		for (uint32_t ring = 0; ring + 1 < rings; ++ring)
		{
			uint32_t low = first + ring * around, high = low + around;
			AddTriangle(b, low + i, low + next, high + next);
			AddTriangle(b, low + i, high + next, high + i);
		}
		AddTriangle(b, last, first + next, first + i);
		AddTriangle(b, last + 1, last - around + i, last - around + next);
	}
}

// ---- Chair -----------------------------------------------------------------------------------------------------

#define CHAIR_VERTICES 9471
#define CHAIR_TRIANGLES 17914
#define SEAT_HEIGHT 0.44
#define LEG_CELLS 24 // around
#define BAR_CELLS 13

// Where a leg is at a height: they stand apart at the floor. @param x, z -1 or 1
static void SetLeg(double x, double z, double height, double p[3])
{
	double out = 0.175 + 0.05 * (1.0 - height / SEAT_HEIGHT);
	p[0] = out * x;
	p[1] = height;
	p[2] = out * z;
}

static void AddLegs(builder* b)
{
	double p[3], q[3];
	for (int i = 0; i < 4; ++i)
	{
		double x = (i & 1) ? 1.0 : -1.0, z = (i & 2) ? 1.0 : -1.0;
		SetLeg(x, z, 0.0, p);
		SetLeg(x, z, SEAT_HEIGHT + 0.012, q);
		AddTube(b, p, q, 0.013, 0.02, LEG_CELLS, 29);
	}
	for (int i = 0; i < 2; ++i)
	{
		SetLeg(i > 0 ? 1.0 : -1.0, -1.0, 0.18, p);
		SetLeg(i > 0 ? 1.0 : -1.0, 1.0, 0.18, q);
		AddTube(b, p, q, 0.01, 0.01, BAR_CELLS, 19);
	}
	double reach = p[0];
	AddTube(b, (double[3]){ -reach, 0.18, 0.0 }, (double[3]){ reach, 0.18, 0.0 }, 0.01, 0.01, BAR_CELLS, 19);
}

// Posts lean back, and the backrest between them is curved like a back.
static void AddBack(builder* b)
{
	for (int i = 0; i < 2; ++i)
	{
		double x = i > 0 ? 1.0 : -1.0;
		double from[3] = { 0.17 * x, SEAT_HEIGHT, -0.18 }, to[3] = { 0.185 * x, 0.9, -0.26 };
		AddTube(b, from, to, 0.017, 0.012, LEG_CELLS, 30);
	}
	uint32_t first = b->vertexCount;
	box s = { .origin = { -0.21, 0.66, -0.232 },
		.edges = { { 0.42, 0.0, 0.0 }, { 0.0, 0.22, -0.036 }, { 0.0, 0.0, 0.018 } },
		.cells = { 30, 18, 2 } };
	AddBox(b, &s);
	for (uint32_t v = first; v < b->vertexCount; ++v)
	{
		float* p = b->mesh.positions + 3 * (size_t)v;
		double x = (double)p[0] / 0.185;
		p[2] = (float)((double)p[2] - 0.03 * (1.0 - x * x));
	}
}

// A little hollow on top and below alike.
static void AddSeat(builder* b)
{
	uint32_t first = b->vertexCount;
	box s = { .origin = { -0.22, SEAT_HEIGHT, -0.22 },
		.edges = { { 0.44, 0.0, 0.0 }, { 0.0, 0.032, 0.0 }, { 0.0, 0.0, 0.44 } },
		.cells = { 34, 3, 34 } };
	AddBox(b, &s);
	for (uint32_t v = first; v < b->vertexCount; ++v)
	{
		float* p = b->mesh.positions + 3 * (size_t)v;
		double x = (double)p[0] / 0.22, z = (double)p[2] / 0.22;
		p[1] = (float)((double)p[1] - 0.012 * (1.0 - x * x) * (1.0 - z * z));
	}
}

sceneMesh sceneMakeChair(uint32_t coarser)
{
	builder b = Begin(CHAIR_VERTICES, CHAIR_TRIANGLES, coarser);
	if (sceneMesh_IsValid(&b.mesh))
	{
		AddSeat(&b);
		AddLegs(&b);
		AddBack(&b);
	}
	return Finish(&b);
}

// ---- Bridge ----------------------------------------------------------------------------------------------------

#define BRIDGE_VERTICES 135304
#define BRIDGE_TRIANGLES 240316
#define PANELS 14
#define PANEL 4.0      // metres
#define HALF_WIDTH 3.0 //
#define HEIGHT 7.0
#define BEAM_CELLS 4 // across

static double GetPanel(int node)
{
	return PANEL * ((double)node - 0.5 * PANELS);
}

// One side: two chords, a vertical at every node, a diagonal in every panel that rises towards the middle.
static void AddTruss(builder* b, double z)
{
	const double end = GetPanel(PANELS) + 0.25;
	for (int top = 0; top < 2; ++top)
	{
		double y = top > 0 ? HEIGHT : 0.0;
		AddBeam(b, (double[3]){ -end, y, z }, (double[3]){ end, y, z }, 0.5, 10, 12 * PANELS);
	}
	for (int node = 0; node <= PANELS; ++node)
	{
		double x = GetPanel(node);
		AddBeam(b, (double[3]){ x, 0.0, z }, (double[3]){ x, HEIGHT, z }, 0.36, BEAM_CELLS, 16);
	}
	for (int panel = 0; panel < PANELS; ++panel)
	{
		bool rises = panel < PANELS / 2;
		double low[3] = { GetPanel(rises ? panel : panel + 1), 0.0, z };
		double high[3] = { GetPanel(rises ? panel + 1 : panel), HEIGHT, z };
		AddBeam(b, low, high, 0.3, BEAM_CELLS, 20);
	}
}

// Beams from side to side: below the deck at every node, above at the inner ones.
static void AddCrossBeams(builder* b)
{
	for (int node = 0; node <= PANELS; ++node)
	{
		for (int top = 0; top < 2; ++top)
		{
			double x = GetPanel(node), y = top > 0 ? HEIGHT : 0.0;
			if (top == 0 || (node > 0 && node < PANELS))
			{
				AddBeam(b, (double[3]){ x, y, -HALF_WIDTH }, (double[3]){ x, y, HALF_WIDTH }, 0.34, BEAM_CELLS, 24);
			}
		}
	}
}

// What is above the deck is lower towards the ends.
static void Curve(sceneMesh* mesh)
{
	for (size_t v = 0; v < mesh->vertexCount; ++v)
	{
		float* p = mesh->positions + 3 * v;
		double x = (double)p[0] / GetPanel(PANELS), low = 0.4;
		if (p[1] > 0.5f)
		{
			double above = (double)p[1] - 0.5;
			p[1] = (float)(0.5 + above * (1.0 - low * x * x));
		}
	}
}

sceneMesh sceneMakeBridge(uint32_t coarser)
{
	builder b = Begin(BRIDGE_VERTICES, BRIDGE_TRIANGLES, coarser);
	if (sceneMesh_IsValid(&b.mesh))
	{
		const double end = GetPanel(PANELS) + 0.5, side = HALF_WIDTH - 0.1;
		box deck = { .origin = { -end, 0.1, -side },
			.edges = { { 2.0 * end, 0.0, 0.0 }, { 0.0, 0.3, 0.0 }, { 0.0, 0.0, 2.0 * side } },
			.cells = { 425, 2, 71 } };
		AddBox(&b, &deck);
		AddTruss(&b, -HALF_WIDTH);
		AddTruss(&b, HALF_WIDTH);
		AddCrossBeams(&b);
	}
	sceneMesh mesh = Finish(&b);
	Curve(&mesh);
	return mesh;
}
