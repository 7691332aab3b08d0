#include "program/pictures/picture.h"

#include "program/pictures/normals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Per pixel and direction.
#define SAMPLES 3
// How far curves of contact are widened, in samples: they are as thin as triangles are small.
#define WIDEN_SEEN 3
#define WIDEN_HIDDEN 2
#define SHADOW 0.34f

struct picture
{
	int width, height; // in samples
	float* colors;     // 3 per sample
	float* depths;     // inverse distance: larger is nearer, 0 is nothing
	uint8_t* marks;    // 1: a marked triangle is here, hidden or not; 2: and it is the nearest
	float* shadow;     // 0 to 1
	float* scratch;    // for blurring
};

static const float markColor[3] = { 0.93f, 0.07f, 0.09f };

picture* picture_Create(int width, int height)
{
	picture* p = calloc(1, sizeof(picture));
	if (p == NULL)
	{
		return NULL;
	}
	size_t samples = (size_t)width * (size_t)height * SAMPLES * SAMPLES;
	p->width = SAMPLES * width;
	p->height = SAMPLES * height;
	p->colors = malloc(samples * 3 * sizeof(float));
	p->depths = malloc(samples * sizeof(float));
	p->marks = malloc(samples);
	p->shadow = malloc(samples * sizeof(float));
	p->scratch = malloc(samples * sizeof(float));
	if (p->colors == NULL || p->depths == NULL || p->marks == NULL || p->shadow == NULL || p->scratch == NULL)
	{
		picture_Destroy(p);
		return NULL;
	}
	return p;
}

void picture_Destroy(picture* p)
{
	if (p != NULL)
	{
		free(p->colors);
		free(p->depths);
		free(p->marks);
		free(p->shadow);
		free(p->scratch);
		free(p);
	}
}

int picture_GetSampleWidth(const picture* p)
{
	return p->width;
}

int picture_GetSampleHeight(const picture* p)
{
	return p->height;
}

static void Clear(picture* p)
{
	size_t samples = (size_t)p->width * (size_t)p->height;
	memset(p->colors, 0, samples * 3 * sizeof(float));
	memset(p->depths, 0, samples * sizeof(float));
	memset(p->marks, 0, samples);
	memset(p->shadow, 0, samples * sizeof(float));
}

// ---- Light -----------------------------------------------------------------------------------------------------

/// What falls on all surfaces of a picture, and how it is seen.
typedef struct lighting
{
	float lamp[3]; ///< towards it: at the upper left, behind the camera
	float half[3]; ///< between it and the camera
	float view[3]; ///< towards the camera
	float sky[3];
} lighting;

static void Normalise(float v[3])
{
	float length = sqrtf(cameraDot(v, v));
	for (int k = 0; k < 3; ++k)
	{
		v[k] = length > 0.0f ? v[k] / length : 0.0f;
	}
}

static lighting MakeLighting(const camera* c)
{
	lighting l;
	for (int k = 0; k < 3; ++k)
	{
		l.lamp[k] = -0.50f * c->right[k] + 0.70f * c->up[k] - 0.55f * c->forward[k];
		l.view[k] = -c->forward[k];
		l.sky[k] = c->vertical[k];
	}
	Normalise(l.lamp);
	for (int k = 0; k < 3; ++k)
	{
		l.half[k] = l.lamp[k] + l.view[k];
	}
	Normalise(l.half);
	return l;
}

static float Positive(float x)
{
	return x > 0.0f ? x : 0.0f;
}

// A lamp, light from the sky, a little gloss, and a pale rim where the surface turns away, which sets bodies apart.
static void Shade(const lighting* l, float n[3], const float color[3], float shaded[3])
{
	Normalise(n);
	float facing = cameraDot(n, l->view);
	for (int k = 0; k < 3; ++k)
	{
		n[k] = facing < 0.0f ? -n[k] : n[k]; // both sides of a surface are drawn
	}
	float diffuse = Positive(cameraDot(n, l->lamp)), gloss = Positive(cameraDot(n, l->half)),
	      rim = 1.0f - fabsf(facing);
	gloss *= gloss; // to the 32nd power
	gloss *= gloss;
	gloss *= gloss;
	gloss *= gloss;
	gloss *= gloss;
	rim *= rim * rim;
	float light = 0.40f + 0.13f * cameraDot(n, l->sky) + 0.56f * diffuse;
	for (int k = 0; k < 3; ++k)
	{
		shaded[k] = color[k] * light + 0.14f * gloss + 0.10f * rim;
	}
}

// ---- Triangles -------------------------------------------------------------------------------------------------

/// Samples that a triangle may cover.
typedef struct area
{
	int x0, x1, y0, y1;
} area;

static int Clamp(float value, int limit)
{
	return value > 0.0f ? (value < (float)limit ? (int)value : limit) : 0; // not a number: 0
}

static area FindArea(const picture* p, const float* a, const float* b, const float* c)
{
	return (area){ Clamp(fminf(a[0], fminf(b[0], c[0])), p->width),
		Clamp(fmaxf(a[0], fmaxf(b[0], c[0])) + 1.0f, p->width), Clamp(fminf(a[1], fminf(b[1], c[1])), p->height),
		Clamp(fmaxf(a[1], fmaxf(b[1], c[1])) + 1.0f, p->height) };
}

/// Barycentric coordinates over a triangle on the screen.
typedef struct weights
{
	const float* origin;
	float u[2], v[2], inverse;
} weights;

// False for what has no area, or is not all in front of the camera.
static bool MakeWeights(weights* w, const float* a, const float* b, const float* c)
{
	*w = (weights){ a, { b[0] - a[0], b[1] - a[1] }, { c[0] - a[0], c[1] - a[1] }, 0.0f };
	float twice = w->u[0] * w->v[1] - w->u[1] * w->v[0];
	w->inverse = 1.0f / twice;
	return twice != 0.0f && isfinite(w->inverse) && a[2] > 0.0f && b[2] > 0.0f && c[2] > 0.0f;
}

// At the middle of a sample. False if it lies outside.
static bool Weigh(const weights* w, int x, int y, float out[3])
{
	float px = (float)x + 0.5f - w->origin[0], py = (float)y + 0.5f - w->origin[1];
	out[1] = (px * w->v[1] - py * w->v[0]) * w->inverse;
	out[2] = (w->u[0] * py - w->u[1] * px) * w->inverse;
	out[0] = 1.0f - out[1] - out[2];
	return out[0] >= 0.0f && out[1] >= 0.0f && out[2] >= 0.0f;
}

/// A mesh on the screen.
typedef struct drawing
{
	const pictureMesh* mesh;
	const float* screen;  ///< x, y, inverse distance per vertex
	const float* normals; ///< per vertex
	lighting light;
} drawing;

static float Mix(const float r[3], const float* a, const float* b, const float* c)
{
	return r[0] * *a + r[1] * *b + r[2] * *c;
}

// Small triangles make anything cleverer than every sample of the box pointless.
static void DrawTriangle(picture* p, const drawing* d, const uint32_t* corners, bool marked)
{
	const float *a = d->screen + 3 * (size_t)corners[0], *b = d->screen + 3 * (size_t)corners[1];
	const float *c = d->screen + 3 * (size_t)corners[2], *na = d->normals + 3 * (size_t)corners[0];
	const float *nb = d->normals + 3 * (size_t)corners[1], *nc = d->normals + 3 * (size_t)corners[2];
	weights w;
	area box = FindArea(p, a, b, c);
	for (int y = MakeWeights(&w, a, b, c) ? box.y0 : box.y1; y < box.y1; ++y)
	{
		for (int x = box.x0; x < box.x1; ++x)
		{
			float r[3];
			size_t i = (size_t)y * (size_t)p->width + (size_t)x;
			if (!Weigh(&w, x, y, r))
			{
				continue;
			}
			float depth = Mix(r, a + 2, b + 2, c + 2);
			p->marks[i] |= marked ? 1 : 0;
			if (depth > p->depths[i])
			{
				float n[3] = { Mix(r, na, nb, nc), Mix(r, na + 1, nb + 1, nc + 1), Mix(r, na + 2, nb + 2, nc + 2) };
				p->depths[i] = depth;
				p->marks[i] = (uint8_t)((p->marks[i] & 1) | (marked ? 2 : 0));
				Shade(&d->light, n, marked ? markColor : d->mesh->color, p->colors + 3 * i);
			}
		}
	}
}

static void DrawShadow(picture* p, const float* screen, const uint32_t* corners)
{
	const float *a = screen + 3 * (size_t)corners[0], *b = screen + 3 * (size_t)corners[1];
	const float* c = screen + 3 * (size_t)corners[2];
	weights w;
	area box = FindArea(p, a, b, c);
	for (int y = MakeWeights(&w, a, b, c) ? box.y0 : box.y1; y < box.y1; ++y)
	{
		for (int x = box.x0; x < box.x1; ++x)
		{
			float r[3];
			if (Weigh(&w, x, y, r))
			{
				p->shadow[(size_t)y * (size_t)p->width + (size_t)x] = 1.0f;
			}
		}
	}
}

// ---- Meshes ----------------------------------------------------------------------------------------------------

// Where vertices are on the screen, or where their shadows are: light falls steeply, so that these stay near the feet.
static void Project(const camera* c, const pictureMesh* mesh, const float* ground, float* screen)
{
	for (size_t i = 0; i < mesh->vertexCount; ++i)
	{
		const float* from = mesh->positions + 3 * i;
		float point[3] = { from[0], from[1], from[2] };
		float height = ground != NULL ? cameraDot(point, c->vertical) - *ground : 0.0f;
		for (int k = 0; k < 3; ++k)
		{
			point[k] += height * (0.28f * c->right[k] - c->vertical[k]);
		}
		cameraProject(c, point, screen + 3 * i);
	}
}

static bool DrawMesh(picture* p, const camera* c, float ground, const pictureMesh* mesh)
{
	float* screen = malloc(((size_t)mesh->vertexCount + 1) * 3 * sizeof(float));
	float* normals = MakeNormals(mesh->positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount);
	bool good = screen != NULL && normals != NULL;
	if (good)
	{
		drawing d = { mesh, screen, normals, MakeLighting(c) };
		Project(c, mesh, &ground, screen);
		for (size_t t = 0; t < mesh->triangleCount; ++t)
		{
			DrawShadow(p, screen, mesh->triangles + 3 * t);
		}
		Project(c, mesh, NULL, screen);
		for (size_t t = 0; t < mesh->triangleCount; ++t)
		{
			DrawTriangle(p, &d, mesh->triangles + 3 * t, mesh->marks != NULL && mesh->marks[t] != 0);
		}
	}
	free(screen);
	free(normals);
	return good;
}

// ---- Filters ---------------------------------------------------------------------------------------------------

// Averages along a line of samples that are `step` apart, by a running sum.
static void BlurLine(const float* from, float* to, int count, size_t step, int radius)
{
	float sum = 0.0f, scale = 1.0f / (float)(2 * radius + 1);
	for (int i = -radius; i < count; ++i)
	{
		sum += i + radius < count ? from[(size_t)(i + radius) * step] : 0.0f;
		sum -= i - radius - 1 >= 0 ? from[(size_t)(i - radius - 1) * step] : 0.0f;
		if (i >= 0)
		{
			to[(size_t)i * step] = Positive(sum * scale);
		}
	}
}

static void BlurShadow(picture* p)
{
	int radius = p->width / 110 + 1;
	size_t width = (size_t)p->width;
	for (int pass = 0; pass < 2; ++pass)
	{
		for (int y = 0; y < p->height; ++y)
		{
			BlurLine(p->shadow + (size_t)y * width, p->scratch + (size_t)y * width, p->width, 1, radius);
		}
		for (int x = 0; x < p->width; ++x)
		{
			BlurLine(p->scratch + x, p->shadow + x, p->height, width, radius);
		}
	}
}

// Write `to` where a row has a mark of `from` within a distance, else 0. Returns whether there is any.
static bool SpreadRow(const uint8_t* marks, int width, uint8_t from, uint8_t to, int radius, uint8_t* row)
{
	int last = -radius - 1, next = 0;
	while (next < width && !(marks[next] & from))
	{
		++next;
	}
	bool any = next < width;
	for (int x = 0; any && x < width; ++x)
	{
		for (next = next > x ? next : x; next < width && next <= x + radius && !(marks[next] & from);)
		{
			++next;
		}
		last = (marks[x] & from) ? x : last;
		row[x] = x - last <= radius || (next < width && next <= x + radius) ? to : 0;
	}
	return any;
}

// Set `to` in samples within a distance of those that have one of the bits in `from`. Most rows have none.
static void Spread(picture* p, uint8_t from, uint8_t to, int radius)
{
	size_t w = (size_t)p->width, h = (size_t)p->height, reach = (size_t)radius;
	uint8_t* rows = (uint8_t*)p->scratch; // four bytes for each sample: room for the rows, and for a flag of each
	uint8_t* any = rows + w * h;
	for (size_t y = 0; y < h; ++y)
	{
		any[y] = SpreadRow(p->marks + y * w, p->width, from, to, radius, rows + y * w);
	}
	for (size_t y = 0; y < h; ++y)
	{
		uint8_t* marks = p->marks + y * w;
		for (size_t j = y > reach ? y - reach : 0; j <= y + reach && j < h; ++j)
		{
			const uint8_t* row = rows + j * w;
			for (size_t x = 0; any[j] && x < w; ++x)
			{
				marks[x] = (uint8_t)(marks[x] | row[x]);
			}
		}
	}
}

bool picture_Draw(picture* p, const camera* c, float ground, const pictureMesh* meshes, int count)
{
	Clear(p);
	for (int i = 0; i < count; ++i)
	{
		if (!DrawMesh(p, c, ground, meshes + i))
		{
			return false;
		}
	}
	BlurShadow(p);
	Spread(p, 2, 4, WIDEN_SEEN);
	Spread(p, 1, 8, WIDEN_HIDDEN);
	return true;
}

int picture_CountMarks(const picture* p)
{
	int count = 0;
	for (size_t i = 0; i < (size_t)p->width * (size_t)p->height; ++i)
	{
		count += (p->marks[i] & 2) != 0;
	}
	return count;
}

// ---- Pixels ----------------------------------------------------------------------------------------------------

// Add a sample's colour, times its alpha, and its alpha. Marks lie over all else.
static void AddSample(const picture* p, size_t i, float sum[4])
{
	bool covered = p->depths[i] > 0.0f;
	uint8_t marks = p->marks[i];
	float alpha = covered ? 1.0f : SHADOW * p->shadow[i];
	float red = marks & 2 ? 0.0f : marks & 4 ? 0.9f : marks & 8 ? 0.42f : 0.0f;
	for (size_t k = 0; k < 3; ++k)
	{
		float color = fminf(1.0f, Positive(p->colors[3 * i + k])) * (covered ? 1.0f : 0.0f);
		sum[k] += color * (1.0f - red) + markColor[k] * red;
	}
	sum[3] += alpha + red * (1.0f - alpha);
}

pixels picture_Resolve(const picture* p)
{
	pixels out = pixelsMake(p->width / SAMPLES, p->height / SAMPLES);
	for (int i = 0; out.data != NULL && i < out.width * out.height; ++i)
	{
		float sum[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
		int x = i % out.width * SAMPLES, y = i / out.width * SAMPLES;
		for (int s = 0; s < SAMPLES * SAMPLES; ++s)
		{
			AddSample(p, (size_t)(y + s / SAMPLES) * (size_t)p->width + (size_t)(x + s % SAMPLES), sum);
		}
		uint8_t* pixel = out.data + 4 * (size_t)i;
		for (int k = 0; k < 3; ++k)
		{
			pixel[k] = (uint8_t)(sum[3] > 0.0f ? 255.0f * fminf(1.0f, sum[k] / sum[3]) + 0.5f : 0.0f);
		}
		pixel[3] = (uint8_t)(255.0f * sum[3] / (SAMPLES * SAMPLES) + 0.5f);
	}
	return out;
}
