#include "lab/scenes/motion.h"

#include "lab/scenes/random.h"
#include "solvers/sine.h"

#include <stdlib.h>

sceneWaves sceneMakeWaves(uint64_t seed, double ripple)
{
	sceneWaves waves;
	sceneRandom random = { seed * 0x632be59bd9b4e019u + 1 };
	for (int k = 0; k < SCENE_WAVES; ++k)
	{
		// From broad swells to waves of about a sixth of the circumference, for a ripple of 1.
		double reach = ripple * (3.0 + 1.2 * (double)k);
		for (int i = 0; i < 3; ++i)
		{
			waves.direction[k][i] = sceneRandom_Range(&random, -reach, reach);
		}
		waves.phase[k] = sceneRandom_Range(&random, 0.0, 2.0 * SCENE_PI);
	}
	return waves;
}

double sceneWaves_Evaluate(const sceneWaves* waves, int wave, const float point[3])
{
	const double* d = waves->direction[wave];
	double x = d[0] * (double)point[0] + d[1] * (double)point[1] + d[2] * (double)point[2];
	return sceneSine(x + waves->phase[wave]);
}

static void FreeBlob(sceneBlob* blob)
{
	sceneMesh_Free(&blob->sphere);
	free(blob->heights);
	blob->heights = NULL;
}

static bool MakeBlob(sceneBlob* blob, uint32_t frequency, uint64_t seed, double ripple)
{
	sceneWaves waves = sceneMakeWaves(seed, ripple);
	sceneRandom random = { seed ^ 0x5bf03635u };
	*blob = (sceneBlob){ .sphere = sceneMakeSphere(frequency) };
	blob->heights = malloc((size_t)blob->sphere.vertexCount * SCENE_WAVES * sizeof(float));
	if (!sceneMesh_IsValid(&blob->sphere) || blob->heights == NULL)
	{
		FreeBlob(blob);
		return false;
	}
	for (int k = 0; k < SCENE_WAVES; ++k)
	{
		blob->tempo[k] = 0.05 * (double)(k + 1);
		blob->phase[k] = sceneRandom_Range(&random, 0.0, 2.0 * SCENE_PI);
		for (size_t i = 0; i < blob->sphere.vertexCount; ++i)
		{
			blob->heights[SCENE_WAVES * i + (size_t)k] =
			    (float)sceneWaves_Evaluate(&waves, k, blob->sphere.positions + 3 * i);
		}
	}
	return true;
}

// `center + radius(direction) * direction`. In float, so that compilers can use vectors: amplitudes and placement are
// rounded once, per frame.
static void RaiseVertices(
    const sceneBlob* blob, const float amplitude[SCENE_WAVES], const float center[3], float* positions)
{
	for (size_t i = 0; i < blob->sphere.vertexCount; ++i)
	{
		const float* h = blob->heights + SCENE_WAVES * i;
		const float* d = blob->sphere.positions + 3 * i;
		float radius = 1.0f;
		for (int k = 0; k < SCENE_WAVES; ++k)
		{
			radius += amplitude[k] * h[k];
		}
		positions[3 * i + 0] = center[0] + radius * d[0];
		positions[3 * i + 1] = center[1] + radius * d[1];
		positions[3 * i + 2] = center[2] + radius * d[2];
	}
}

static void DeformBlob(const sceneBlob* blob, double frame, const double center[3], float* positions)
{
	float amplitude[SCENE_WAVES];
	for (int k = 0; k < SCENE_WAVES; ++k)
	{
		amplitude[k] = (float)(SCENE_WAVE_HEIGHT * sceneSine(blob->tempo[k] * frame + blob->phase[k]));
	}
	float place[3] = { (float)center[0], (float)center[1], (float)center[2] };
	RaiseVertices(blob, amplitude, place, positions);
}

const char* sceneContact_GetName(sceneContact contact)
{
	return contact == scene_light ? "light" : "heavy";
}

bool sceneEncounter_Create(sceneEncounter* encounter, uint32_t frequency, sceneContact contact, int frameCount)
{
	*encounter = (sceneEncounter){ .contact = contact, .frameCount = frameCount };
	bool made = true;
	// Many small bumps instead of a few broad ones give long curves of intersection.
	double ripple = contact == scene_heavy ? 4.0 : 1.0;
	for (int i = 0; i < 2 && made; ++i)
	{
		made = MakeBlob(&encounter->blobs[i], frequency, (uint64_t)i + 1, ripple);
		if (made)
		{
			encounter->positions[i] = malloc((size_t)encounter->blobs[i].sphere.vertexCount * 3 * sizeof(float));
			made = encounter->positions[i] != NULL;
		}
	}
	if (!made)
	{
		sceneEncounter_Free(encounter);
	}
	return made;
}

void sceneEncounter_Free(sceneEncounter* encounter)
{
	for (int i = 0; i < 2; ++i)
	{
		FreeBlob(&encounter->blobs[i]);
		free(encounter->positions[i]);
		encounter->positions[i] = NULL;
	}
}

// 0 at the first and last frame, 1 in the middle.
static double Nearness(const sceneEncounter* encounter, int frame)
{
	double last = encounter->frameCount > 1 ? (double)(encounter->frameCount - 1) : 1.0;
	double u = 2.0 * (double)frame / last - 1.0;
	return 1.0 - u * u;
}

// The second blob's centre; the first one's is zero. Bumps reach out to about 1.1 on either side.
static void GetCenter(const sceneEncounter* encounter, int frame, double offset, double center[3])
{
	double nearness = Nearness(encounter, frame);
	bool light = encounter->contact == scene_light;
	center[0] = light ? 1.98 - 0.10 * nearness + offset : 0.10 - 0.08 * nearness;
	center[1] = light ? 0.05 : 0.03;
	center[2] = light ? 0.03 : -0.02;
}

void sceneEncounter_Deform(sceneEncounter* encounter, int frame)
{
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	double center[3];
	GetCenter(encounter, frame, 0.0, center);
	DeformBlob(&encounter->blobs[0], frame, zero, encounter->positions[0]);
	DeformBlob(&encounter->blobs[1], frame, center, encounter->positions[1]);
}

void sceneEncounter_Place(const sceneEncounter* encounter, int frame, snugFrame frames[2])
{
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	static const double axes[2][3] = { { 1.0, 2.0, -1.0 }, { -2.0, 1.0, 3.0 } };
	double center[3];
	GetCenter(encounter, frame, -0.12, center);
	frames[0] = sceneMakeFrame(zero, axes[0], 0.3 + 0.02 * (double)frame);
	frames[1] = sceneMakeFrame(center, axes[1], 1.1 - 0.03 * (double)frame);
}

void sceneEncounter_Rest(sceneEncounter* encounter)
{
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	for (int i = 0; i < 2; ++i)
	{
		DeformBlob(&encounter->blobs[i], 10.0, zero, encounter->positions[i]);
	}
}
