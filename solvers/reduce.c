#include "solvers/reduce.h"

#include "solvers/align.h"
#include "solvers/dense.h"

#include <math.h>
#include <string.h>

// Coordinates that are multiplied at a time.
#define BLOCK 2048
// Rounds of moving all frames onto their mean, which changes with them.
#define ALIGN_ROUNDS 4

typedef struct reducer
{
	const simReduceDef* def;
	simReduced* result;
	size_t size;      // coordinates per frame
	simHoard hoard;   // all that follows
	double* mean;     // (size)
	double* aligned;  // (frameCount * size) frames without their motion; null: as they are
	double* products; // (frameCount * frameCount), then the eigenvectors, one per row
	double* values;   // (frameCount) eigenvalues
	double* work;     // (frameCount * BLOCK), or (size) if that is more
} reducer;

static void Tell(const reducer* r, const char* what, uint64_t done, uint64_t total)
{
	if (r->def->progress != NULL)
	{
		r->def->progress(r->def->user, what, done, total);
	}
}

static double GetCoordinate(const reducer* r, size_t frame, size_t i)
{
	return r->aligned != NULL ? r->aligned[frame * r->size + i] : (double)r->def->frames[frame * r->size + i];
}

static void SetMean(reducer* r)
{
	memset(r->mean, 0, r->size * sizeof(double));
	for (size_t f = 0; f < r->def->frameCount; ++f)
	{
		for (size_t i = 0; i < r->size; ++i)
		{
			r->mean[i] += GetCoordinate(r, f, i);
		}
	}
	for (size_t i = 0; i < r->size; ++i)
	{
		r->mean[i] /= (double)r->def->frameCount;
	}
}

// ---- Rigid motion ----------------------------------------------------------------------------------------------

// Frames move onto the first, then onto the mean of where they are, a few times. Then the mean is as still as the
// frames can be made.
static bool RemoveMotion(reducer* r, simError* error)
{
	const simReduceDef* def = r->def;
	for (size_t i = 0; i < r->size; ++i)
	{
		r->mean[i] = (double)def->frames[i];
	}
	r->aligned = simHoard_Take(&r->hoard, def->frameCount * r->size, sizeof(double));
	if (r->aligned == NULL)
	{
		return simError_SetMemory(error);
	}
	for (int round = 0; round < ALIGN_ROUNDS; ++round)
	{
		for (size_t f = 0; f < def->frameCount; ++f)
		{
			const float* frame = def->frames + f * r->size;
			double* aligned = r->aligned + f * r->size;
			if (!simAlign(frame, r->mean, def->vertexCount, r->result->motions + f, aligned, error))
			{
				return false;
			}
			Tell(r, "removing rigid motion", f, def->frameCount);
		}
		SetMean(r);
	}
	return true;
}

// ---- Components ------------------------------------------------------------------------------------------------

// Products of all pairs of frames, less the mean as it will be stored.
static bool MultiplyFrames(reducer* r, simError* error)
{
	size_t frames = r->def->frameCount;
	memset(r->products, 0, frames * frames * sizeof(double));
	for (size_t first = 0; first < r->size; first += BLOCK)
	{
		size_t width = r->size - first < BLOCK ? r->size - first : BLOCK;
		for (size_t f = 0; f < frames; ++f)
		{
			for (size_t i = 0; i < width; ++i)
			{
				r->work[f * width + i] = GetCoordinate(r, f, first + i) - (double)r->result->rest[first + i];
			}
		}
		if (!simAddProducts(r->work, (uint32_t)frames, (uint32_t)width, r->products, error))
		{
			return false;
		}
		Tell(r, "multiplying frames", first, r->size);
	}
	return true;
}

// How many components there are at all, up to what is wanted. Those that move vertices by less than the frames' own
// rounding, half a unit in the last place of the largest coordinate, are that rounding.
static uint32_t CountFields(const reducer* r)
{
	double largest = 0.0;
	for (size_t i = 0; i < r->def->frameCount * r->size; ++i)
	{
		largest = fmax(largest, fabs((double)r->def->frames[i]));
	}
	double rounding = largest * 0x1p-24,
	       least = rounding * rounding * (double)r->def->frameCount * (double)r->def->vertexCount;
	uint32_t wanted = r->def->fieldCount > 0 ? r->def->fieldCount : r->def->frameCount, count = 0;
	while (count < wanted && count < r->def->frameCount && r->values[count] > least)
	{
		++count;
	}
	return count;
}

// Field k is the sum of the frames' displacements times component k of theirs. Scaled so that its longest displacement
// is 1 long, with the largest amplitude positive.
static void MakeField(reducer* r, size_t k)
{
	size_t frames = r->def->frameCount, fieldCount = r->result->fieldCount, largest = 0;
	const double* vector = r->products + k * frames;
	double* field = r->work;
	memset(field, 0, r->size * sizeof(double));
	for (size_t f = 0; f < frames; ++f)
	{
		largest = fabs(vector[f]) > fabs(vector[largest]) * (1.0 + 1e-9) ? f : largest;
		for (size_t i = 0; i < r->size; ++i)
		{
			field[i] += vector[f] * (GetCoordinate(r, f, i) - (double)r->result->rest[i]);
		}
	}
	double length2 = 0.0;
	for (size_t i = 0; i < r->size; i += 3)
	{
		length2 = fmax(length2, field[i] * field[i] + field[i + 1] * field[i + 1] + field[i + 2] * field[i + 2]);
	}
	double scale = vector[largest] < 0.0 ? -sqrt(length2) : sqrt(length2);
	for (size_t i = 0; i < r->size; ++i)
	{
		r->result->fields[k * r->size + i] = (float)(field[i] / scale);
	}
	for (size_t f = 0; f < frames; ++f)
	{
		r->result->amplitudes[f * fieldCount + k] = (float)(scale * vector[f]);
	}
}

static bool MakeFields(reducer* r, simError* error)
{
	simReduced* result = r->result;
	result->fieldCount = CountFields(r);
	size_t count = result->fieldCount;
	result->fields = simHoard_Take(&result->hoard, count * r->size, sizeof(float));
	result->amplitudes = simHoard_Take(&result->hoard, count * result->frameCount, sizeof(float));
	result->rmsErrors = simHoard_Take(&result->hoard, count + 1, sizeof(double));
	result->maxErrors = simHoard_Take(&result->hoard, count + 1, sizeof(double));
	if (result->hoard.isShort)
	{
		return simError_SetMemory(error);
	}
	for (size_t k = 0; k < count; ++k)
	{
		Tell(r, "making fields", k, count);
		MakeField(r, k);
	}
	return true;
}

// ---- Errors ----------------------------------------------------------------------------------------------------

// What a rigid motion leaves of lengths is all of them, so that errors are the same without it.
static void MeasureFrame(reducer* r, size_t frame)
{
	simReduced* result = r->result;
	double* rest = r->work; // what is left of the frame
	for (size_t i = 0; i < r->size; ++i)
	{
		rest[i] = GetCoordinate(r, frame, i) - (double)result->rest[i];
	}
	for (size_t k = 0; k <= result->fieldCount; ++k)
	{
		if (k > 0)
		{
			double amplitude = (double)result->amplitudes[frame * result->fieldCount + k - 1];
			const float* field = result->fields + (k - 1) * r->size;
			for (size_t i = 0; i < r->size; ++i)
			{
				rest[i] -= amplitude * (double)field[i];
			}
		}
		double sum = 0.0, most = result->maxErrors[k];
		for (size_t i = 0; i < r->size; i += 3)
		{
			double length2 = rest[i] * rest[i] + rest[i + 1] * rest[i + 1] + rest[i + 2] * rest[i + 2];
			sum += length2;
			most = fmax(most, length2);
		}
		result->rmsErrors[k] += sum;
		result->maxErrors[k] = most;
	}
}

static void MeasureErrors(reducer* r)
{
	simReduced* result = r->result;
	for (size_t f = 0; f < result->frameCount; ++f)
	{
		Tell(r, "measuring errors", f, result->frameCount);
		MeasureFrame(r, f);
	}
	for (size_t k = 0; k <= result->fieldCount; ++k)
	{
		result->rmsErrors[k] = sqrt(result->rmsErrors[k] / ((double)result->frameCount * (double)result->vertexCount));
		result->maxErrors[k] = sqrt(result->maxErrors[k]);
	}
}

// ---- All of it -------------------------------------------------------------------------------------------------

static bool CheckDef(const simReduceDef* def, simError* error)
{
	if (def->frameCount == 0 || def->vertexCount == 0)
	{
		return simError_Set(error, "there are no frames, or they have no vertices");
	}
	if (def->frameCount > SIM_MAX_FRAMES)
	{
		return simError_Set(error, "%u frames are too many: at most %u", def->frameCount, (unsigned)SIM_MAX_FRAMES);
	}
	size_t size = 3 * (size_t)def->vertexCount;
	for (size_t i = 0; i < def->frameCount * size; ++i)
	{
		if (!(fabsf(def->frames[i]) <= 1e30f)) // squares stay finite; false for NaN
		{
			return simError_Set(error, "frame %zu: vertex %zu has a coordinate that is not finite, or above 1e30",
			    i / size, i % size / 3);
		}
	}
	return true;
}

static bool Allocate(reducer* r)
{
	size_t frames = r->def->frameCount, work = frames * BLOCK > r->size ? frames * BLOCK : r->size;
	r->mean = simHoard_Take(&r->hoard, r->size, sizeof(double));
	r->products = simHoard_Take(&r->hoard, frames * frames, sizeof(double));
	r->values = simHoard_Take(&r->hoard, frames, sizeof(double));
	r->work = simHoard_Take(&r->hoard, work, sizeof(double));
	r->result->rest = simHoard_Take(&r->result->hoard, r->size, sizeof(float));
	r->result->motions = simHoard_Take(&r->result->hoard, frames, sizeof(snugFrame));
	if (r->hoard.isShort || r->result->hoard.isShort)
	{
		return false;
	}
	for (size_t f = 0; f < frames; ++f)
	{
		r->result->motions[f].rotation[3] = 1.0;
	}
	return true;
}

static bool Reduce(reducer* r, simError* error)
{
	if (r->def->removeMotion && !RemoveMotion(r, error))
	{
		return false;
	}
	SetMean(r);
	for (size_t i = 0; i < r->size; ++i)
	{
		r->result->rest[i] = (float)r->mean[i];
	}
	if (!MultiplyFrames(r, error))
	{
		return false;
	}
	Tell(r, "finding components", 0, 0);
	if (!simSolveSymmetric(r->products, r->def->frameCount, r->values, error) || !MakeFields(r, error))
	{
		return false;
	}
	MeasureErrors(r);
	return true;
}

bool simReduced_Compute(simReduced* reduced, const simReduceDef* def, simError* error)
{
	*reduced = (simReduced){ .frameCount = def->frameCount, .vertexCount = def->vertexCount };
	if (!CheckDef(def, error))
	{
		return false;
	}
	reducer r = { .def = def, .result = reduced, .size = 3 * (size_t)def->vertexCount };
	bool good = (Allocate(&r) || simError_SetMemory(error)) && Reduce(&r, error);
	simHoard_Free(&r.hoard);
	if (!good)
	{
		simReduced_Free(reduced);
	}
	return good;
}

void simReduced_Free(simReduced* reduced)
{
	simHoard_Free(&reduced->hoard);
	*reduced = (simReduced){ 0 };
}
