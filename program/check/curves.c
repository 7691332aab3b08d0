#include "program/check/curves.h"

#include "io/decimal.h"
#include "io/grow.h"
#include "program/files/json.h"
#include "program/files/output.h"

#include <stdlib.h>
#include <string.h>

void cliCurves_Free(cliCurves* curves)
{
	free(curves->curves);
	free(curves->points);
	*curves = (cliCurves){ .count = 0 };
}

bool cliCurves_Add(cliCurves* curves, uint64_t frame, double time, const cliNear* near)
{
	const size_t count = curves->count + near->curveCount, pointCount = curves->pointCount + near->pointCount;
	if (!ioGrow(&curves->curves, &curves->capacity, count, sizeof(cliFrameCurve)) ||
	    !ioGrow(&curves->points, &curves->pointCapacity, pointCount, 3 * sizeof(float)))
	{
		return false;
	}
	for (size_t i = 0; i < near->curveCount; ++i)
	{
		cliFrameCurve* added = curves->curves + curves->count++;
		*added = (cliFrameCurve){ frame, time, near->curves[i] };
		added->curve.firstPoint += curves->pointCount;
	}
	if (near->pointCount > 0)
	{
		memcpy(curves->points + 3 * curves->pointCount, near->points, 3 * sizeof(float) * near->pointCount);
	}
	curves->pointCount += near->pointCount;
	return true;
}

static void PrintPoint(FILE* stream, const float point[3], const char* form)
{
	char text[3][IO_FLOAT_TEXT];
	for (int k = 0; k < 3; ++k)
	{
		ioPrintFloat(point[k], text[k]);
	}
	fprintf(stream, form, text[0], text[1], text[2]);
}

// ---- OBJ -------------------------------------------------------------------------------------------------------

static void WriteObj(const cliCurves* curves, FILE* stream)
{
	fprintf(stream, "# curves along which bodies meet, by snug check\n");
	for (size_t i = 0; i < curves->pointCount; ++i)
	{
		PrintPoint(stream, curves->points + 3 * i, "v %s %s %s\n");
	}
	for (size_t i = 0; i < curves->count; ++i)
	{
		const cliFrameCurve* c = curves->curves + i;
		fprintf(stream, "o frame%llu_bodies%d_%d_curve%zu\nl", (unsigned long long)c->frame, c->curve.bodies[0],
		    c->curve.bodies[1], i);
		for (size_t k = 0; k < c->curve.pointCount; ++k)
		{
			fprintf(stream, " %zu", c->curve.firstPoint + k + 1);
		}
		if (c->curve.curve.isClosed)
		{
			fprintf(stream, " %zu", c->curve.firstPoint + 1);
		}
		fprintf(stream, "\n");
	}
}

// ---- PLY -------------------------------------------------------------------------------------------------------

static size_t CountEdges(const cliCurve* curve)
{
	return curve->curve.isClosed ? curve->pointCount : curve->pointCount - 1;
}

static void WritePly(const cliCurves* curves, FILE* stream)
{
	size_t edges = 0;
	for (size_t i = 0; i < curves->count; ++i)
	{
		edges += CountEdges(&curves->curves[i].curve);
	}
	fprintf(stream,
	    "ply\nformat ascii 1.0\ncomment curves along which bodies meet, by snug check\nelement vertex %zu\n"
	    "property float x\nproperty float y\nproperty float z\nelement edge %zu\nproperty int vertex1\n"
	    "property int vertex2\nproperty int frame\nproperty int curve\nend_header\n",
	    curves->pointCount, edges);
	for (size_t i = 0; i < curves->pointCount; ++i)
	{
		PrintPoint(stream, curves->points + 3 * i, "%s %s %s\n");
	}
	for (size_t i = 0; i < curves->count; ++i)
	{
		const cliCurve* curve = &curves->curves[i].curve;
		for (size_t k = 0; k < CountEdges(curve); ++k)
		{
			fprintf(stream, "%zu %zu %llu %zu\n", curve->firstPoint + k,
			    curve->firstPoint + (k + 1) % curve->pointCount, (unsigned long long)curves->curves[i].frame, i);
		}
	}
}

// ---- JSON ------------------------------------------------------------------------------------------------------

static void PrintVector(FILE* stream, const char* key, const double vector[3])
{
	fprintf(stream, ",\"%s\":[", key);
	for (int k = 0; k < 3; ++k)
	{
		fprintf(stream, k > 0 ? "," : "");
		cliPrintJsonNumber(stream, vector[k]);
	}
	fprintf(stream, "]");
}

static void PrintCurve(FILE* stream, const cliFrameCurve* c, const float* points)
{
	static const char* const ends[] = { "null", "\"boundary\"", "\"branch\"", "\"other\"", "\"corner\"" };
	const snugCurve* curve = &c->curve.curve;
	fprintf(stream, "{\"frame\":%llu,\"time\":", (unsigned long long)c->frame);
	cliPrintJsonNumber(stream, c->time);
	fprintf(stream, ",\"bodies\":[%d,%d],\"closed\":%s,\"ends\":[%s,%s],\"length\":", c->curve.bodies[0],
	    c->curve.bodies[1], curve->isClosed ? "true" : "false", ends[curve->ends[0]], ends[curve->ends[1]]);
	cliPrintJsonNumber(stream, curve->length);
	fprintf(stream, ",\"depth\":");
	cliPrintJsonNumber(stream, c->curve.depth);
	PrintVector(stream, "centroid", curve->centroid);
	PrintVector(stream, "area", curve->area);
	fprintf(stream, ",\"points\":[");
	for (size_t i = 0; i < c->curve.pointCount; ++i)
	{
		PrintPoint(stream, points + 3 * (c->curve.firstPoint + i), i > 0 ? ",[%s,%s,%s]" : "[%s,%s,%s]");
	}
	fprintf(stream, "]}");
}

static void WriteJson(const cliCurves* curves, FILE* stream)
{
	fprintf(stream, "{\"version\":1,\"curves\":[");
	for (size_t i = 0; i < curves->count; ++i)
	{
		fprintf(stream, i > 0 ? ",\n" : "\n");
		PrintCurve(stream, curves->curves + i, curves->points);
	}
	fprintf(stream, "\n]}\n");
}

bool cliCurves_Write(const cliCurves* curves, const char* path)
{
	ioOutput output;
	if (!cliOutput_Open(&output, path))
	{
		return false;
	}
	const char* ending = strrchr(path, '.');
	if (ending != NULL && strcmp(ending, ".ply") == 0)
	{
		WritePly(curves, output.stream);
	}
	else if (ending != NULL && strcmp(ending, ".json") == 0)
	{
		WriteJson(curves, output.stream);
	}
	else
	{
		WriteObj(curves, output.stream);
	}
	return cliOutput_Commit(&output);
}
