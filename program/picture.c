#include "program/picture.h"

#include "io/png.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct picture
{
	int width, height; // in samples
	float* colors;     // 3 per sample
	float* depths;     // inverse distance: larger is nearer
	uint8_t* marks;    // 1: a marked triangle is here, hidden or not; 2: and it is the nearest
};

static const float markColor[3] = { 0.90f, 0.16f, 0.12f };

picture* picture_Create(int width, int height)
{
	picture* p = calloc(1, sizeof(picture));
	if (p == NULL)
	{
		return NULL;
	}
	size_t samples = (size_t)width * (size_t)height * 4;
	p->width = 2 * width;
	p->height = 2 * height;
	p->colors = malloc(samples * 3 * sizeof(float));
	p->depths = malloc(samples * sizeof(float));
	p->marks = malloc(samples);
	if (p->colors == NULL || p->depths == NULL || p->marks == NULL)
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

// From nearly white at the top to a light grey-blue.
static void Clear(picture* p)
{
	for (int y = 0; y < p->height; ++y)
	{
		float t = (float)y / (float)p->height;
		for (int x = 0; x < p->width; ++x)
		{
			size_t i = (size_t)y * (size_t)p->width + (size_t)x;
			p->colors[3 * i + 0] = 0.985f - 0.090f * t;
			p->colors[3 * i + 1] = 0.988f - 0.075f * t;
			p->colors[3 * i + 2] = 0.992f - 0.055f * t;
			p->depths[i] = 0.0f;
			p->marks[i] = 0;
		}
	}
}

// ---- Light -----------------------------------------------------------------------------------------------------

/// A vertex as the rasteriser wants it.
typedef struct shaded
{
	float screen[3];
	float light;     ///< factor of the body's colour
	float highlight; ///< white added
} shaded;

// Sums of the normals of a vertex's triangles, longer for larger ones.
static void AddNormals(const pictureMesh* mesh, float* normals)
{
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corners = mesh->triangles + 3 * t;
		const float *a = mesh->positions + 3 * (size_t)corners[0], *b = mesh->positions + 3 * (size_t)corners[1];
		const float* c = mesh->positions + 3 * (size_t)corners[2];
		float u[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] }, v[3] = { c[0] - a[0], c[1] - a[1], c[2] - a[2] };
		float n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
		for (int i = 0; i < 3; ++i)
		{
			for (size_t k = 0; k < 3; ++k)
			{
				normals[3 * (size_t)corners[i] + k] += n[k];
			}
		}
	}
}

static float Dot(const float a[3], const float b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A lamp at the upper left behind the camera, light from the sky, and a little gloss. Normals face the eye.
static void LightVertex(const camera* c, const float position[3], const float normal[3], shaded* s)
{
	float lamp[3], view[3], half[3], n[3];
	float length = sqrtf(Dot(normal, normal));
	for (int k = 0; k < 3; ++k)
	{
		lamp[k] = -0.55f * c->right[k] + 0.65f * c->up[k] - 0.52f * c->forward[k];
		view[k] = c->eye[k] - position[k];
		n[k] = length > 0.0f ? normal[k] / length : 0.0f;
	}
	float distance = sqrtf(Dot(view, view)), facing = Dot(n, view) < 0.0f ? -1.0f : 1.0f;
	for (int k = 0; k < 3; ++k)
	{
		n[k] *= facing;
		half[k] = lamp[k] + view[k] / distance;
	}
	float diffuse = Dot(n, lamp), gloss = Dot(n, half) / sqrtf(Dot(half, half));
	diffuse = diffuse > 0.0f ? diffuse : 0.0f;
	gloss = gloss > 0.0f ? gloss : 0.0f;
	gloss *= gloss; // to the 32nd power
	gloss *= gloss;
	gloss *= gloss;
	gloss *= gloss;
	gloss *= gloss;
	s->light = 0.42f + 0.12f * n[2] + 0.60f * diffuse;
	s->highlight = 0.22f * gloss;
}

static shaded* ShadeVertices(const camera* c, const pictureMesh* mesh)
{
	float* normals = calloc((size_t)mesh->vertexCount * 3 + 1, sizeof(float));
	shaded* vertices = malloc(((size_t)mesh->vertexCount + 1) * sizeof(shaded));
	if (normals == NULL || vertices == NULL)
	{
		free(normals);
		free(vertices);
		return NULL;
	}
	AddNormals(mesh, normals);
	for (size_t i = 0; i < mesh->vertexCount; ++i)
	{
		cameraProject(c, mesh->positions + 3 * i, vertices[i].screen);
		LightVertex(c, mesh->positions + 3 * i, normals + 3 * i, &vertices[i]);
	}
	free(normals);
	return vertices;
}

// ---- Triangles -------------------------------------------------------------------------------------------------

static void DrawSample(
    picture* p, size_t i, float depth, bool marked, const float color[3], float light, float highlight)
{
	if (marked)
	{
		p->marks[i] |= 1;
	}
	if (depth <= p->depths[i])
	{
		return;
	}
	p->depths[i] = depth;
	p->marks[i] = (uint8_t)((p->marks[i] & 1) | (marked ? 2 : 0));
	for (size_t k = 0; k < 3; ++k)
	{
		float shade = marked ? markColor[k] * (0.55f + 0.5f * light) : color[k] * light;
		p->colors[3 * i + k] = shade + highlight;
	}
}

static int Clamp(float value, int limit)
{
	return value < 0.0f ? 0 : value > (float)limit ? limit : (int)value;
}

static float Least(float a, float b, float c)
{
	return fminf(a, fminf(b, c));
}

static float Most(float a, float b, float c)
{
	return fmaxf(a, fmaxf(b, c));
}

// Barycentric coordinates at every sample of the box; small triangles make anything cleverer pointless.
static void DrawTriangle(
    picture* p, const shaded* a, const shaded* b, const shaded* c, bool marked, const float color[3])
{
	float ux = b->screen[0] - a->screen[0], uy = b->screen[1] - a->screen[1];
	float vx = c->screen[0] - a->screen[0], vy = c->screen[1] - a->screen[1];
	float area = ux * vy - uy * vx;
	if (area == 0.0f)
	{
		return;
	}
	int x0 = Clamp(Least(a->screen[0], b->screen[0], c->screen[0]), p->width);
	int x1 = Clamp(Most(a->screen[0], b->screen[0], c->screen[0]) + 1.0f, p->width);
	int y0 = Clamp(Least(a->screen[1], b->screen[1], c->screen[1]), p->height);
	int y1 = Clamp(Most(a->screen[1], b->screen[1], c->screen[1]) + 1.0f, p->height);
	for (int y = y0; y < y1; ++y)
	{
		for (int x = x0; x < x1; ++x)
		{
			float px = (float)x + 0.5f - a->screen[0], py = (float)y + 0.5f - a->screen[1];
			float s = (px * vy - py * vx) / area, t = (ux * py - uy * px) / area, r = 1.0f - s - t;
			if (s >= 0.0f && t >= 0.0f && r >= 0.0f)
			{
				DrawSample(p, (size_t)y * (size_t)p->width + (size_t)x,
				    r * a->screen[2] + s * b->screen[2] + t * c->screen[2], marked, color,
				    r * a->light + s * b->light + t * c->light, r * a->highlight + s * b->highlight + t * c->highlight);
			}
		}
	}
}

static bool DrawMesh(picture* p, const camera* c, const pictureMesh* mesh)
{
	shaded* vertices = ShadeVertices(c, mesh);
	if (vertices == NULL)
	{
		return false;
	}
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corners = mesh->triangles + 3 * t;
		bool marked = mesh->marks != NULL && mesh->marks[t] != 0;
		DrawTriangle(p, &vertices[corners[0]], &vertices[corners[1]], &vertices[corners[2]], marked, mesh->color);
	}
	free(vertices);
	return true;
}

bool picture_Draw(picture* p, const camera* c, const pictureMesh* meshes, int count)
{
	Clear(p);
	for (int i = 0; i < count; ++i)
	{
		if (!DrawMesh(p, c, meshes + i))
		{
			return false;
		}
	}
	return true;
}

// Whether a sample with one of the bits is near. Curves of contact are as thin as triangles are small, so they are
// drawn wider than they are.
static bool IsMarkNear(const picture* p, int x, int y, int radius, int bit)
{
	int x0 = x - radius < 0 ? 0 : x - radius, x1 = x + radius >= p->width ? p->width - 1 : x + radius;
	int y0 = y - radius < 0 ? 0 : y - radius, y1 = y + radius >= p->height ? p->height - 1 : y + radius;
	for (int j = y0; j <= y1; ++j)
	{
		for (int i = x0; i <= x1; ++i)
		{
			if (p->marks[(size_t)j * (size_t)p->width + (size_t)i] & bit)
			{
				return true;
			}
		}
	}
	return false;
}

// Add the colour of a sample, with hidden marks shining through.
static void AddSample(const picture* p, int x, int y, float sum[3])
{
	size_t i = (size_t)y * (size_t)p->width + (size_t)x;
	float share = IsMarkNear(p, x, y, 2, 2) ? 0.85f : IsMarkNear(p, x, y, 1, 1) ? 0.38f : 0.0f;
	for (size_t k = 0; k < 3; ++k)
	{
		float color = p->colors[3 * i + k];
		color += (p->marks[i] & 2) ? 0.0f : share * (markColor[k] - color);
		sum[k] += color < 0.0f ? 0.0f : color > 1.0f ? 1.0f : color;
	}
}

uint8_t* picture_Encode(const picture* p, size_t* bytes)
{
	int width = p->width / 2, height = p->height / 2;
	uint8_t* pixels = malloc((size_t)width * (size_t)height * 3 + 1);
	if (pixels == NULL)
	{
		return NULL;
	}
	for (int y = 0; y < height; ++y)
	{
		for (int x = 0; x < width; ++x)
		{
			float sum[3] = { 0.0f, 0.0f, 0.0f };
			for (int i = 0; i < 4; ++i)
			{
				AddSample(p, 2 * x + (i & 1), 2 * y + (i >> 1), sum);
			}
			for (size_t k = 0; k < 3; ++k)
			{
				pixels[3 * ((size_t)y * (size_t)width + (size_t)x) + k] = (uint8_t)(sum[k] * (255.0f / 4.0f) + 0.5f);
			}
		}
	}
	uint8_t* encoded = ioEncodePng(pixels, (uint32_t)width, (uint32_t)height, bytes);
	free(pixels);
	return encoded;
}
